// How the sidecar of this user is found: docs/discovery.md.

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import type { Stats } from "node:fs";
import { connect } from "node:net";
import { dirname, isAbsolute, join } from "node:path";
import { NoSidecarError, UnavailableError } from "./errors.js";

/** Environment has variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names are the names by which a sidecar is found. */
interface Names {
  /** The path of the address file; undefined: none is read. */
  addressFile: string | undefined;
  /** The path of the socket. */
  socket: string;
  /** Whether the user named the socket: it is then used whoever serves there. */
  socketNamed: boolean;
}

/** maxAddressFile bounds what is read of an address file, in bytes. */
const maxAddressFile = 16 << 10;

/** maxConnect bounds the wait for a connection to a socket, in milliseconds. The kernel makes one or rejects it at once. */
const maxConnect = 1000;

/** FindOptions say what else may be done when no sidecar is found. */
export interface FindOptions {
  /** Start one, by `toolresult ensure`. */
  start: boolean;
  /** The variables. */
  env: Environment;
  /** Ends a start. */
  signal?: AbortSignal | undefined;
}

/** find returns the address of the sidecar of this user: unix:///PATH or HOST:PORT. */
export async function find(options: FindOptions): Promise<string> {
  const { env, start } = options;
  const address = env["TOOLRESULT_ADDRESS"];
  if (address) {
    if (address.startsWith("/")) {
      throw new UnavailableError(`TOOLRESULT_ADDRESS ${address}: write unix://${address}`);
    }
    return address;
  }
  if (start && env["TOOLRESULT_CONFIG"]) { // the command reads that file
    return await ensure(options);
  }
  const reasons: string[] = [];
  const found = await search(namesOf(env), reasons);
  if (found !== undefined) {
    return found;
  }
  if (start) {
    return await ensure(options);
  }
  throw new NoSidecarError(["no sidecar runs", ...reasons].join(": "));
}

/** namesOf returns the names that the environment has. */
function namesOf(env: Environment): Names {
  const socket = env["TOOLRESULT_SOCKET"];
  const addressFile = env["TOOLRESULT_ADDRESS_FILE"] || undefined;
  if (socket) { // and not the address file of the runtime directory, which may be of another
    return { addressFile, socket, socketNamed: true };
  }
  const dir = runtimeDir(env);
  return { addressFile: addressFile ?? join(dir, "address"), socket: join(dir, "toolresult.sock"), socketNamed: false };
}

/** runtimeDir returns the directory of this user for sockets. */
function runtimeDir(env: Environment): string {
  const session = env["XDG_RUNTIME_DIR"];
  if (session && isAbsolute(session)) {
    return join(session, "toolresult");
  }
  const temporary = env["TMPDIR"];
  return join(temporary && isAbsolute(temporary) ? temporary : "/tmp", `toolresult-${process.getuid?.() ?? 0}`);
}

/** search returns the first place at which a process accepts connections, and adds why other places are passed over. */
async function search(names: Names, reasons: string[]): Promise<string | undefined> {
  const sockets: { path: string; named: boolean }[] = [];
  if (names.addressFile !== undefined) {
    try {
      sockets.push({ path: await readAddress(names.addressFile), named: false });
    } catch (error) {
      if (codeOf(error) !== "ENOENT") {
        reasons.push(`address file ${names.addressFile}: ${text(error)}`);
      }
    }
  }
  if (sockets[0]?.path !== names.socket) {
    sockets.push({ path: names.socket, named: names.socketNamed });
  }
  for (const socket of sockets) {
    try {
      if (!socket.named) {
        await checkSocket(socket.path);
      }
      await probe(socket.path);
      return `unix://${socket.path}`;
    } catch (error) {
      if (error instanceof UnavailableError) {
        throw error;
      }
      if (!["ENOENT", "ECONNREFUSED", "ENOTDIR"].includes(codeOf(error))) {
        reasons.push(text(error));
      }
    }
  }
  return undefined;
}

/** readAddress returns the path of the socket that an address file has. It follows no file that another user could have written. */
async function readAddress(path: string): Promise<string> {
  checkOwned(await lstat(dirname(path)), `directory ${dirname(path)}`, 0o022, "lets other users write");
  // What is no file, such as a pipe, would be waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) {
      throw new Error("is no file");
    }
    checkOwner(stat, "it");
    checkMode(stat, "it", 0o022, "lets other users write");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxAddressFile), 0, maxAddressFile, 0);
    return parseAddress(buffer.toString("utf8", 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** parseAddress reads the content of an address file. What it does not know is for later versions. */
function parseAddress(content: string): string {
  const parsed: unknown = JSON.parse(content);
  const address = typeof parsed === "object" && parsed !== null && "address" in parsed ? parsed.address : undefined;
  const path = typeof address === "string" && address.startsWith("unix://") ? address.slice("unix://".length) : "";
  // eslint-disable-next-line no-control-regex
  if (!isAbsolute(path) || /[\u0000-\u001f\u007f-\u009f]/.test(path)) {
    throw new Error(`has the address ${JSON.stringify(address)}, which is not unix:///PATH`);
  }
  return path;
}

/**
 * checkSocket checks that only this user can have made a socket. Node.js cannot ask the kernel for the process that listens there, so
 * that the socket has to be of this user, in a directory of this user that nobody else can enter.
 */
async function checkSocket(path: string): Promise<void> {
  const stat = await lstat(path);
  if (!stat.isSocket()) {
    throw new Error(`${path} is no socket`);
  }
  checkOwner(stat, path);
  checkOwned(await lstat(dirname(path)), `directory ${dirname(path)}`, 0o077, "lets other users in");
}

/** checkOwned checks that a directory is of this user, is no link, and gives none of the permissions. */
function checkOwned(stat: Stats, name: string, permissions: number, allows: string): void {
  if (!stat.isDirectory()) {
    throw new Error(`${name} is no directory`);
  }
  checkOwner(stat, name);
  checkMode(stat, name, permissions, allows);
}

/** checkOwner checks that something is of this user. */
function checkOwner(stat: Stats, name: string): void {
  if (stat.uid !== process.geteuid?.()) {
    throw new Error(`${name} belongs to another user`);
  }
}

/** checkMode checks that something gives none of the permissions. */
function checkMode(stat: Stats, name: string, permissions: number, allows: string): void {
  if ((stat.mode & permissions) !== 0) {
    throw new Error(`${name} has mode ${(stat.mode & 0o7777).toString(8).padStart(4, "0")}, which ${allows}`);
  }
}

/** probe connects to a socket. */
async function probe(path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ path });
    const timer = setTimeout(() => end(silent(path)), maxConnect);
    const end = (error?: Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (error === undefined) {
        resolve();
      } else {
        reject(error);
      }
    };
    socket.once("connect", () => end());
    socket.once("error", (error) => {
      const code = codeOf(error);
      if (code === "EAGAIN") { // the queue of connections is full
        end(silent(path));
      } else if (code === "EPERM") { // of a sandbox; the kernel itself says EACCES
        end(new UnavailableError(`the sidecar at ${path}: connections are denied`, { cause: error }));
      } else {
        end(error);
      }
    });
  });
}

/** silent returns the error of a sidecar that has its socket and accepts no more. */
function silent(path: string): UnavailableError {
  return new UnavailableError(`the sidecar at ${path} does not answer`);
}

/** ensure runs `toolresult ensure` in a session of its own, so that no signal to this process ends the sidecar that it starts. */
async function ensure({ env, signal }: FindOptions): Promise<string> {
  const program = env["TOOLRESULT_BINARY"] || "toolresult";
  return await new Promise<string>((resolve, reject) => {
    const child = spawn(program, ["ensure"], {
      detached: true,
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", (error) => {
      reject(new NoSidecarError(`start a sidecar: ${text(error)}`, { cause: error }));
    });
    child.once("close", (code, killedBy) => {
      if (code === 0) {
        resolve(stdout.trim());
      } else {
        reject(new UnavailableError(`start a sidecar: ${stderr.trim() || `${program} ended with ${code ?? killedBy}`}`));
      }
    });
  });
}

/** codeOf returns the code of an error of the system, or "". */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** text returns the message of an error. */
function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
