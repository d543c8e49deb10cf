// Deadlines and retries: the service config, followed on a real connection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DeadlineError, UnavailableError, connect, serviceConfig } from "toolresult";
import { ToolResultService } from "toolresult/v1";
import type { Throttle as ThrottleType } from "../dist/esm/retry.js";
import { Throttle, configOf } from "../dist/esm/retry.js";
import { Health } from "../dist/esm/grpc.js";
import { Fake, message, status } from "./fake.js";

test("the entry of a method is before that of its service", () => {
  assert.equal(configOf(serviceConfig, ToolResultService.method.project)?.timeout, "30s");
  assert.equal(configOf(serviceConfig, ToolResultService.method.compact)?.timeout, "300s");
  assert.equal(configOf(serviceConfig, Health.method.check)?.timeout, "5s");
  assert.equal(configOf(serviceConfig, ToolResultService.method.projectStream)?.timeout, undefined);
  assert.equal(configOf(serviceConfig, Health.method.watch), undefined);
});

test("a call is repeated with growing pauses until it is served", async () => {
  const fake = await new Fake((stream, _, attempt) => (attempt < 4 ? status(stream, 14, "away") : message(stream))).listen();
  const client = await connect({ address: fake.address });
  const began = performance.now();
  await client.info();
  const took = performance.now() - began;
  assert.ok(took > 0.8 * 700 - 5, `it took ${took} ms`);
  assert.deepEqual(
    fake.requests.map((headers) => headers["grpc-previous-rpc-attempts"]),
    [undefined, "1", "2", "3"],
  );
  client.close();
});

test("a request id stays the same when a call is repeated", async () => {
  const bodies: Buffer[] = [];
  const fake = await new Fake((stream, _, attempt) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      bodies.push(Buffer.concat(chunks));
      attempt < 2 ? status(stream, 14, "away") : message(stream);
    });
  }).listen();
  const client = await connect({ address: fake.address });
  await client.projectText("echo", "x");
  await client.projectText("echo", "x");
  assert.equal(bodies.length, 3);
  assert.deepEqual(bodies[0], bodies[1]);
  assert.notDeepEqual(bodies[1], bodies[2]);
  client.close();
});

test("the server says when, and when never", async () => {
  const soon = await new Fake((stream, _, attempt) =>
    attempt < 5 ? status(stream, 8, "busy", { "grpc-retry-pushback-ms": "1" }) : message(stream),
  ).listen();
  const client = await connect({ address: soon.address });
  const began = performance.now();
  await client.info();
  assert.ok(performance.now() - began < 1000); // by the policy it would be 1,200 ms at least
  client.close();
  for (const pushback of ["-1", "soon", ""]) {
    const never = await new Fake((stream) => status(stream, 14, "never", { "grpc-retry-pushback-ms": pushback })).listen();
    const other = await connect({ address: never.address });
    await assert.rejects(other.info(), UnavailableError);
    assert.equal(never.requests.length, 1);
    other.close();
  }
});

test("statuses that are no passing trouble, and methods without a policy, are not repeated", async () => {
  const fake = await new Fake((stream) => status(stream, 13, "internal")).listen();
  const client = await connect({ address: fake.address });
  await assert.rejects(client.info());
  assert.equal(fake.requests.length, 1);
  const away = await new Fake((stream) => status(stream, 14, "away")).listen();
  const other = await connect({ address: away.address });
  await assert.rejects(other.healthy());
  const stream = other.stream("exec_command");
  await assert.rejects(stream.finish({ exitStatus: 0 }), UnavailableError);
  assert.equal(away.requests.length, 2);
  client.close();
  other.close();
});

test("a call fails in two seconds, and many fail at once soon", async () => {
  const client = await connect({ address: "unix:///nonexistent/s" });
  const took: number[] = [];
  for (let i = 0; i < 4; i++) {
    const began = performance.now();
    await assert.rejects(client.info(), UnavailableError);
    took.push(performance.now() - began);
  }
  assert.ok(took[0]! > 1195 && took[0]! < 4000, `the first took ${took[0]} ms`);
  assert.ok(took[3]! < 500, `the fourth took ${took[3]} ms`);
});

test("a call that the sidecar did not look at is made again, also one without a policy", async () => {
  const fake = await new Fake((stream, _, attempt) => (attempt < 5 ? stream.close(7) : message(stream))).listen();
  const client = await connect({ address: fake.address });
  await client.healthy();
  assert.equal(fake.requests.length, 5);
  assert.ok(fake.requests.every((headers) => headers["grpc-previous-rpc-attempts"] === undefined));
  const never = await new Fake((stream) => stream.close(7)).listen();
  const other = await connect({ address: never.address });
  await assert.rejects(other.healthy(), UnavailableError);
  assert.equal(never.requests.length, 7);
  client.close();
  other.close();
});

test("what throttles is refilled by calls that are served", () => {
  const throttle: ThrottleType = new Throttle({ maxTokens: 4, tokenRatio: 1 });
  assert.deepEqual([throttle.failed(), throttle.failed(), throttle.failed()], [true, false, false]);
  for (let i = 0; i < 9; i++) {
    throttle.succeeded();
  }
  assert.deepEqual([throttle.failed(), throttle.failed()], [true, false]);
  const none = new Throttle();
  assert.ok(Array.from({ length: 100 }, () => none.failed()).every(Boolean));
});

test("all attempts share the deadline", async () => {
  const fake = await new Fake((stream) => status(stream, 14, "away")).listen();
  const client = await connect({ address: fake.address, timeoutMs: 1000 });
  await assert.rejects(client.info(), (error) => error instanceof DeadlineError && error.cause instanceof UnavailableError);
  const times = fake.requests.map((headers) => Number.parseInt(String(headers["grpc-timeout"]), 10));
  assert.ok(times.length > 1 && times.length < 5, String(times)); // the fifth would be after 1,200 ms at least
  assert.ok(times.every((time, i) => time > 0 && time <= (times[i - 1] ?? 1001) - 1), String(times));
  const made = fake.requests.length;
  await assert.rejects(client.info({ timeoutMs: 0.001 }), DeadlineError);
  await assert.rejects(client.info({ timeoutMs: -5 }), DeadlineError);
  assert.equal(fake.requests.length, made);
  client.close();
});

test("times that gRPC cannot send are cut", async () => {
  const fake = await new Fake((stream) => message(stream)).listen();
  const client = await connect({ address: fake.address });
  await client.info({ timeoutMs: 1e12 });
  await client.info({ timeoutMs: Number.POSITIVE_INFINITY });
  await client.info({ timeoutMs: 1500.7 });
  await client.info();
  const times = fake.requests.map((headers) => /^(\d{1,8})m$/.exec(String(headers["grpc-timeout"]))?.[1]);
  assert.deepEqual(times.slice(0, 2), ["99999999", "99999999"]);
  assert.ok([1501, 30_000].every((ms, i) => Number(times[i + 2]) <= ms && Number(times[i + 2]) > ms - 100), String(times));
  client.close();
});

test("a wait between attempts ends with its caller", async () => {
  const fake = await new Fake((stream) => status(stream, 14, "away", { "grpc-retry-pushback-ms": "60000" })).listen();
  const client = await connect({ address: fake.address });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 30);
  await assert.rejects(client.info({ signal: controller.signal }), { name: "ClientCancelledError" });
  client.close();
});
