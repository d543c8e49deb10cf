// Outputs of tools, as messages.

import { create } from "@bufbuild/protobuf";
import { constants } from "node:os";
import { CommandDisposition, CommandOutputSchema } from "./gen/toolresult/v1/command_pb.js";
import type { CommandOutput } from "./gen/toolresult/v1/command_pb.js";
import { CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import { TextOutputSchema } from "./gen/toolresult/v1/text_pb.js";
import type { Payload } from "./gen/toolresult/v1/payload_pb.js";
import { inline } from "./payloads.js";

/** CommandEnd is how a command ended. The names of "close" of a child process fit: `{ exitStatus: code, signal }`. */
export interface CommandEnd {
  /** The exit code. Default, or null: there is none. */
  exitStatus?: number | null | undefined;
  /** The signal that ended it, as its number or its name, such as "SIGKILL". Default, or null: none. */
  signal?: number | string | null | undefined;
  /** The time that it was given, in milliseconds, if it was ended because that was over. Default: it was not. */
  timeoutMs?: number | undefined;
  /** Whether it was ended because the call was cancelled. Default: false. */
  cancelled?: boolean | undefined;
}

/** CommandBytes is what a command printed: one stream in the order in which it was written, or two. */
export type CommandBytes =
  | {
      /** Standard output and standard error in the order in which they were written. */
      output: string | Uint8Array;
      stdout?: undefined;
      stderr?: undefined;
    }
  | {
      /** Standard output. Default: not captured. */
      stdout?: string | Uint8Array | undefined;
      /** Standard error. Default: not captured. */
      stderr?: string | Uint8Array | undefined;
      output?: undefined;
    };

/** Command is a command that has ended. */
export type Command = CommandEnd &
  CommandBytes & {
    /** The name of the tool. Default: "exec_command". */
    tool?: string | undefined;
  };

/** Failure is what else is known of a tool that could not do its work. */
export interface Failure {
  /** Best JSON: a text that stays as it is, bytes, or a value that is written as JSON. Default: none. */
  details?: unknown | undefined;
  /** Advice for the model. Default: that of the kind; "": none. */
  recoveryHint?: string | undefined;
  /** Whether the same call may succeed when it is made again. Default: not known. */
  retryable?: boolean | undefined;
}

/** CommandStreams are the payloads of a command; undefined: not captured. */
export interface CommandStreams {
  stdout?: Payload | undefined;
  stderr?: Payload | undefined;
  combinedOutput?: Payload | undefined;
}

/** textOutput returns the output of a tool that answered a text. */
export function textOutput(tool: string, content: Payload | undefined, mediaType = ""): CompleteToolOutput {
  const value = create(TextOutputSchema, { content, mediaType });
  return create(CompleteToolOutputSchema, { toolName: tool, result: { case: "text", value } });
}

/** commandOutput returns the output of a command. */
export function commandOutput(tool: string, value: CommandOutput): CompleteToolOutput {
  return create(CompleteToolOutputSchema, { toolName: tool, result: { case: "command", value } });
}

/** commandOf returns a command, with the payloads that its streams are. */
export function commandOf(commandLine: string, end: CommandEnd, streams: CommandStreams): CommandOutput {
  const timedOut = end.timeoutMs !== undefined && end.timeoutMs > 0;
  const ended = end.cancelled ? CommandDisposition.CANCELLED : CommandDisposition.UNSPECIFIED;
  const exitStatus = end.exitStatus ?? undefined;
  return create(CommandOutputSchema, {
    commandLine,
    exitStatus: exitStatus === undefined ? undefined : integer("exitStatus", exitStatus) | 0, // Windows has codes beyond 2^31
    signal: signalNumber(end.signal) || undefined,
    disposition: timedOut ? CommandDisposition.TIMED_OUT : ended,
    timeoutMs: timedOut ? BigInt(Math.max(1, Math.round(end.timeoutMs ?? 0))) : undefined,
    ...streams,
  });
}

/** completeCommand returns a command that has ended as the output of its tool. */
export function completeCommand(commandLine: string, command: Command): CompleteToolOutput {
  const streams = { stdout: inline(command.stdout), stderr: inline(command.stderr), combinedOutput: inline(command.output) };
  return commandOutput(command.tool || "exec_command", commandOf(commandLine, command, streams));
}

/** failureOutput returns the output of a tool that could not do its work. */
export function failureOutput(tool: string, kind: string, message: string | Uint8Array, failure: Failure): CompleteToolOutput {
  const { recoveryHint, retryable } = failure;
  const details = inline(detailsOf(failure.details));
  return create(CompleteToolOutputSchema, { toolName: tool, error: { kind, message: inline(message), details, recoveryHint, retryable } });
}

/** detailsOf returns the details of a failure as they are sent. */
function detailsOf(details: unknown): string | Uint8Array | undefined {
  if (typeof details === "string" || details instanceof Uint8Array) {
    return details.length === 0 ? undefined : details;
  }
  return details === undefined ? undefined : JSON.stringify(details);
}

/** signalNumber returns the number of a signal; 0: none. */
function signalNumber(signal: number | string | null | undefined): number {
  if (typeof signal !== "string") {
    return integer("signal", signal ?? 0);
  }
  const known: Record<string, number> = constants.signals;
  const number = Object.hasOwn(known, signal) ? known[signal] : undefined;
  if (number === undefined) {
    throw new RangeError(`there is no signal ${signal}`);
  }
  return number;
}

/** integer returns a number that is one. */
function integer(name: string, value: number): number {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${name} is an integer, and not ${value}`);
  }
  return value;
}
