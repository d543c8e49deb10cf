// Errors of calls: statuses with and without reasons, and what is no answer at all.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import {
  BudgetTooSmallError,
  ClientCancelledError,
  DeadlineError,
  MessageTooLargeError,
  MethodUnknownError,
  ToolResultError,
  UnavailableError,
  connect,
} from "toolresult";
import { Fake, details, message, status } from "./fake.js";
import type { Handler } from "./fake.js";
import { shortDir } from "./sidecar.js";

/** failure returns the error of a call that a server answers so. Health checks are not repeated. */
async function failure(handler: Handler, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<ToolResultError> {
  const fake = await new Fake(handler).listen();
  const client = await connect({ address: fake.address });
  try {
    await client.healthy(options);
  } catch (error) {
    assert.ok(error instanceof ToolResultError, String(error));
    return error;
  } finally {
    client.close();
  }
  assert.fail("the call was served");
}

test("a reason has its class, field, hint and metadata", async () => {
  const metadata = { field: "policy.render.budget", hint: "raise the budget", needed: "64" };
  const trailers = details(3, "too small", { reason: "BUDGET_TOO_SMALL", domain: "toolresult.v1" }, metadata);
  const error = await failure((stream) => status(stream, 3, "too small", trailers));
  assert.ok(error instanceof BudgetTooSmallError);
  const { name, message, reason, code, field, hint, retryable, retryAfter } = error;
  assert.deepEqual(
    { name, message, reason, code, field, hint, retryable, retryAfter, metadata: error.metadata },
    {
      name: "BudgetTooSmallError",
      message: "too small",
      reason: "BUDGET_TOO_SMALL",
      code: "INVALID_ARGUMENT",
      field: metadata.field,
      hint: metadata.hint,
      retryable: false,
      retryAfter: undefined,
      metadata: { ...metadata },
    },
  );
  assert.equal(BudgetTooSmallError.reason, "BUDGET_TOO_SMALL");
  assert.ok(error.cause instanceof Error);
});

test("a RetryInfo says when", async () => {
  const trailers = details(8, "busy", { reason: "IN_FLIGHT_BYTES", domain: "toolresult.v1" }, {}, 1.5);
  const error = await failure((stream) => status(stream, 8, "busy", trailers));
  assert.deepEqual([error.name, error.retryable, error.retryAfter], ["InFlightBytesError", true, 1.5]);
});

test("a reason of a later contract keeps its text", async () => {
  for (const reason of ["NEW_REASON", "constructor", "__proto__"]) {
    const trailers = details(9, "new", { reason, domain: "toolresult.v1" }, { hint: "update" });
    const error = await failure((stream) => status(stream, 9, "new", trailers));
    assert.deepEqual([error.name, error.reason, error.hint, error.code], ["ToolResultError", reason, "update", "FAILED_PRECONDITION"]);
  }
});

test("a reason of another domain is none", async () => {
  const trailers = details(9, "x", { reason: "BUDGET_TOO_SMALL", domain: "example.com" }, {});
  const error = await failure((stream) => status(stream, 9, "x", trailers));
  assert.deepEqual([error.name, error.reason], ["ToolResultError", ""]);
});

test("statuses without a reason", async () => {
  const want: [number, new (message: string) => ToolResultError, string, string][] = [
    [14, UnavailableError, "", "UNAVAILABLE"],
    [4, DeadlineError, "DEADLINE", "DEADLINE_EXCEEDED"],
    [1, ClientCancelledError, "CLIENT_CANCELLED", "CANCELLED"],
    [12, MethodUnknownError, "METHOD_UNKNOWN", "UNIMPLEMENTED"],
    [8, MessageTooLargeError, "MESSAGE_TOO_LARGE", "RESOURCE_EXHAUSTED"],
    [2, ToolResultError, "", "UNKNOWN"],
    [10, ToolResultError, "", "ABORTED"],
  ];
  for (const [number, errorClass, reason, code] of want) {
    const error = await failure((stream) => status(stream, number, "x"));
    assert.equal(error.constructor, errorClass, code);
    assert.deepEqual([error.reason, error.code, error.retryable], [reason, code, number === 14 || number === 10]);
  }
});

test("a connection that is lost in mid call is UNAVAILABLE, however it is lost", async () => {
  const ways: Record<string, Handler> = {
    "the session is destroyed": (stream) => stream.session?.destroy(),
    "the socket is destroyed": (_stream, _headers, _attempt, connection) => connection.destroy(),
    "the stream is reset": (stream) => stream.close(8),
    "the stream is rejected": (stream) => stream.close(7),
    "the stream ends without a status": (stream) => stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { endStream: true }),
    "half of a message": (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc+proto" });
      stream.write(Buffer.from([0, 0, 0, 0, 9, 1]));
      setImmediate(() => stream.session?.destroy());
    },
    "HTTP 503": (stream) => stream.respond({ ":status": 503 }, { endStream: true }),
  };
  for (const [way, handler] of Object.entries(ways)) {
    const error = await failure(handler);
    assert.ok(error instanceof UnavailableError, `${way}: ${error.name} ${error.message}`);
    assert.deepEqual([error.reason, error.code, error.retryable, error.hint], ["", "UNAVAILABLE", true, "start one: toolresult ensure"]);
  }
});

test("a server of something else is UNAVAILABLE", { timeout: 20_000 }, async () => {
  const socket = join(shortDir(), "s");
  const server = createServer((connection) => connection.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const client = await connect({ address: `unix://${socket}` });
  await assert.rejects(client.healthy(), UnavailableError);
  server.close();
});

test("a deadline passes while the server says nothing", async () => {
  const began = performance.now();
  const error = await failure(() => {}, { timeoutMs: 50 });
  assert.ok(error instanceof DeadlineError);
  assert.deepEqual([error.code, error.retryable], ["DEADLINE_EXCEEDED", false]);
  assert.ok(performance.now() - began < 4000);
});

test("a caller ends its call", async () => {
  const cancelled = await failure(() => {}, { signal: AbortSignal.abort(new Error("enough")) });
  assert.ok(cancelled instanceof ClientCancelledError);
  assert.equal((cancelled.cause as Error).message, "enough");
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  assert.ok((await failure(() => {}, { signal: controller.signal })) instanceof ClientCancelledError);
  assert.ok((await failure(() => {}, { signal: AbortSignal.timeout(20) })) instanceof DeadlineError);
});

test("an answer that cannot be read is an error of the server", async () => {
  const error = await failure((stream) => message(stream, new Uint8Array([0x08, 0xff]))); // a number without its end
  assert.deepEqual([error.constructor, error.code, error.retryable], [ToolResultError, "INTERNAL", false], error.message);
});

test("a request that cannot be written is the caller's own error", async () => {
  const fake = await new Fake((stream) => message(stream)).listen();
  const client = await connect({ address: fake.address });
  for (const make of [
    () => client.projectText("echo", "x", { maxTokens: -1 }),
    () => client.projectText("echo", "x", { maxTokens: 1.5 }),
    () => client.projectCommand("true", { exitStatus: 0.5 }),
    () => client.projectCommand("true", { signal: "SIGNOTHING" }),
    () => client.read("/a", { lines: [-1, 2] }),
    () => client.read("/a", { lines: [1, 2], tail: 3 } as never),
    () => client.encodeTurn("claude" as never, {}),
    () => client.compact([], { level: "tiny" as never }),
  ]) {
    await assert.rejects(make, (error) => error instanceof Error && !(error instanceof ToolResultError));
  }
  assert.equal(fake.requests.length, 0);
  client.close();
});
