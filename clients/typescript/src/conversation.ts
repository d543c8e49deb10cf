// Turns of a session: what was said, called and answered in them.

import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HistoryEntry } from "./compact.js";
import { CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import type { AssistantTurn } from "./gen/toolresult/v1/transport_pb.js";
import { completeCommand, failureOutput, textOutput } from "./outputs.js";
import type { Command, Failure } from "./outputs.js";
import { inline } from "./payloads.js";
import type { Result } from "./result.js";
import type { CallResult, Turn, TurnOptions } from "./turn.js";

/** Answer is what the model said and called. */
export type Answer = Pick<TurnOptions, "assistant" | "content" | "calls">;

/** Output is what the tool of a call gave: a text, a command that has ended, a failure, a message of any family, or a result. */
export type Output =
  | string
  | { text: string | Uint8Array; mediaType?: string | undefined }
  | (Command & { commandLine: string })
  | (Failure & { kind: string; message: string })
  | { complete: MessageInitShape<typeof CompleteToolOutputSchema> }
  | Result;

/** Kept is a turn with all that it takes to encode it again. */
export interface Kept {
  readonly assistant: AssistantTurn | undefined;
  readonly ids: readonly string[]; // of the calls
  readonly answers: readonly (CallResult | undefined)[]; // of the calls
  readonly notices: readonly string[];
  readonly userText: string;
  readonly encoded: Pick<Turn, "messages" | "messagesJson" | "changes"> | undefined; // undefined: not made yet
}

/** readTool is the tool that the sidecar executes itself. */
export const readTool = "read_result";

/** nothing is a turn in which nothing is said. */
export const nothing: Kept = { assistant: undefined, ids: [], answers: [], notices: [], userText: "", encoded: undefined };

/** isOpen reports whether calls of a turn have no answer yet. */
export function isOpen(turn: Kept): boolean {
  return turn.encoded === undefined && turn.answers.includes(undefined);
}

/** resultIn returns the result of an answer; undefined: it has none. */
export function resultIn(given: CallResult | undefined): Result | undefined {
  return typeof given?.result === "object" ? given.result : undefined;
}

/** tokensOf returns what the receipts of turns cost, in tokens. */
export function tokensOf(turns: readonly Kept[]): number {
  return turns.flatMap(({ answers }) => answers).reduce((sum, given) => sum + (resultIn(given)?.tokens ?? 0), 0);
}

/** isNamed reports whether results name their calls: all of them do, or all are at the places of their calls. */
export function isNamed(calls: AssistantTurn["toolCalls"]): boolean {
  return calls.every((call) => call.id);
}

/** checkPlaces checks that no output is missing before another one where results are found by their places. */
export function checkPlaces(calls: AssistantTurn["toolCalls"], outputs: readonly (Output | undefined)[]): void {
  const isMissing = calls.map((call, i) => outputs[i] === undefined && call.tool !== readTool);
  const first = isMissing.indexOf(true);
  if (!isNamed(calls) && first >= 0 && isMissing.lastIndexOf(false) > first) {
    throw new RangeError(`the calls have no ids, and there is no output of call ${first}`);
  }
}

/** completeOutput returns what the tool of a call gave, as a message. */
export function completeOutput(tool: string, output: Exclude<Output, Result>): CompleteToolOutput {
  if (typeof output === "string") {
    return textOutput(tool, inline(output));
  }
  if ("commandLine" in output) {
    return completeCommand(output.commandLine, { ...output, tool: output.tool ?? tool });
  }
  if ("kind" in output) {
    return failureOutput(tool, output.kind, output.message, output);
  }
  if ("complete" in output) {
    return create(CompleteToolOutputSchema, output.complete);
  }
  return textOutput(tool, inline(output.text), output.mediaType);
}

/** entriesOf returns the results of turns as a history. */
export function entriesOf(turns: readonly Kept[]): HistoryEntry[] {
  return turns.flatMap((turn, n) => {
    let precedingTokens = estimate(turn.assistant);
    return turn.answers.flatMap((given, i) => {
      const result = resultIn(given);
      if (result === undefined) {
        return [];
      }
      const entry = { result, callId: turn.ids[i], turn: n + 1, precedingTokens };
      precedingTokens = 0;
      return [entry];
    });
  });
}

/** estimate returns about what an answer of the model costs, in tokens. */
export function estimate(assistant: AssistantTurn | undefined): number {
  const texts = [assistant?.content ?? "", ...(assistant?.toolCalls ?? []).map((call) => call.tool + call.arguments)];
  return Math.ceil(texts.join("").length / 4);
}
