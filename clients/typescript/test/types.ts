// What is impossible by type. It is compiled and never run.

import type { Client } from "toolresult";

export async function impossible(client: Client): Promise<void> {
  await client.read("/a", { lines: [1, 2] });
  // @ts-expect-error two selections
  await client.read("/a", { lines: [1, 2], tail: 3 });
  await client.projectCommand("make", { exitStatus: null, signal: "SIGKILL", stdout: "a" });
  // @ts-expect-error output beside standard output
  await client.projectCommand("make", { output: "a", stdout: "b" });
  // @ts-expect-error no such provider
  await client.encodeTurn("claude", {});
  // @ts-expect-error no such level
  await client.compact([], { level: "tiny" });
  // @ts-expect-error no such stream
  await client.stream("exec_command").write("a", "stdin");
}
