// The driver of this client for the list of integration/conformance: it reads a call from each line of its standard input, makes it, and
// writes what it got as a line. It knows no expectations.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ToolResultError, connect } from "toolresult";
import type { CallResult, Client, Command, CompactOptions, ProjectOptions, ProviderName, ReadOptions, Result, StreamName, ToolStream } from "toolresult";
import { StoreDurability } from "toolresult/v1";

type Json = Record<string, unknown>;
type Line = { call: string; with: Json; save?: string };

let client: Client;
let stream: ToolStream;
const saved = new Map<string, Result>();

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] => (value ?? []) as string[];
const objects = (value: unknown): Json[] => (value ?? []) as Json[];
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** bytes returns a text or {"base64": ...}; undefined: it is absent. */
function bytes(value: unknown): string | Uint8Array | undefined {
  if (value === undefined || value === null || typeof value === "string") {
    return value ?? undefined;
  }
  return Buffer.from(text((value as Json)["base64"]), "base64");
}

/** options returns those of a projection. */
function options(w: Json): Omit<ProjectOptions, "policy"> & { mediaType?: string } {
  return {
    session: w["session"] as string | undefined,
    callId: w["call_id"] as string | undefined,
    requestId: w["request_id"] as string | undefined,
    mediaType: text(w["media_type"]),
    maxTokens: number(w["max_tokens"]),
    timeoutMs: number(w["timeout_ms"]),
  };
}

/** command returns the command that arguments describe. */
function command(w: Json): Command {
  return {
    tool: text(w["tool"]),
    exitStatus: number(w["exit_status"]),
    signal: number(w["signal"]),
    timeoutMs: number(w["timed_out_ms"]),
    cancelled: w["cancelled"] === true,
    stdout: bytes(w["stdout"]),
    stderr: bytes(w["stderr"]),
    output: bytes(w["output"]),
  } as Command;
}

/** answer saves a result, and returns it as the list has it. */
function answer(result: Result, save: string | undefined): Json {
  if (save !== undefined) {
    saved.set(save, result);
  }
  const { receipt, tokens, family, failed, artifacts } = result;
  return { receipt, tokens, family, failed, artifacts };
}

/** named returns a saved result, "$name". */
function named(name: unknown): Result {
  const result = saved.get(text(name).slice(1));
  if (result === undefined) {
    throw new Error(`there is no result ${text(name)}`);
  }
  return result;
}

async function finish(w: Json, save: string | undefined): Promise<Json> {
  return answer(await stream.finish(command(w)), save);
}

async function streamAll({ with: w, save }: Line): Promise<Json> {
  await calls["stream_open"]?.({ call: "", with: w });
  try {
    const snapshots: string[] = [];
    for (const write of objects(w["writes"])) {
      if (write["snapshot"] === undefined) {
        await stream.write(bytes(write["data"]) ?? "", write["stream"] as StreamName);
      } else {
        snapshots.push((await stream.snapshot(text(write["snapshot"]))).receipt);
      }
    }
    return w["finish"] ? { ...(await finish(w["finish"] as Json, save)), snapshots } : {};
  } finally {
    stream.close();
  }
}

async function compact({ with: w }: Line): Promise<Json> {
  const entries = objects(w["entries"]).map((entry) => ({
    result: named(entry["result"]),
    callId: text(entry["call_id"]),
    turn: number(entry["turn"]),
    subject: text(entry["subject"]),
  }));
  const done = await client.compact(entries, {
    totalTokens: number(w["total_tokens"]),
    level: w["level"] as CompactOptions["level"],
    previewTokens: number(w["preview_tokens"]),
    protectLastTurns: number(w["protect_last_turns"]),
    dryRun: w["dry_run"] === true,
    session: w["session"] as string | undefined,
  });
  return {
    changed: done.results.map(({ index, receipt }) => ({ index, receipt })),
    first_changed: done.firstChanged ?? null,
    tokens_before: done.tokensBefore,
    tokens_after: done.tokensAfter,
    budget_met: done.budgetMet,
    overview: done.overview ?? null,
  };
}

async function read({ with: w }: Line): Promise<Json> {
  const { lines, tail, match, context, pointer, bytes, around, session, max_bytes, max_lines } = w;
  const chosen = { lines, tail, match, context, pointer, bytes, around, session, maxBytes: max_bytes, maxLines: max_lines } as ReadOptions;
  const parts: Uint8Array[] = [];
  let last: Json = {};
  for await (const page of client.readPages(text(w["path"]), chosen)) {
    parts.push(page.data);
    last = { complete: page.complete, has_next: page.nextPageToken !== "", pages: parts.length };
    if (w["all_pages"] !== true) {
      break;
    }
  }
  const data = Buffer.concat(parts);
  const shown = data.toString("utf8");
  return { ...last, data: Buffer.from(shown, "utf8").equals(data) ? shown : { base64: data.toString("base64") } };
}

async function encodeTurn({ with: w }: Line): Promise<Json> {
  const turn = await client.encodeTurn(w["provider"] as ProviderName, {
    content: text(w["content"]),
    calls: objects(w["calls"]).map((call) => ({
      tool: text(call["tool"]),
      arguments: call["arguments"] as object | string,
      id: call["id"] as string | undefined,
      server: text(call["server"]),
    })),
    results: objects(w["results"]).map(
      (r): CallResult => ({
        callId: r["call_id"] as string | undefined,
        result: r["result"] === undefined ? text(r["text"]) : named(r["result"]),
        error: r["error"] === true,
      }),
    ),
    notices: texts(w["notices"]),
    userText: text(w["user_text"]),
    session: w["session"] as string | undefined,
  });
  return { messages: turn.messages, native: turn.native, changes: turn.changes.map(({ change }) => change) };
}

/** time makes a call many times, one after the other. */
async function time({ with: w }: Line): Promise<Json> {
  const inner = { with: {}, ...(w["call"] as object) } as Line;
  const times: number[] = [];
  const warmup = number(w["warmup"]) ?? 0;
  for (let i = 0; i < warmup + (number(w["times"]) ?? 0); i++) {
    const began = performance.now();
    await calls[inner.call]?.(inner);
    if (i >= warmup) {
      times.push((performance.now() - began) * 1000);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))];
  return { p50_us: at(0.5), p95_us: at(0.95) };
}

/** calls are the calls, by their names in the list. */
const calls: Record<string, (line: Line) => Promise<Json>> = {
  connect: async ({ with: w }) => {
    client?.close();
    client = await connect({
      address: text(w["address"]),
      token: text(w["token"]),
      start: w["start"] === true,
      session: text(w["session"]),
      timeoutMs: number(w["timeout_ms"]),
      tls: w["ca"] === undefined ? undefined : { ca: readFileSync(text(w["ca"])) },
    });
    return { address: client.address };
  },
  close: async () => {
    client.close();
    return {};
  },
  project_text: async ({ with: w, save }) => answer(await client.projectText(text(w["tool"]), bytes(w["text"]) ?? "", options(w)), save),
  project_command: async ({ with: w, save }) => answer(await client.projectCommand(text(w["command_line"]), command(w), options(w)), save),
  project_error: async ({ with: w, save }) => {
    const failure = {
      details: w["details"],
      recoveryHint: w["recovery_hint"] as string | undefined,
      retryable: w["retryable"] as boolean | undefined,
    };
    return answer(await client.projectError(text(w["tool"]), text(w["kind"]), text(w["message"]), { ...options(w), ...failure }), save);
  },
  stream: streamAll,
  stream_open: async ({ with: w }) => {
    stream = client.stream(text(w["tool"]), {
      ...options(w),
      family: w["family"] as string | undefined,
      commandLine: text(w["command_line"]),
      timeoutMs: undefined,
    });
    return {};
  },
  stream_write: async ({ with: w }) => {
    await stream.write(bytes(w["data"]) ?? "", w["stream"] as StreamName);
    return {};
  },
  stream_snapshot: async ({ with: w, save }) => answer(await stream.snapshot(text(w["task_id"])), save),
  stream_finish: async ({ with: w, save }) => await finish(w, save),
  render: async ({ with: w }) => {
    const receipt = await client.render(named(w["result"]), { maxTokens: number(w["max_tokens"]) });
    return { receipt: receipt.text, tokens: receipt.tokens };
  },
  compact,
  read,
  encode_turn: encodeTurn,
  register_secrets: async ({ with: w }) => {
    const values = Object.entries(w["values"] as Json).map(([name, value]) => [name, bytes(value) ?? ""]);
    return { set_id: await client.registerSecrets(Object.fromEntries(values), { session: text(w["session"]) }) };
  },
  tool_definitions: async ({ with: w }) => ({ names: (await client.toolDefinitions(w["provider"] as ProviderName)).map(({ name }) => name) }),
  call_tool: async ({ with: w }) => ({ receipt: (await client.callTool(text(w["name"]), w["arguments"] as object, options(w))).receipt }),
  info: async () => {
    const info = await client.info();
    return { families: info.families, durability: `STORE_DURABILITY_${StoreDurability[info.durability]}` };
  },
  health: async () => ({ serving: await client.healthy() }),
  raw_info: async () => ({ version_is_set: (await client.stubs.results.getServerInfo({})).version !== "" }),
  time,
};

/** describe returns an error as the list has it. */
function describe(error: unknown): Json {
  if (!(error instanceof ToolResultError)) {
    return { class: "ArgumentError", message: String(error) };
  }
  const { name, reason, field, hint, retryable, message, code } = error;
  return { class: name, reason, field, hint, retryable, message, code };
}

/** reply makes the call of a line. */
async function reply(line: string): Promise<Json> {
  try {
    const parsed = JSON.parse(line) as Line;
    const call = calls[parsed.call];
    if (call === undefined) {
      throw new Error(`there is no call ${parsed.call}`);
    }
    return { answer: await call(parsed) };
  } catch (error) {
    return { error: describe(error) };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  process.stdout.write(`${JSON.stringify(await reply(line))}\n`);
}
