// How the sidecar of this user is found, and whom a client does not call.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { NoSidecarError, UnavailableError, connect } from "toolresult";
import { find } from "../dist/esm/discovery.js";
import { binary, shortDir } from "./sidecar.js";

/** listen listens at a path, in a directory of mode 0700. */
async function listen(path: string): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const server = createServer((connection) => connection.destroy());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  after(() => server.close());
  return server;
}

/** runtime returns a runtime directory, and the variables that name it. */
function runtime(): { dir: string; env: Record<string, string> } {
  const home = shortDir();
  const dir = join(home, "toolresult");
  mkdirSync(dir, { mode: 0o700 });
  return { dir, env: { XDG_RUNTIME_DIR: home, PATH: process.env["PATH"] ?? "", HOME: home, TOOLRESULT_VOLATILE: "true" } };
}

/** writeAddress writes an address file. */
function writeAddress(path: string, address: unknown): void {
  writeFileSync(path, JSON.stringify({ address, pid: 1, later: {} }), { mode: 0o600 });
}

test("the order of the places", async () => {
  const { dir, env } = runtime();
  const [standard, named, filed] = [join(dir, "toolresult.sock"), join(dir, "named"), join(dir, "filed")];
  await Promise.all([listen(standard), listen(named), listen(filed)]);
  assert.equal(await find({ start: false, env }), `unix://${standard}`);
  writeAddress(join(dir, "address"), `unix://${filed}`);
  assert.equal(await find({ start: false, env }), `unix://${filed}`);
  assert.equal(await find({ start: false, env: { ...env, TOOLRESULT_SOCKET: named } }), `unix://${named}`);
  const both = { ...env, TOOLRESULT_SOCKET: named, TOOLRESULT_ADDRESS_FILE: join(dir, "address") };
  assert.equal(await find({ start: false, env: both }), `unix://${filed}`);
  assert.equal(await find({ start: false, env: { ...both, TOOLRESULT_ADDRESS: "127.0.0.1:1" } }), "127.0.0.1:1");
  await assert.rejects(find({ start: true, env: { ...both, TOOLRESULT_ADDRESS: "/s" } }), /write unix:\/\/\/s/);
});

test("a relative XDG_RUNTIME_DIR counts as unset", async () => {
  const temporary = shortDir();
  const socket = join(temporary, `toolresult-${process.getuid?.()}`, "toolresult.sock");
  await listen(socket);
  assert.equal(await find({ start: false, env: { XDG_RUNTIME_DIR: "run", TMPDIR: temporary } }), `unix://${socket}`);
});

test("an address file that another user could have written is passed over", async () => {
  const { dir, env } = runtime();
  const file = join(dir, "address");
  await listen(join(dir, "filed"));
  const rejected = async (why: RegExp) =>
    await assert.rejects(find({ start: false, env }), (error) => error instanceof NoSidecarError && why.test(error.message));
  writeAddress(file, `unix://${join(dir, "filed")}`);
  chmodSync(file, 0o620);
  await rejected(/mode 0620, which lets other users write/);
  chmodSync(file, 0o600);
  chmodSync(dir, 0o770);
  await rejected(/mode 0770, which lets other users write/);
  chmodSync(dir, 0o700);
  if (process.getuid?.() === 0) {
    chownSync(file, 12345, 0);
    await rejected(/belongs to another user/);
    chownSync(file, 0, 0);
  }
  for (const address of [`unix:/${dir}/filed`, "unix://filed", "127.0.0.1:80", `unix://${dir}/a\nb`, 7, undefined]) {
    writeAddress(file, address);
    await rejected(/which is not unix:\/\/\/PATH/);
  }
  for (const text of ["", "[]", "null", "{"]) {
    writeFileSync(file, text);
    await rejected(/address file/);
  }
});

test("a link and a pipe are no address files", async () => {
  const { dir, env } = runtime();
  await listen(join(dir, "filed"));
  writeAddress(join(dir, "real"), `unix://${join(dir, "filed")}`);
  symlinkSync(join(dir, "real"), join(dir, "address"));
  await assert.rejects(find({ start: false, env }), NoSidecarError);
  const pipe = join(dir, "pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  await assert.rejects(find({ start: false, env: { ...env, TOOLRESULT_ADDRESS_FILE: pipe } }), /is no file/);
});

test("a socket that another user could have made is passed over, but for one that was named", async () => {
  const { dir, env } = runtime();
  const socket = join(dir, "toolresult.sock");
  await listen(socket);
  for (const mode of [0o710, 0o701, 0o755]) {
    chmodSync(dir, mode);
    await assert.rejects(find({ start: false, env }), /which lets other users in/);
  }
  assert.equal(await find({ start: false, env: { TOOLRESULT_SOCKET: socket } }), `unix://${socket}`);
  chmodSync(dir, 0o700);
  if (process.getuid?.() === 0) {
    chownSync(socket, 12345, 0);
    await assert.rejects(find({ start: false, env }), /belongs to another user/);
    chownSync(socket, 0, 0);
    chownSync(dir, 12345, 0);
    await assert.rejects(find({ start: false, env }), /belongs to another user/);
  }
});

test("what is no socket, and what nobody listens at", async () => {
  const { dir, env } = runtime();
  writeFileSync(join(dir, "toolresult.sock"), "");
  await assert.rejects(find({ start: false, env }), /is no socket/);
  for (const socket of [join(dir, "toolresult.sock", "below"), join(dir, "none")]) {
    await assert.rejects(find({ start: false, env: { TOOLRESULT_SOCKET: socket } }), { message: "no sidecar runs", name: "NoSidecarError" });
  }
});

test("a sidecar whose queue of connections is full is no missing one", async () => {
  const { dir, env } = runtime();
  const socket = join(dir, "toolresult.sock");
  const script = `import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(0); print(flush=True)
c = [socket.socket(socket.AF_UNIX) for _ in range(8)]
for k in c:
    k.setblocking(False)
    try: k.connect(sys.argv[1])
    except BlockingIOError: pass
print(flush=True); time.sleep(30)`;
  const child = execFile("python3", ["-c", script, socket]);
  after(() => child.kill());
  let lines = 0;
  for await (const chunk of child.stdout as AsyncIterable<string>) {
    lines += chunk.split("\n").length - 1;
    if (lines >= 2) {
      break;
    }
  }
  await assert.rejects(find({ start: true, env }), (error) => error instanceof UnavailableError && !(error instanceof NoSidecarError));
});

test("ensure starts a sidecar, which outlives the signals to this process", async () => {
  const { dir, env } = runtime();
  const address = await find({ start: true, env: { ...env, TOOLRESULT_BINARY: binary } });
  assert.equal(address, `unix://${join(dir, "toolresult.sock")}`);
  const { pid } = JSON.parse(readFileSync(join(dir, "address"), "utf8")) as { pid: number };
  after(() => process.kill(pid, "SIGKILL"));
  assert.equal(await find({ start: false, env }), address);
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const session = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
  const own = readFileSync("/proc/self/stat", "utf8");
  assert.notEqual(session, Number(own.slice(own.lastIndexOf(")") + 2).split(" ")[3]));
  const client = await connect({ address });
  assert.ok(await client.healthy());
  client.close();
});

test("why ensure failed", async () => {
  const { dir, env } = runtime();
  const program = join(dir, "ensure");
  writeFileSync(program, '#!/bin/sh\necho "$@: no" >&2\nexit 125\n', { mode: 0o700 });
  const failed = { ...env, TOOLRESULT_BINARY: program };
  await assert.rejects(find({ start: true, env: failed }), { name: "UnavailableError", message: "start a sidecar: ensure: no" });
  await assert.rejects(find({ start: true, env: { ...env, TOOLRESULT_BINARY: join(dir, "none") } }), NoSidecarError);
  await assert.rejects(find({ start: true, env: { ...env, PATH: dir } }), NoSidecarError);
  const slow = join(dir, "slow");
  writeFileSync(slow, "#!/bin/sh\nexec sleep 30\n", { mode: 0o700 });
  await assert.rejects(find({ start: true, env: { ...env, TOOLRESULT_BINARY: slow }, signal: AbortSignal.timeout(50) }));
});

test("with a configuration file the command is asked, and not where an address is set", async () => {
  const { dir, env } = runtime();
  await listen(join(dir, "toolresult.sock"));
  const program = join(dir, "ensure");
  writeFileSync(program, "#!/bin/sh\necho unix:///of/the/command\n", { mode: 0o700 });
  const config = { ...env, TOOLRESULT_CONFIG: "/c.yaml", TOOLRESULT_BINARY: program };
  assert.equal(await find({ start: true, env: config }), "unix:///of/the/command");
  assert.equal(await find({ start: false, env: config }), `unix://${join(dir, "toolresult.sock")}`);
  assert.equal(await find({ start: true, env: { ...config, TOOLRESULT_ADDRESS: "[::1]:9" } }), "[::1]:9");
});
