// Vercel AI SDK: what a tool shows to the model. Without a sidecar, or with one that is stopped, the answer stays as it is.
import { connect, ToolResultError } from "toolresult";

const short = 4096; // bytes: what is no longer stays as it is
let client; // of the sidecar, once it is found

export async function receipt(tool, answer) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  if (text === undefined || text.length <= short) return text ?? "";
  try {
    client ??= await connect({ timeoutMs: 1000 });
    return (await client.projectText(tool, text)).receipt;
  } catch (error) {
    if (error instanceof ToolResultError) return text;
    throw error;
  }
}

// withReceipts returns a tool that shows receipts; its output stays what it was for the program.
export const withReceipts = (name, tool) => ({
  ...tool,
  toModelOutput: async ({ output }) => ({ type: "text", value: await receipt(name, output) }),
});
