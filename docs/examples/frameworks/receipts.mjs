// Vercel AI SDK: what a tool shows to the model. Without a sidecar, or with one that is stopped, the answer stays as it is.
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const proto = loadSync("toolresult/v1/service.proto", { keepCase: true, includeDirs: [process.env.TOOLRESULT_PROTO] });
const { ToolResultService } = grpc.loadPackageDefinition(proto).toolresult.v1;
// What `toolresult ensure` prints; without it, where nobody answers.
const client = new ToolResultService(process.env.TOOLRESULT_ADDRESS ?? "unix:///dev/null", grpc.credentials.createInsecure());
const short = 4096; // bytes: what is no longer stays as it is

export function receipt(tool, answer) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  if (text === undefined || text.length <= short) return Promise.resolve(text ?? "");
  const output = { tool_name: tool, text: { content: { inline: Buffer.from(text) } } };
  return new Promise((resolve) =>
    client.Project({ output }, { deadline: Date.now() + 1000 }, (err, got) => resolve(err ? text : got.receipt.text)),
  );
}

// withReceipts returns a tool that shows receipts; its output stays what it was for the program.
export const withReceipts = (name, tool) => ({
  ...tool,
  toModelOutput: async ({ output }) => ({ type: "text", value: await receipt(name, output) }),
});
