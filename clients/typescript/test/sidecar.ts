// Sidecars for tests: the real binary, in a process of its own, with a socket and a store that nobody else has.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

/** binary is the sidecar. */
export const binary = process.env["TOOLRESULT_BINARY"] ?? "";
if (binary === "") {
  throw new Error("TOOLRESULT_BINARY names the sidecar that is tested");
}
for (const name of ["TOOLRESULT_ADDRESS", "TOOLRESULT_SOCKET", "TOOLRESULT_TOKEN", "TOOLRESULT_CONFIG"]) {
  delete process.env[name];
}

/** shortDir returns a temporary directory with a short name, for sockets. */
export function shortDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "tr"));
  after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Sidecar is a process of the binary. */
export class Sidecar {
  readonly dir: string;
  readonly socket: string;
  tcp = "";
  readonly #args: string[];
  #process: ChildProcess | undefined;

  constructor(...args: string[]) {
    this.dir = shortDir();
    this.socket = join(this.dir, "run", "s");
    this.#args = args;
    after(() => this.kill());
  }

  /** The address of the socket. */
  get address(): string {
    return `unix://${this.socket}`;
  }

  /** start starts the process, again after a kill, and waits until it listens. */
  async start(): Promise<this> {
    const args = ["serve", "--socket", this.socket, "--store", join(this.dir, "store"), "--log-level=error", ...this.#args];
    const child = spawn(binary, args, {
      env: { PATH: process.env["PATH"], HOME: this.dir, XDG_RUNTIME_DIR: this.dir, TOOLRESULT_VOLATILE: "true" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = child;
    const lines = 1 + (this.#args.some((arg) => arg.startsWith("--tcp")) ? 1 : 0);
    let text = "";
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.split("\n").length > lines) {
        break;
      }
    }
    if (text === "") {
      throw new Error("the sidecar ended at once");
    }
    this.tcp = text.split("\n")[1] ?? "";
    return this;
  }

  /** stop stops the process, as a machine without time does, and waits until it is stopped. */
  async stop(): Promise<void> {
    this.#process?.kill("SIGSTOP");
    const stat = () => readFileSync(`/proc/${this.#process?.pid}/stat`, "utf8");
    while (!stat().includes(") T ")) {
      await sleep(1);
    }
  }

  /** continue continues a stopped process. */
  continue(): void {
    this.#process?.kill("SIGCONT");
  }

  /** kill ends the process as a crash does, and waits for its end. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}
