// The client, against the real sidecar.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { ClientCancelledError, DeadlineError, FieldMissingError, ToolResultError, UnavailableError, connect } from "toolresult";
import type { Client } from "toolresult";
import { CompleteToolOutputSchema, HandleForm, SearchOutputSchema, ToolStatus } from "toolresult/v1";
import { Sidecar } from "./sidecar.js";

const sidecar = await new Sidecar().start();
const client = await connect({ address: sidecar.address });

/** restart kills a sidecar, and starts another one in its place. */
async function restart(of: Sidecar): Promise<void> {
  await of.kill();
  await of.start();
}

test("any text and any bytes are shown", async () => {
  const show = async (text: string | Uint8Array) => (await client.projectText("cat", text)).receipt;
  assert.equal(await show("hello\n"), "Tool output:\nhello");
  assert.equal(await show("\ud800 half \udc00"), "Tool output:\n\ufffd half \ufffd");
  assert.match(await show(new Uint8Array([0x61, 0xff, 0xfe, 0x0a])), /^Tool output/);
  assert.equal(await show(Buffer.from("from a Buffer")), "Tool output:\nfrom a Buffer");
  assert.equal(await show(new Uint8Array(Buffer.from("-view-")).subarray(1, 5)), "Tool output:\nview");
  assert.match(await show(""), /nothing/);
  assert.match(await show("\0\0\0"), /^Tool output/);
  assert.match(await show("x".repeat((1 << 20) - 1)), /^Tool output/);
  assert.match(await show("é".repeat(1 << 20)), /^Tool output/);
});

test("50 MB go through, and all of it can be read", { timeout: 120_000 }, async () => {
  const line = "compiling unit of the program, one of very many\n";
  const text = Buffer.alloc(50 << 20, line);
  text.write("error: no such thing\n", 30 << 20);
  const result = await client.projectText("build", text, { maxTokens: 300 });
  assert.match(result.receipt, /error: no such thing/);
  const [path] = result.artifacts;
  let bytes = 0;
  for await (const page of client.readPages(path!, { maxBytes: 3 << 20, maxLines: 1_000_000 })) {
    assert.ok(text.subarray(bytes, bytes + page.data.length).equals(page.data));
    bytes += page.data.length;
  }
  assert.equal(bytes, text.length);
});

test("a large command and a large output of the caller are sent as streams, and the caller's message is not changed", async () => {
  const stdout = Buffer.alloc(2 << 20, "line of the output\n");
  const small = { stdout: "line of the output\n", stderr: "warning: x\n", exitStatus: 1 };
  const command = await client.projectCommand("make", { ...small, stdout });
  assert.match(command.receipt, /^Process exited with code 1\n/);
  assert.match(command.receipt, /warning: x/);
  const output = create(CompleteToolOutputSchema, { toolName: "cat", result: { case: "text", value: { content: { source: { case: "inline", value: stdout } } } } });
  const [one, two] = await Promise.all([client.project(output), client.project(output)]);
  assert.equal(one.receipt, two.receipt);
  assert.equal(output.result.case === "text" && output.result.value.content?.source.value, stdout);
});

test("other families and the policy", async () => {
  const search = create(SearchOutputSchema, { query: "needle" });
  const result = await client.project({ toolName: "grep", result: { case: "search", value: search } });
  assert.deepEqual([result.family, result.failed], ["search", false]);
  const text = "line\n".repeat(5000);
  const policy = { render: { handles: HandleForm.CALL, budget: { maxLines: 5 } } };
  const called = await client.projectText("cat", text, { session: "s", callId: "c", policy, maxTokens: 200 });
  assert.match(called.receipt, /read_result\(result="/);
  assert.ok(called.tokens <= 200);
  assert.deepEqual(policy, { render: { handles: HandleForm.CALL, budget: { maxLines: 5 } } });
});

test("a tool that failed is a result", async () => {
  const result = await client.projectError("fetch", "timeout_error", "no answer", { details: { url: "http://x" }, recoveryHint: "", retryable: true });
  assert.deepEqual([result.family, result.failed, result.canonical?.status], ["error", true, ToolStatus.ERROR]);
  assert.match(result.receipt, /^Tool error timeout_error: no answer\nRetryable: yes\nError details: \{"url":"http:\/\/x"\}$/);
});

test("how a command ended, as Node.js says it", async () => {
  assert.match((await client.projectCommand("x", { exitStatus: null, signal: "SIGKILL", stdout: "" })).receipt, /signal 9/);
  assert.match((await client.projectCommand("x", { exitStatus: 0, signal: null, output: "done\n" })).receipt, /^Process exited with code 0/);
  assert.match((await client.projectCommand("x", { timeoutMs: 1500, output: "" })).receipt, /1\.5|1500/);
  assert.equal((await client.projectCommand("x", { exitStatus: 0xc000013a, output: "" })).canonical?.result.case, "command");
});

test("many calls run at once, also on a connection that is not there yet", { timeout: 60_000 }, async () => {
  const fresh = await connect({ address: sidecar.address });
  const results = await Promise.all(Array.from({ length: 500 }, (_, i) => fresh.projectText("echo", `text ${i}\n`)));
  results.forEach((result, i) => assert.equal(result.receipt, `Tool output:\ntext ${i}`));
});

test("many calls and streams with one signal leave nothing at it, and get no warning", async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on("warning", collect);
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      await client.projectText("echo", `text ${i}`, { signal });
      const stream = client.stream("exec_command", { signal });
      await stream.finish({ exitStatus: 0 });
    }),
  );
  await sleep(20);
  process.off("warning", collect);
  assert.deepEqual(warnings, []);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("writes that are not awaited keep their order", async () => {
  const stream = client.stream("exec_command", { commandLine: "count" });
  const writes = Array.from({ length: 200 }, (_, i) => stream.write(`${i}\n`));
  const result = await stream.finish({ exitStatus: 0 });
  await Promise.all(writes);
  assert.equal(result.receipt, `Process exited with code 0\n${Array.from({ length: 200 }, (_, i) => i).join("\n")}`);
  await assert.rejects(stream.write("more"), /has ended/);
});

test("who does not await a write gets its error from finish", async () => {
  const stream = client.stream("exec_command", { callId: "c" });
  void stream.write("a");
  await sleep(50);
  void stream.write("b");
  await sleep(10);
  await assert.rejects(stream.finish({ exitStatus: 0 }), FieldMissingError);
});

test("a result is JSON", async () => {
  const result = await client.projectText("cat", "line\n".repeat(5000), { maxTokens: 100 });
  const json = JSON.parse(JSON.stringify(result)) as { receipt: string; artifacts: string[]; canonical: { toolName: string } };
  assert.deepEqual([json.receipt, json.artifacts, json.canonical.toolName], [result.receipt, [...result.artifacts], "cat"]);
});

test("a stream of 20 MB, with a snapshot", async () => {
  await using stream = client.stream("build", { commandLine: "make", maxTokens: 200 });
  const chunk = Buffer.alloc(5 << 20, "compiling\n");
  await stream.write(chunk);
  const sofar = await stream.snapshot("task_1");
  assert.match(sofar.receipt, /task_1/);
  await stream.write(chunk);
  await stream.write(chunk);
  await stream.write("make: *** Error 2\n");
  const result = await stream.finish({ exitStatus: 2 });
  assert.match(result.receipt, /Error 2/);
});

test("a stream that is left is cancelled, and no promise is left behind", async () => {
  {
    await using stream = client.stream("exec_command");
    await stream.write("half");
  }
  const closed = client.stream("exec_command");
  closed.close();
  await assert.rejects(closed.finish(), /was closed/);
  const controller = new AbortController();
  const aborted = client.stream("exec_command", { signal: controller.signal });
  await aborted.write("half");
  controller.abort();
  await assert.rejects(aborted.finish({ exitStatus: 0 }), ClientCancelledError);
  await sleep(20);
});

test("what the sidecar rejects of a stream fails its calls, with the reason", async () => {
  const stream = client.stream("exec_command", { callId: "c" });
  await assert.rejects(async () => {
    for (;;) {
      await stream.write(Buffer.alloc(1 << 20));
    }
  }, FieldMissingError);
  await assert.rejects(stream.finish({ exitStatus: 0 }), FieldMissingError);
  await assert.rejects(stream.snapshot("t"), FieldMissingError);
});

test("two kinds of streams are not mixed", async () => {
  await using stream = client.stream("exec_command");
  await stream.write("a", "stdout");
  await assert.rejects(stream.write("b", "output"), TypeError);
  await stream.write("b", "stderr");
  assert.match((await stream.finish({ exitStatus: 0 })).receipt, /stdout:\na\nstderr:\nb/);
});

test("a page ends inside of a character, and pages are the bytes", async () => {
  const text = "日本語\n".repeat(2000);
  const { artifacts } = await client.projectText("cat", text, { maxTokens: 100 });
  const parts: Uint8Array[] = [];
  for await (const page of client.readPages(artifacts[0]!, { maxBytes: 1000 })) {
    parts.push(page.data);
    assert.equal(typeof page.text, "string");
  }
  assert.equal(Buffer.concat(parts).toString(), text);
  assert.equal((await client.read(artifacts[0]!, { around: [2, 1] })).text, "日本語\n日本語\n日本語\n");
  assert.equal((await client.read(artifacts[0]!, { lines: [2000] })).text, "日本語\n");
});

test("a history of many megabytes is compacted", { timeout: 120_000 }, async () => {
  const text = Array.from({ length: 900 }, (_, i) => `note ${i} of the file, which says something of some length`).join("\n");
  const { canonical } = await client.projectText("notes", text, { maxTokens: 12_000 });
  const entries = Array.from({ length: 150 }, (_, i) => ({ result: canonical!, callId: `call_${i}`, turn: i + 1 }));
  const done = await client.compact(entries, { totalTokens: 20_000, protectLastTurns: 1 });
  assert.ok(done.tokensBefore > 100 * 10_000 && done.tokensAfter <= 20_000 && done.budgetMet, `${done.tokensBefore} to ${done.tokensAfter}`);
  assert.equal(done.response.plan?.results.length, 150);
  assert.ok(done.results.length > 100 && done.results.every(({ index }) => index < 149));
});

test("messages keep what JavaScript cannot have", async () => {
  const result = await client.projectText("echo", "x");
  const turn = await client.encodeTurn("anthropic", {
    calls: [{ tool: "echo", arguments: '{"n": 1.0, "id": 12345678901234567890}', id: "c" }],
    results: [{ callId: "c", result }],
  });
  assert.match(turn.messagesJson[0]!, /12345678901234567890/);
  assert.equal(turn.messages.length, 2);
});

test("without an audit log calls go without an id, and one of the caller's is rejected", async () => {
  const other = await new Sidecar("--audit=off").start();
  const plain = await connect({ address: other.address });
  const stub = plain.stubs.results as { project: typeof plain.stubs.results.project };
  const { project } = stub;
  const ids: (string | undefined)[] = [];
  stub.project = (request, options) => (ids.push(request.requestId), project(request, options));
  assert.equal((await plain.projectText("echo", "a")).receipt, "Tool output:\na");
  assert.equal((await plain.projectText("echo", "b")).receipt, "Tool output:\nb");
  assert.deepEqual([ids[0]?.length, ...ids.slice(1)], [36, "", ""]);
  const stream = plain.stream("exec_command");
  assert.match((await stream.finish({ exitStatus: 0 })).receipt, /code 0/);
  assert.match((await plain.projectText("cat", Buffer.alloc(2 << 20, "line\n"))).receipt, /line/);
  await assert.rejects(plain.projectText("echo", "a", { requestId: "mine" }), { name: "AuditDisabledError" });
  plain.close();
});

test("a killed sidecar that starts again is found again, at once", async () => {
  const other = await new Sidecar().start();
  const again = await connect({ address: other.address });
  await again.projectText("echo", "a");
  for (let i = 0; i < 3; i++) {
    await restart(other);
    const began = performance.now();
    assert.equal((await again.projectText("echo", "b")).receipt, "Tool output:\nb");
    assert.ok(performance.now() - began < 2000, "a new connection took long");
  }
  const calls = ["c", "d"].map((text) => again.projectText("echo", text)); // of many at once most would be throttled
  await restart(other);
  assert.equal((await Promise.all(calls)).length, 2);
  again.close();
});

test("a sidecar that is stopped answers by the deadline, and goes on when it is continued", async () => {
  const other = await new Sidecar().start();
  const frozen = await connect({ address: other.address });
  await frozen.info();
  await other.stop();
  await assert.rejects(frozen.info({ timeoutMs: 100 }), DeadlineError);
  const call = frozen.projectText("echo", "later");
  await sleep(100);
  other.continue();
  assert.equal((await call).receipt, "Tool output:\nlater");
  frozen.close();
});

test("close ends what runs, and a later call connects again", async () => {
  const other = await new Sidecar().start();
  const closed = await connect({ address: other.address });
  const stream = closed.stream("exec_command");
  await stream.write("half");
  await other.stop();
  const calls = [closed.projectText("echo", "a"), closed.info({ signal: new AbortController().signal }), closed.healthy()];
  await sleep(20);
  const began = performance.now();
  closed.close();
  for (const call of calls) {
    await assert.rejects(call, (error) => error instanceof ClientCancelledError && /the client was closed/.test(String(error.cause)));
  }
  await assert.rejects(stream.finish({ exitStatus: 0 }), ClientCancelledError);
  assert.ok(performance.now() - began < 4000);
  other.continue();
  assert.ok(await closed.healthy());
  await closed[Symbol.asyncDispose]();
});

/** run runs a program with the client in a process of its own. */
async function run(program: string): Promise<string> {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd,
    env: { ...process.env, ADDRESS: sidecar.address },
    timeout: 30_000, // it is killed then, and fails
  });
  return stdout.trim();
}

test("a process ends that forgets to close, and one does not while a call runs", async () => {
  assert.equal(
    await run(`import { connect } from "toolresult";
      const client = await connect({ address: process.env.ADDRESS });
      console.log((await client.projectText("echo", "hello")).receipt);`),
    "Tool output:\nhello",
  );
  assert.equal(
    await run(`import { connect } from "toolresult";
      const client = await connect({ address: process.env.ADDRESS });
      client.projectText("echo", "not awaited").then((r) => console.log(r.receipt));`),
    "Tool output:\nnot awaited",
  );
});

test("require and import in one process", async () => {
  assert.equal(
    await run(`import { createRequire } from "node:module";
      import * as esm from "toolresult";
      const cjs = createRequire(process.cwd() + "/x.js")("toolresult");
      const one = await (await esm.connect({ address: process.env.ADDRESS })).projectText("echo", "a");
      const client = await cjs.connect({ address: process.env.ADDRESS });
      console.log((await client.render(one)).text === one.receipt, (await client.compact([one], { level: "line" })).tokensBefore === one.tokens);
      await client.projectText("", "a").catch((e) => console.log(e instanceof cjs.ToolResultError, e instanceof esm.ToolResultError, e.reason));`),
    "true true\ntrue false FIELD_MISSING",
  );
});

test("each thread has its own client", async () => {
  const program = `const { workerData, parentPort } = require("node:worker_threads");
    import("toolresult").then(async ({ connect }) => {
      const client = await connect({ address: workerData });
      parentPort.postMessage((await client.projectText("echo", "from a thread")).receipt);
    });`;
  const threads = Array.from({ length: 4 }, () => new Worker(program, { eval: true, workerData: sidecar.address }));
  const receipts = await Promise.all(threads.map((thread) => new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject))));
  assert.deepEqual(receipts, Array(4).fill("Tool output:\nfrom a thread"));
});

test("the raw clients have the errors of this package, also of streams", async () => {
  const stubs: Client["stubs"] = client.stubs;
  await assert.rejects(stubs.artifacts.leaseSession({}), FieldMissingError);
  await assert.rejects(async () => {
    for await (const _ of stubs.artifacts.verifyArtifacts({ paths: ["/x".repeat(40_000)] })) {
      // there is none
    }
  }, ToolResultError);
  const away = await connect({ address: "unix:///nonexistent/s" });
  await assert.rejects(async () => {
    for await (const _ of away.stubs.artifacts.verifyArtifacts({})) {
      // there is none
    }
  }, UnavailableError);
});
