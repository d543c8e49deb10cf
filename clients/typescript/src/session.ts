// Sessions: the tool results of an agent loop, from the outputs of tools to the messages of a provider.

import { clone, create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client, StreamOptions } from "./client.js";
import type { Compaction } from "./compact.js";
import { CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import { CacheBreak, HandleForm, ProjectionPolicySchema, RenderPolicySchema } from "./gen/toolresult/v1/policy_pb.js";
import type { AssistantTurn, Provider } from "./gen/toolresult/v1/transport_pb.js";
import type { CallOptions, OwnerOptions, ProjectOptions, RenderOptions } from "./options.js";
import { completeCommand, failureOutput, textOutput } from "./outputs.js";
import type { Command, Failure } from "./outputs.js";
import { inline, inlineBytes } from "./payloads.js";
import { BudgetTooSmallError } from "./reasons.js";
import { requestOf } from "./request.js";
import { isResult } from "./result.js";
import type { Result } from "./result.js";
import type { ToolStream } from "./stream.js";
import { assistantOf } from "./turn.js";
import type { Change, Message, ProviderName, ToolDefinition, Turn, TurnOptions } from "./turn.js";

/** SessionOptions are those of a session. */
export interface SessionOptions {
  /** The provider that the messages are for. */
  provider: ProviderName | Provider;
  /** What the receipts of one turn may cost together, in tokens, from 16. Default: each has its own budget. */
  turnTokens?: number;
  /** What the receipts of all turns may cost before the history is compacted to half of it, in tokens. Default: it is never compacted. */
  historyTokens?: number;
  /** The number of last turns that are not compacted. Default: 2. */
  protectLastTurns?: number;
  /** How receipts name what they do not show: "path", or "call" for a model that is offered read_result. Default: "path". */
  handles?: "path" | "call";
  /** Which agent of the session this is, where it has several. Default: its only one. */
  agentId?: string;
  /** How outputs are projected. Default: every default. */
  policy?: MessageInitShape<typeof ProjectionPolicySchema>;
  /** Calls and results as text, for models without native calls. Default: false. */
  asText?: boolean;
  /** Messages before the first turn, such as that of the system. Default: none. */
  messages?: readonly Message[];
}

/** Answer is what the model said and called. */
export type Answer = Pick<TurnOptions, "assistant" | "content" | "calls">;

/** Output is what the tool of a call gave: a text, a command that has ended, a failure, a message of any family, or a result. */
export type Output =
  | string
  | { text: string | Uint8Array; mediaType?: string }
  | (Command & { commandLine: string })
  | (Failure & { kind: string; message: string })
  | { complete: MessageInitShape<typeof CompleteToolOutputSchema> }
  | Result;

/** TurnExtras are what else is said in a turn. */
export type TurnExtras = CallOptions & Pick<TurnOptions, "notices" | "userText">;

/** SessionTurn is what became of a turn. */
export interface SessionTurn {
  /** The results, in the order of the calls; undefined: the call has none. */
  results: (Result | undefined)[];
  /** The messages of the turn, which are in those of the session. */
  messages: Message[];
  /** What is not as it was given. */
  changes: Change[];
  /** The compaction of the history; undefined: it was not needed. */
  compaction: Compaction | undefined;
}

/** Kept is a turn with all that it takes to encode it again. */
interface Kept {
  assistant: AssistantTurn | undefined;
  results: (Result | undefined)[];
  ids: string[];
  said: Pick<TurnExtras, "notices" | "userText">;
  encoded: Pick<Turn, "messages" | "messagesJson" | "changes">;
}

/** Pending is an output that waits for its projection. */
interface Pending {
  output: CompleteToolOutput;
  options: ProjectOptions;
}

/** maxTurnBytes is the size of the outputs in one message, in bytes. Larger ones are sent as streams. */
const maxTurnBytes = 1 << 20;

/** minBudget is the smallest budget that the sidecar takes, in tokens. */
const minBudget = 16;

/** readTool is the tool that the sidecar executes itself. */
const readTool = "read_result";

/**
 * Session has the turns of one conversation. It projects the outputs of tools within a budget for each turn, makes the messages of the
 * provider, and compacts the history when it is too large. Client.session makes one. It makes one turn after the other.
 */
export class Session {
  /** The id of the session, which owns the artifacts. */
  readonly id: string;
  readonly #client: Client;
  readonly #options: SessionOptions;
  #turns: Kept[] = [];
  #spent = 0; // tokens of the turn that is not made yet
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: Client, id: string, options: SessionOptions) {
    this.id = id;
    this.#client = client;
    this.#options = options;
    this.add(...(options.messages ?? []));
  }

  /** All messages, to be sent to the provider as they are. The array is the caller's. */
  get messages(): Message[] {
    return this.#turns.flatMap((turn) => turn.encoded.messages);
  }

  /** The same as JSON text, byte for byte as it was sent before, with the numbers that the model wrote. */
  get messagesJson(): string {
    return `[${this.#turns.flatMap((turn) => turn.encoded.messagesJson).join(",")}]`;
  }

  /** What all receipts cost, in tokens. */
  get tokens(): number {
    return this.#results().reduce((sum, result) => sum + result.tokens, 0);
  }

  /** add puts messages of the caller behind the others, as they are. */
  add(...messages: Message[]): void {
    const encoded = { messages, messagesJson: messages.map((message) => JSON.stringify(message)), changes: [] };
    this.#turns.push({ assistant: undefined, results: [], ids: [], said: {}, encoded });
  }

  /** user puts what the user says behind the other messages. */
  async user(text: string, options: CallOptions = {}): Promise<void> {
    await this.turn({}, [], { ...options, userText: text });
  }

  /**
   * turn adds an answer of the model, with the outputs of its calls in their order. The outputs share the budget of the turn. A call of
   * read_result without an output is executed; another one without is answered by a text that says so. When all receipts cost more than
   * the history may, it is compacted, and turns that change are encoded again; all messages before them stay as they are.
   *
   * When it fails, nothing was added, and it may be called again.
   */
  async turn(answer: Answer, outputs: readonly (Output | undefined)[] = [], extras: TurnExtras = {}): Promise<SessionTurn> {
    return await this.#inOrder(() => this.#turn(answer, outputs, extras));
  }

  /** projectText projects what a tool answered, within what the turn has left. Give the result to turn. */
  async projectText(tool: string, text: string | Uint8Array, options: ProjectOptions & { mediaType?: string } = {}): Promise<Result> {
    return await this.#projectOne(textOutput(tool, inline(text), options.mediaType), options);
  }

  /** projectCommand projects what a command printed, within what the turn has left. Give the result to turn. */
  async projectCommand(commandLine: string, command: Command, options: ProjectOptions = {}): Promise<Result> {
    return await this.#projectOne(completeCommand(commandLine, command), options);
  }

  /** projectError projects a tool that could not do its work, within what the turn has left. Give the result to turn. */
  async projectError(tool: string, kind: string, message: string, options: ProjectOptions & Failure = {}): Promise<Result> {
    return await this.#projectOne(failureOutput(tool, kind, message, options), options);
  }

  /** project projects the output of a tool of any family, within what the turn has left. Give the result to turn. */
  async project(output: MessageInitShape<typeof CompleteToolOutputSchema>, options: ProjectOptions = {}): Promise<Result> {
    return await this.#projectOne(create(CompleteToolOutputSchema, output), options);
  }

  /** stream opens a stream for the output of a tool that still runs. Give its result to turn. */
  stream(tool: string, options: StreamOptions = {}): ToolStream {
    return this.#client.stream(tool, { ...this.#owner(options), policy: this.#policy(), ...options });
  }

  /** toolDefinitions returns the definition of read_result for the provider. */
  async toolDefinitions(options: CallOptions = {}): Promise<ToolDefinition[]> {
    return await this.#client.toolDefinitions(this.#options.provider, options);
  }

  /** callTool executes a call of read_result that the model made. Give the result to turn. */
  async callTool(name: string, args: object | string, options: OwnerOptions & RenderOptions = {}): Promise<Result> {
    return await this.#client.callTool(name, args, { ...this.#owner(options), ...options });
  }

  /** #turn makes a turn, and adds it when all of it was made. */
  async #turn(answer: Answer, outputs: readonly (Output | undefined)[], extras: TurnExtras): Promise<SessionTurn> {
    const isSaid = answer.content !== undefined || answer.calls !== undefined || answer.assistant !== undefined;
    const assistant = isSaid ? assistantOf(answer) : undefined;
    const calls = assistant?.toolCalls ?? [];
    if (outputs.length > calls.length) {
      throw new RangeError(`there are ${outputs.length} outputs of ${calls.length} calls`);
    }
    checkPlaces(calls, outputs);
    const ids = calls.map((call, i) => call.id || `call-${this.#turns.length}.${i + 1}`);
    const results = await this.#answers(calls, ids, outputs, extras);
    const said = { notices: extras.notices, userText: extras.userText };
    const turn = { assistant, results, ids, said };
    const made: Kept = { ...turn, encoded: await this.#encode(turn, extras) };
    const { turns, compaction } = await this.#fit([...this.#turns, made], extras);
    this.#turns = turns;
    this.#spent = 0;
    const { messages, changes } = turns[turns.length - 1]?.encoded ?? made.encoded;
    return { results, messages, changes, compaction };
  }

  /** #answers returns the results of calls: of outputs that share the budget, of calls of read_result, and those that are there. */
  async #answers(
    calls: AssistantTurn["toolCalls"],
    ids: string[],
    outputs: readonly (Output | undefined)[],
    options: CallOptions,
  ): Promise<(Result | undefined)[]> {
    const results: (Result | undefined)[] = calls.map(() => undefined);
    const pending = new Map<number, Pending>();
    for (const [i, call] of calls.entries()) {
      const output = outputs[i];
      const owner = this.#owner({ callId: ids[i] });
      if (output === undefined) {
        if (call.tool === readTool && call.server === "") {
          results[i] = await this.#client.callTool(readTool, call.arguments, { ...owner, ...callOptions(options) });
        }
      } else if (typeof output === "object" && isResult(output)) {
        results[i] = output;
      } else {
        pending.set(i, { output: completeOutput(call.tool, output), options: { ...owner, ...callOptions(options) } });
      }
    }
    const projected = await this.#project([...pending.values()]);
    for (const [n, i] of [...pending.keys()].entries()) {
      results[i] = projected[n];
    }
    return results;
  }

  /** #projectOne projects an output within what the turn has left. */
  async #projectOne(output: CompleteToolOutput, options: ProjectOptions): Promise<Result> {
    return await this.#inOrder(async () => {
      const [result] = await this.#project([{ output, options: { ...this.#owner(options), ...options } }]);
      this.#spent += result?.tokens ?? 0;
      return result as Result;
    });
  }

  /** #project projects outputs, which share what the turn has left. Those that are too large for one message are sent as streams. */
  async #project(pending: readonly Pending[]): Promise<Result[]> {
    const withPolicy = pending.map(({ output, options }) => ({ output, options: { policy: this.#policy(), ...options } }));
    if (this.#options.turnTokens === undefined) {
      return await Promise.all(withPolicy.map(({ output, options }) => this.#client.project(output, options)));
    }
    let left = this.#options.turnTokens - this.#spent;
    const results = new Map<Pending, Result>();
    const small: Pending[] = [];
    let bytes = 0;
    for (const one of withPolicy) {
      bytes += inlineBytes(one.output);
      if (bytes <= maxTurnBytes) {
        small.push(one);
        continue;
      }
      bytes -= inlineBytes(one.output);
      const result = await this.#projectLarge(one, Math.floor(left / (withPolicy.length - results.size)));
      left -= result.tokens;
      results.set(one, result);
    }
    const together = await this.#projectTogether(small, left);
    small.forEach((one, i) => results.set(one, together[i] as Result));
    return withPolicy.map((one) => results.get(one) as Result);
  }

  /** #projectLarge projects an output within its own budget and, if that is more than it may cost, within that. */
  async #projectLarge({ output, options }: Pending, tokens: number): Promise<Result> {
    const result = await this.#client.project(output, options);
    if (result.tokens <= tokens) {
      return result;
    }
    return await this.#within(Math.max(tokens, minBudget), (maxTokens) => this.#client.project(output, { ...options, maxTokens }));
  }

  /** #projectTogether projects outputs that share a budget. */
  async #projectTogether(pending: readonly Pending[], tokens: number): Promise<Result[]> {
    if (pending.length === 0) {
      return [];
    }
    const requests = pending.map(({ output, options }) => requestOf(output, options, this.id));
    const [first] = pending;
    return await this.#within(Math.max(tokens, minBudget), async (total) => {
      const { results } = await this.#client.projectTurn(requests, total, callOptions(first?.options ?? {}));
      return results;
    });
  }

  /** #within makes something within a budget or, where what must be kept needs more, within that. */
  async #within<T>(tokens: number, make: (tokens: number) => Promise<T>): Promise<T> {
    try {
      return await make(tokens);
    } catch (error) {
      const needed = error instanceof BudgetTooSmallError ? Number(error.metadata["needed"]) : Number.NaN;
      if (!(needed > tokens)) {
        throw error;
      }
      return await make(needed);
    }
  }

  /** #encode makes the messages of a turn. */
  async #encode(turn: Omit<Kept, "encoded">, options: CallOptions): Promise<Turn> {
    const calls = turn.assistant?.toolCalls ?? [];
    const named = isNamed(calls);
    const results = turn.results.flatMap((result, i) => (result === undefined ? [] : [{ callId: named ? turn.ids[i] : undefined, result }]));
    const { asText, provider } = this.#options;
    const whole = { assistant: turn.assistant, results, asText, session: this.id, ...turn.said, ...callOptions(options) };
    return await this.#client.encodeTurn(provider, whole);
  }

  /** #fit compacts a history whose receipts cost too much, to half of that, so that the next time is far away. */
  async #fit(turns: Kept[], options: CallOptions): Promise<{ turns: Kept[]; compaction: Compaction | undefined }> {
    const limit = this.#options.historyTokens;
    const tokens = this.#results(turns).reduce((sum, result) => sum + result.tokens, 0);
    if (limit === undefined || tokens <= limit) {
      return { turns, compaction: undefined };
    }
    const last = turns[turns.length - 1]?.results.filter((result) => result !== undefined).length ?? 0;
    const entries = entriesOf(turns);
    const compaction = await this.#client.compact(entries, {
      totalTokens: Math.max(Math.floor(limit / 2), minBudget),
      protectLastTurns: this.#options.protectLastTurns ?? 2,
      policy: { cache: { cachedResults: entries.length - last, cacheBreak: CacheBreak.WHEN_NEEDED } }, // the last turn was not sent yet
      session: this.id,
      ...callOptions(options),
    });
    return { turns: await this.#replace(turns, compaction, options), compaction };
  }

  /** #replace returns turns with the results that a compaction changed. Those turns are encoded again. */
  async #replace(turns: Kept[], compaction: Compaction, options: CallOptions): Promise<Kept[]> {
    const changed = new Map(compaction.results.map(({ index, result }) => [index, result]));
    const replaced: Kept[] = [];
    let index = 0;
    for (const turn of turns) {
      const results = turn.results.map((result) => (result === undefined ? undefined : (changed.get(index++) ?? result)));
      if (results.every((result, i) => result === turn.results[i])) {
        replaced.push(turn);
      } else {
        const next = { ...turn, results };
        replaced.push({ ...next, encoded: await this.#encode(next, options) });
      }
    }
    return replaced;
  }

  /** #results returns the results of turns, oldest first. */
  #results(turns: readonly Kept[] = this.#turns): Result[] {
    return turns.flatMap((turn) => turn.results).filter((result) => result !== undefined);
  }

  /** #owner returns the owner of artifacts. */
  #owner({ callId }: OwnerOptions): OwnerOptions {
    return { session: this.id, agentId: this.#options.agentId, callId };
  }

  /** #policy returns how outputs are projected. */
  #policy(): MessageInitShape<typeof ProjectionPolicySchema> | undefined {
    const { policy, handles } = this.#options;
    if (handles === undefined) {
      return policy;
    }
    const message = clone(ProjectionPolicySchema, create(ProjectionPolicySchema, policy));
    message.render ??= create(RenderPolicySchema);
    message.render.handles = handles === "call" ? HandleForm.CALL : HandleForm.PATH;
    return message;
  }

  /** #inOrder does something after all before it, whether that failed or not. */
  #inOrder<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** isNamed reports whether results name their calls: all of them do, or all are at the places of their calls. */
function isNamed(calls: AssistantTurn["toolCalls"]): boolean {
  return calls.every((call) => call.id);
}

/** checkPlaces checks that no output is missing before another one where results are found by their places. */
function checkPlaces(calls: AssistantTurn["toolCalls"], outputs: readonly (Output | undefined)[]): void {
  const isMissing = calls.map((call, i) => outputs[i] === undefined && call.tool !== readTool);
  const first = isMissing.indexOf(true);
  if (!isNamed(calls) && first >= 0 && isMissing.lastIndexOf(false) > first) {
    throw new RangeError(`the calls have no ids, and there is no output of call ${first}`);
  }
}

/** completeOutput returns what the tool of a call gave, as a message. */
function completeOutput(tool: string, output: Exclude<Output, Result>): CompleteToolOutput {
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
function entriesOf(turns: readonly Kept[]) {
  return turns.flatMap((turn, n) => {
    let precedingTokens = estimate(turn.assistant);
    return turn.results.flatMap((result, i) => {
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
function estimate(assistant: AssistantTurn | undefined): number {
  const texts = [assistant?.content ?? "", ...(assistant?.toolCalls ?? []).map((call) => call.tool + call.arguments)];
  return Math.ceil(texts.join("").length / 4);
}

/** callOptions returns the options of every call. */
function callOptions({ timeoutMs, signal }: CallOptions): CallOptions {
  return { timeoutMs, signal };
}
