// Runs an agent of the Vercel AI SDK, as python/drive.py does of others: drive.mjs FILE...
import { readFileSync } from "node:fs";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { withReceipts } from "./receipts.mjs";

let shown = [];
let path;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const answers = prompt
      .filter((m) => m.role === "tool")
      .flatMap((m) => m.content)
      .map((part) => part.output.value);
    shown.push(answers);
    const done = answers.length > 0;
    return {
      content: [done ? { type: "text", text: "done" } : { type: "tool-call", toolCallId: "1", toolName: "run_tests", input: "{}" }],
      finishReason: { unified: done ? "stop" : "tool-calls", raw: "" },
      usage,
      warnings: [],
    };
  },
});
const run_tests = tool({ description: "Runs the tests.", inputSchema: z.object({}), execute: async () => readFileSync(path, "utf8") });
const files = [];
for (path of process.argv.slice(2)) {
  shown = [];
  await generateText({ model, prompt: "test", tools: { run_tests: withReceipts("run_tests", run_tests) }, stopWhen: stepCountIs(5) });
  files.push(shown);
}
process.stdout.write(JSON.stringify(files) + "\n", () => process.exit(0));
