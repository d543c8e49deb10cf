// Sessions of agent loops, against the real sidecar.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BudgetTooSmallError, FieldMissingError, connect } from "toolresult";
import type { Message, Output, SessionOptions, ToolCall } from "toolresult";
import { Provider } from "toolresult/v1";
import { run, script } from "../examples/agent-loop.js";
import { Sidecar } from "./sidecar.js";

const sidecar = await new Sidecar().start();
const client = await connect({ address: sidecar.address });

let count = 0;
/** open returns a session of its own, by default without budgets. */
function open(options: SessionOptions = {}) {
  const without = { turnTokens: Number.POSITIVE_INFINITY, historyTokens: Number.POSITIVE_INFINITY };
  return client.session(`session-${++count}`, { provider: "anthropic", ...without, ...options });
}

/** call returns a call of a tool. */
function call(id: string, tool = "exec_command", args: object = {}): ToolCall {
  return { tool, arguments: args, id };
}

const log = (name: string, lines = 2000) => Array.from({ length: lines }, (_, i) => `${name} line ${i} of the log that it wrote`).join("\n");

/** lint returns what the provider would reject. */
async function lint(json: string, provider = Provider.ANTHROPIC_MESSAGES): Promise<unknown[]> {
  return (await client.stubs.transport.lintTranscript({ provider, transcriptJson: json })).findings;
}

test("a conversation is valid messages of the provider", async () => {
  const session = open({ turnTokens: 2000 });
  await session.user("Look around.");
  const made = await session.turn(
    { content: "I look.", calls: [call("toolu_1", "exec_command", { command: "ls" }), call("toolu_2", "fetch"), call("toolu_3", "nothing"), call("toolu_4", "list")] },
    [
      { commandLine: "ls", exitStatus: 0, stdout: "a.go\n", stderr: "" },
      { kind: "timeout_error", message: "no answer" },
      undefined,
      { complete: { toolName: "list", result: { case: "text", value: { content: { source: { case: "inline", value: Buffer.from("x\n") } } } } } },
    ],
    { notices: ["one turn is left"] },
  );
  await session.turn({ content: "Nothing here." });
  assert.deepEqual(
    session.messages.map((message) => message["role"]),
    ["user", "assistant", "user", "assistant"],
  );
  assert.deepEqual(await lint(session.messagesJson), []);
  assert.deepEqual(JSON.parse(session.messagesJson), session.messages);
  assert.equal(made.results[0]?.receipt, "Process exited with code 0\nstdout:\na.go");
  assert.equal(made.results[1]?.failed, true);
  assert.equal(made.results[2], undefined);
  assert.deepEqual(made.changes.map(({ change, call }) => [change, call]), [["TURN_CHANGE_UNANSWERED", 2]]);
  assert.equal(session.tokens, made.results.reduce((sum, result) => sum + (result?.tokens ?? 0), 0));
  const owned = await client.stubs.artifacts.listArtifacts({ sessionId: session.id });
  assert.ok(Array.isArray(owned.artifacts));
});

test("the receipts of parallel calls share the budget of the turn", async () => {
  const session = open({ turnTokens: 600 });
  const calls = ["a", "b", "c"].map((id) => call(id));
  const outputs: Output[] = [log("a"), { text: log("b") }, "short\n"];
  const { results } = await session.turn({ calls }, outputs);
  const tokens = results.map((result) => result?.tokens ?? 0);
  assert.ok(tokens[0]! + tokens[1]! + tokens[2]! <= 600, String(tokens));
  assert.ok(tokens[0]! > 150 && tokens[1]! > 150, String(tokens));
  assert.equal(results[2]?.receipt, "Tool output:\nshort");
  const alone = await open().turn({ calls }, outputs);
  assert.ok(alone.results.reduce((sum, result) => sum + (result?.tokens ?? 0), 0) > 600);
});

test("calls are answered one after the other, within what the turn has left, and then its messages are made", async () => {
  const session = open({ turnTokens: 1000 });
  await session.user("Work.");
  await session.user("Please.");
  await session.assistant({ content: "So.", calls: ["a", "b", "c", "d", "e"].map((id) => call(id)) });
  assert.throws(() => session.messages, /no answer yet: a, b, c, d, e/);
  await assert.rejects(session.assistant({ content: "And?" }), /no answer yet/);
  assert.throws(() => session.add({ role: "user" }), /no answer yet/);
  const [a, b, c] = await Promise.all([
    session.projectText("exec_command", log("a"), { callId: "a" }),
    session.projectCommand("make", { exitStatus: 2, output: log("b") }, { callId: "b" }),
    session.projectError("exec_command", "tool_execution_failed", "no", { callId: "c" }),
  ]);
  await assert.rejects(session.projectText("exec_command", "twice", { callId: "a" }), RangeError);
  await assert.rejects(session.answer("nobody", "x"), RangeError);
  await session.answer("d", "The user did not allow it.", { error: true });
  assert.throws(() => session.messages, /no answer yet: e/);
  const [e] = await session.projectTurn([["e", log("e")]]);
  assert.ok(a.tokens <= 200, `${a.tokens}: the first of five has a fifth`);
  assert.ok(b.tokens <= (1000 - a.tokens) / 4, `${b.tokens}: the second has a fourth of what is left`);
  assert.ok(e!.tokens > 400, `${e!.tokens}: the last one has what is left`);
  assert.ok(session.tokens === a.tokens + b.tokens + c.tokens + e!.tokens && session.tokens <= 1000, String(session.tokens));
  await session.notice("one turn is left");
  assert.deepEqual(
    session.messages.map((message) => message["role"]),
    ["user", "assistant", "user"],
  );
  assert.match(session.messagesJson, /Work\.\\n\\nPlease\.[^]*did not allow it[^]*one turn is left/);
  assert.deepEqual(await lint(session.messagesJson), []);
  await session.user("Go on.");
  assert.equal(session.messages.length, 3);
  await session.assistant({ content: "Done." });
  await session.user("Thanks.");
  assert.equal(session.messages.length, 5);
  assert.deepEqual(await lint(session.messagesJson), []);
});

test("a run that was interrupted ends its turn", async () => {
  const session = open();
  await session.assistant({ calls: [call("a"), call("b")] });
  await session.projectText("exec_command", "done\n", { callId: "a" });
  await session.endTurn();
  assert.match(session.messagesJson, /no result\. The run was interrupted/);
  await session.projectText("exec_command", "late\n", { callId: "b" });
  assert.match(session.messagesJson, /late/);
  assert.equal(session.messages.length, 2);
  const alone = await session.projectText("exec_command", "of no call");
  assert.equal(alone.receipt, "Tool output:\nof no call");
  const opened = open({ opening: [{ role: "user", content: "Hello." }] });
  await assert.rejects(opened.notice("x"), /no turn of the model/);
  assert.equal(opened.messages.length, 1);
});

test("messages that could not be made are made by endTurn", async () => {
  const session = open();
  await session.user("Work.");
  await assert.rejects(session.assistant({ content: "No." }, { signal: AbortSignal.abort() }));
  assert.throws(() => session.messages, /call endTurn/);
  await session.endTurn();
  assert.equal(session.messages.length, 2);
});

test("large outputs of a turn are sent as streams, within the budget", { timeout: 60_000 }, async () => {
  const session = open({ turnTokens: 900 });
  const { results } = await session.turn({ calls: ["a", "b", "c"].map((id) => call(id)) }, [log("a", 60_000), log("b", 60_000), log("c", 100)]);
  const tokens = results.map((result) => result?.tokens ?? 0);
  assert.ok(tokens.reduce((a, b) => a + b) <= 900, String(tokens));
  assert.ok(tokens.every((n) => n > 100), String(tokens));
});

test("a turn that cannot fit its budget gets what it needs", async () => {
  const session = open({ turnTokens: 16 });
  const { results } = await session.turn({ calls: [call("a"), call("b")] }, [log("a"), { commandLine: "make", exitStatus: 2, output: log("b") }]);
  assert.match(results[1]?.receipt ?? "", /code 2/);
  await assert.rejects(client.projectTurn([{ output: { toolName: "t", result: { case: "text", value: {} } } }, {}], 16));
  await assert.rejects(client.projectText("t", log("a"), { maxTokens: 16 }), BudgetTooSmallError);
});

test("the model reads the rest, and the session answers it", async () => {
  const session = open({ readResult: true, policy: { render: { budget: { maxTokens: 200 } } } });
  const { results } = await session.turn({ calls: [call("a")] }, [log("a")]);
  const [, name] = /read_result\(result="([^"]+)"/.exec(results[0]?.receipt ?? "") ?? [];
  const read = await session.turn({ calls: [call("b", "read_result", { result: name, lines: "7-7" })] });
  assert.match(read.results[0]?.receipt ?? "", /a line 6 of the log/);
  const [definition] = await session.toolDefinitions();
  assert.deepEqual([definition?.name, definition?.definition["name"]], ["read_result", "read_result"]);
  const other = await open().turn({ calls: [call("b", "read_result", { result: name })] });
  assert.equal(other.results[0]?.failed, true);
  const tail = call("c", "read_result", { result: name, tail: 1 });
  await session.assistant({ calls: [tail] });
  assert.match((await session.callTool(tail)).receipt, /a line 1999/);
  assert.equal(session.messages.length, 6);
  const small = open({ turnTokens: 100, readResult: true });
  const first = await small.turn({ calls: [call("a")] }, [log("a")]);
  const [, path] = /read_result\(result="([^"]+)"/.exec(first.results[0]?.receipt ?? "") ?? [];
  const page = await small.turn({ calls: [call("b", "read_result", { result: path })] });
  assert.ok(page.results[0]!.tokens <= 100, String(page.results[0]!.tokens));
});

test("a history over its limit is compacted, and what does not change stays byte for byte", { timeout: 60_000 }, async () => {
  const session = open({ historyTokens: 6000, turnTokens: 2000, policy: { render: { budget: { maxTokens: 1000 } } } });
  await session.user("Work.");
  let compacted = 0;
  for (let i = 0; i < 16; i++) {
    const before = JSON.parse(session.messagesJson) as Message[];
    const { compaction } = await session.turn({ content: `Step ${i}.`, calls: [call(`toolu_${i}`, "exec_command", { i })] }, [log(`run ${i}`)]);
    assert.ok(session.tokens <= 6000, `${session.tokens} tokens after step ${i}`);
    const after = session.messages;
    assert.equal(after.length, before.length + 2);
    if (compaction === undefined) {
      assert.deepEqual(after.slice(0, before.length), before);
    } else {
      compacted++;
      assert.ok(compaction.budgetMet && session.tokens === compaction.tokensAfter, `${session.tokens}, ${compaction.tokensAfter}`);
      assert.ok(compaction.response.plan!.cachedTokensInvalidated > 0n, "what was sent before is in the cache of the provider");
      const first = compaction.firstChanged!; // the result of turn i is in message 2 + 2i
      assert.deepEqual(after.slice(0, 2 + 2 * first), before.slice(0, 2 + 2 * first));
      assert.notDeepEqual(after[2 + 2 * first], before[2 + 2 * first]);
      assert.deepEqual(after.slice(-3, -2), before.slice(-1)); // two turns are protected
    }
    assert.deepEqual(await lint(session.messagesJson), []);
  }
  assert.ok(compacted >= 2 && compacted < 8, `it was compacted ${compacted} times`);
});

test("a turn that fails adds nothing, and can be made again", async () => {
  const session = open({ turnTokens: 1000 });
  await session.user("Work.");
  const answer = { calls: [{ tool: "", arguments: {}, id: "a" }] };
  await assert.rejects(session.turn(answer, ["x"]), FieldMissingError);
  await assert.rejects(session.turn({ calls: [] }, ["x"]), RangeError);
  assert.equal(session.messages.length, 1);
  await session.turn({ calls: [call("a")] }, ["x"]);
  assert.equal(session.messages.length, 3);
});

test("a signal of an earlier turn does not end what is encoded again", async () => {
  const session = open({ historyTokens: 3000, policy: { render: { budget: { maxTokens: 1000 } } }, protectLastTurns: 1 });
  const controller = new AbortController();
  for (let i = 0; i < 6; i++) {
    await session.turn({ calls: [call(`c${i}`)] }, [log(`run ${i}`)], i < 3 ? { signal: controller.signal } : {});
    if (i === 2) {
      controller.abort();
    }
  }
  assert.equal(session.messages.length, 12);
});

test("every provider takes the turns", async () => {
  for (const provider of ["chat", "openai-chat", "openai-responses", "gemini", "bedrock", "mistral", "ollama"] as const) {
    const session = open({ provider });
    await session.user("Work.");
    const id = provider === "mistral" ? "abcdefghi" : "call_1";
    await session.turn({ content: "So.", calls: [call(id)] }, ["done\n"]);
    assert.ok(session.messages.length >= 3, provider);
    assert.match(session.messagesJson, /Tool output/);
  }
});

test("calls without ids are answered by their places", async () => {
  const session = open({ provider: "gemini" });
  await session.turn({ calls: [{ tool: "a", arguments: {} }, { tool: "b", arguments: {} }] }, ["one\n", "two\n"]);
  const texts = session.messagesJson;
  assert.ok(texts.indexOf("one") < texts.indexOf("two"));
  await assert.rejects(session.turn({ calls: [{ tool: "a", arguments: {} }, { tool: "b", arguments: {} }] }, [undefined, "two\n"]), RangeError);
});

test("messages of the caller are kept as they are", async () => {
  const session = open({ provider: "openai-chat", opening: [{ role: "system", content: "You are short." }] });
  await session.user("Hello.");
  session.add({ role: "developer", content: "Be shorter." });
  assert.deepEqual(
    session.messages.map((message) => message["role"]),
    ["system", "user", "developer"],
  );
  session.messages.pop();
  assert.equal(session.messages.length, 3);
});

test("a session without a provider projects alone, and has a budget", async () => {
  const session = client.session("alone");
  const result = await session.projectText("cat", log("a", 20_000), { callId: "any", session: "another", policy: { render: { budget: { maxTokens: 50_000 } } } });
  assert.ok(result.tokens <= 8000 && result.tokens > 4000, String(result.tokens));
  const owned = await client.stubs.artifacts.listArtifacts({ sessionId: "alone", callId: "any" });
  assert.equal(owned.artifacts.length, 1);
  await assert.rejects(session.turn({ content: "x" }), TypeError);
  await assert.rejects(session.user("x"), TypeError);
  await assert.rejects(session.toolDefinitions(), TypeError);
  assert.deepEqual(session.messages, []);
});

test("the policy of a call is before that of the session, member by member", async () => {
  const session = open({ readResult: true, policy: { render: { budget: { maxTokens: 300 } } } });
  const alone = await session.projectText("cat", log("a"), { policy: { render: { budget: { maxLines: 12 } } } });
  assert.match(alone.receipt, /read_result\(result="/);
  assert.ok(alone.tokens <= 300 && alone.receipt.split("\n").length <= 12, alone.receipt);
  const stream = session.stream("cat", { family: "text", policy: undefined });
  await stream.write(log("b"));
  const streamed = await stream.finish();
  assert.match(streamed.receipt, /read_result\(result="/);
  assert.ok(streamed.tokens <= 300);
});

test("the example of an agent loop", async () => {
  const seen: Message[][] = [];
  const model = script(
    { content: "I build it.", calls: [call("toolu_1", "exec_command", { command: "seq 1 20000; echo 'main.go:7:2: undefined: x'; seq 1 20000; exit 2" })] },
    { content: "And more.", calls: [call("toolu_2", "exec_command", { command: "echo fine" }), call("toolu_3", "deploy")] },
    { content: "It does not know x.", calls: [] },
  );
  const said = await run(client, async (messages, tools) => {
    assert.deepEqual(tools.map((tool) => tool["name"]), ["exec_command", "read_result"]);
    seen.push(messages);
    return await model(messages, tools);
  }, "Why does the build fail?");
  assert.equal(said, "It does not know x.");
  assert.equal(seen.length, 3);
  assert.match(JSON.stringify(seen[1]), /undefined: x/);
  assert.ok(JSON.stringify(seen[1]).length < 30_000);
  assert.match(JSON.stringify(seen[2]), /unknown_tool/);
  assert.deepEqual(await lint(JSON.stringify(seen[2])), []);
});

/** focuses returns what was looked for in the results of a session, the oldest first. */
async function focuses(sessionId: string): Promise<(string | undefined)[]> {
  const { records } = await client.stubs.audit.listRecords({ sessionId, pageSize: 100 });
  const whole = await Promise.all(records.map(({ sequence }) => client.stubs.audit.getRecord({ sequence })));
  return whole.flatMap(({ record }) => (record?.method.includes("/Project") ? [record.policy?.focus] : [])).reverse();
}

test("a session says what the agent looks for", async () => {
  const session = open({ task: "fix the parser", policy: { segments: true } });
  await session.user("Why does it fail?");
  await session.assistant({ content: "I look for parse_args.", calls: [call("a"), call("b"), call("c"), call("d")] });
  await session.projectText("search", "one\n", { callId: "a" });
  await session.projectText("search", "two\n", { callId: "b", focus: "own" });
  session.task = "";
  await session.projectText("search", "three\n", { callId: "c", policy: { focus: "of the policy" } });
  session.task = "\ud800" + "\u6f22".repeat(4000);
  await session.projectText("search", "four\n", { callId: "d", focus: "last" });
  const got = await focuses(session.id);
  assert.deepEqual(got.slice(0, 3), ["fix the parser\nI look for parse_args.", "fix the parser\nown", "Why does it fail?\nof the policy"]);
  const cut = got[3] ?? "";
  assert.ok(cut.startsWith("\ufffd\u6f22") && cut.endsWith("\u6f22\nlast") && Buffer.byteLength(cut) > 8188 && Buffer.byteLength(cut) <= 8192, cut);
  await client.projectText("search", "x\n", { session: "session-focus", focus: "parse_args" });
  assert.deepEqual(await focuses("session-focus"), ["parse_args"]);
});
