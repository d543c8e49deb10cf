// An agent loop: a model is asked, its calls are made, and receipts of their results go back, within budgets. The model of this example is
// a script; put the client of your provider in its place. Run it with: node agent-loop.js
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { connect } from "toolresult";
import type { Client, Message, Output, ToolCall } from "toolresult";

/** Model answers messages, and may call tools. */
export type Model = (messages: Message[], tools: Message[]) => Promise<{ content: string; calls: ToolCall[] }>;

/** shell is the tool of this agent, as the provider has it. */
const shell = {
  name: "exec_command",
  description: "Runs a command in a shell.",
  input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

/** run asks the model until it calls nothing more, and returns what it says then. */
export async function run(client: Client, model: Model, task: string): Promise<string> {
  const budgets = { turnTokens: 8000, historyTokens: 40_000 };
  const session = client.session(randomUUID(), { provider: "anthropic", ...budgets, readResult: true });
  const tools = [shell, ...(await session.toolDefinitions()).map((tool) => tool.definition)];
  await session.user(task);
  for (;;) {
    const answer = await model(session.messages, tools);
    const outputs = await Promise.all(answer.calls.map(execute));
    await session.turn(answer, outputs);
    if (answer.calls.length === 0) {
      return answer.content;
    }
  }
}

/** execute makes a call. Those of read_result have no output: the session executes them. */
async function execute(call: ToolCall): Promise<Output | undefined> {
  switch (call.tool) {
    case "read_result":
      return undefined;
    case "exec_command":
      return await command((call.arguments as { command: string }).command);
    default:
      return { kind: "unknown_tool", message: `there is no tool ${call.tool}` };
  }
}

/** command runs a command line, and returns all that it printed, in order. */
function command(commandLine: string): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", `exec 2>&1; ${commandLine}`], { stdio: ["ignore", "pipe", "ignore"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (exitStatus, signal) => resolve({ commandLine, exitStatus, signal, output: Buffer.concat(chunks) }));
  });
}

/** script is a model that always says the same. */
export function script(...answers: { content: string; calls: ToolCall[] }[]): Model {
  return async () => answers.shift() ?? { content: "I have nothing more to say.", calls: [] };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await using client = await connect({ start: true });
  const lines = "seq 1 20000; echo 'main.go:7:2: undefined: x'; seq 20001 40000; exit 2";
  const model = script(
    { content: "I build it.", calls: [{ tool: "exec_command", arguments: { command: lines }, id: "toolu_1" }] },
    { content: "main.go does not know x.", calls: [] },
  );
  const logged: Model = async (messages, tools) => (console.log(JSON.stringify(messages.at(-1), null, 2)), await model(messages, tools));
  console.log(await run(client, logged, "Why does the build fail?"));
}
