// Sessions: the tool results of an agent loop, from the outputs of tools to the messages of a provider.

import { clone, create, mergeFromBinary, toBinary } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { minBudget, projectWithin, within } from "./budget.js";
import type { Pending } from "./budget.js";
import type { Client, StreamOptions } from "./client.js";
import type { Compaction } from "./compact.js";
import { checkPlaces, completeOutput, entriesOf, isNamed, isOpen, nothing, readTool, resultIn, tokensOf } from "./conversation.js";
import type { Answer, Kept, Output } from "./conversation.js";
import { CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import { CacheBreak, HandleForm, ProjectionPolicySchema, RenderPolicySchema } from "./gen/toolresult/v1/policy_pb.js";
import type { ProjectionPolicy } from "./gen/toolresult/v1/policy_pb.js";
import type { Provider } from "./gen/toolresult/v1/transport_pb.js";
import { callOptions } from "./options.js";
import type { CallOptions, OwnerOptions, ProjectOptions } from "./options.js";
import { completeCommand, failureOutput, textOutput } from "./outputs.js";
import type { Command, Failure } from "./outputs.js";
import { inline } from "./payloads.js";
import { isResult } from "./result.js";
import type { Result } from "./result.js";
import type { ToolStream } from "./stream.js";
import { assistantOf } from "./turn.js";
import type { CallResult, Change, Message, ProviderName, ToolCall, ToolDefinition, Turn, TurnOptions } from "./turn.js";

/** SessionOptions are those of a session. */
export interface SessionOptions {
  /** What the agent looks for; Session.task has more. Default: what the user said last. */
  task?: string | undefined;
  /** The provider that the messages are for. Default: the session has no turns and no messages, and projects alone. */
  provider?: ProviderName | Provider | undefined;
  /** What the receipts of one turn may cost together, in tokens, from 16. Infinity: each has its own budget. Default: 8,000. */
  turnTokens?: number | undefined;
  /**
   * What the receipts of all turns may cost before the history is compacted to half of it, in tokens. Infinity: it is never compacted.
   * Default: 40,000.
   */
  historyTokens?: number | undefined;
  /** The number of last turns that are not compacted. Default: 2. */
  protectLastTurns?: number | undefined;
  /** Whether the model is offered read_result: receipts then name its call in place of a path. Default: false. */
  readResult?: boolean | undefined;
  /** Which agent of the session this is, where it has several. Default: its only one. */
  agentId?: string | undefined;
  /** How outputs are projected. What the policy of a call sets is before it. Default: every default. */
  policy?: MessageInitShape<typeof ProjectionPolicySchema> | undefined;
  /** Calls and results as text, for models without native calls. Default: false. */
  asText?: boolean | undefined;
  /** Messages of the provider before all others, such as that of the system. Default: none. */
  opening?: readonly Message[] | undefined;
}

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

/** pageTokens is what a page of read_result costs at most, in tokens. */
const pageTokens = 4000;

/**
 * Session has the turns of one conversation. It projects the outputs of tools within a budget for each turn, makes the messages of the
 * provider, and compacts the history when it is too large. Client.session makes one. What is done is done one after the other.
 *
 * `turn` is a whole turn. Where its outputs are not there at once, `assistant` begins it, each call is answered, by `projectText` and its
 * like with the id of the call, by `callTool` or by `answer`, and behind the last answer its messages are made.
 */
export class Session {
  /** The id of the session, which owns the artifacts. */
  readonly id: string;
  /**
   * What the agent looks for in the outputs that are projected from now on. It decides what is shown of those that do not fit, together
   * with the focus of a call or, without one, what the model said in the turn. Of a long one the beginning counts: both have at most
   * 8 KiB. Empty: what the user said last.
   */
  task: string;
  readonly #client: Client;
  readonly #options: SessionOptions;
  readonly #turnTokens: number | undefined; // undefined: each receipt has its own budget
  #turns: readonly Kept[] = [];
  #compaction: Compaction | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: Client, id: string, options: SessionOptions) {
    this.id = id;
    this.task = options.task ?? "";
    this.#client = client;
    this.#options = options;
    const { turnTokens = 8000, opening } = options;
    this.#turnTokens = turnTokens === Number.POSITIVE_INFINITY ? undefined : turnTokens;
    if (opening !== undefined) {
      this.add(...opening);
    }
  }

  /**
   * All messages, to be sent to the provider as they are. The array is the caller's.
   *
   * Errors: an Error when calls of the last turn have no answer yet, or their messages could not be made; endTurn goes on.
   */
  get messages(): Message[] {
    return this.#encoded().flatMap(({ messages }) => messages);
  }

  /** The same as JSON text, byte for byte as it was sent before, with the numbers that the model wrote. */
  get messagesJson(): string {
    return `[${this.#encoded().flatMap(({ messagesJson }) => messagesJson).join(",")}]`;
  }

  /** What all receipts cost, in tokens. */
  get tokens(): number {
    return tokensOf(this.#turns);
  }

  /** The last compaction; undefined: there was none yet. */
  get compaction(): Compaction | undefined {
    return this.#compaction;
  }

  /** add puts messages of the caller behind the others, as they are. */
  add(...messages: Message[]): void {
    this.#checkClosed();
    const encoded = { messages, messagesJson: messages.map((message) => JSON.stringify(message)), changes: [] };
    this.#turns = [...this.#turns, { ...nothing, encoded }];
  }

  /** user says what the user said. Behind results it is a part of their turn. */
  async user(text: string, options: CallOptions = {}): Promise<void> {
    await this.#inOrder(async () => {
      const last = this.#turns.at(-1);
      const isBehind = last !== undefined && (last.userText !== "" || last.ids.length > 0);
      if (!isBehind) {
        this.#begin(nothing);
      }
      const before = isBehind && last.userText !== "" ? `${last.userText}\n\n` : "";
      await this.#change({ userText: before + text }, options);
    });
  }

  /** assistant says what the model answered, and begins a turn. Its calls are then answered. */
  async assistant(answer: Answer, options: CallOptions = {}): Promise<void> {
    await this.#inOrder(async () => {
      this.#begin(this.#turnOf(answer));
      await this.#change({}, options);
    });
  }

  /** notice says something to the model behind the results of the last turn, such as that a limit is near. */
  async notice(text: string, options: CallOptions = {}): Promise<void> {
    await this.#inOrder(async () => {
      const last = this.#turns.at(-1);
      if (last?.assistant === undefined) {
        throw new Error("there is no turn of the model that a notice could be behind");
      }
      await this.#change({ notices: [...last.notices, text] }, options);
    });
  }

  /** answer answers a call that no tool was run for, with a text for the model. */
  async answer(callId: string, text: string, options: CallOptions & { error?: boolean | undefined } = {}): Promise<void> {
    await this.#inOrder(async () => {
      this.#set([[this.#pending(callId), { result: text, error: options.error }]]);
      await this.#change({}, options);
    });
  }

  /** endTurn makes the messages now. Calls without an answer, such as those of a run that was interrupted, are answered by a text. */
  async endTurn(options: CallOptions = {}): Promise<void> {
    await this.#inOrder(() => this.#settle(options));
  }

  /**
   * turn adds an answer of the model, with the outputs of its calls in their order. The outputs share the budget of the turn. A call of
   * read_result without an output is executed; another one without is answered by a text that says so. When all receipts cost more than
   * the history may, it is compacted, and turns that change are encoded again; all messages before them stay as they are.
   *
   * When it fails, nothing was added, and it may be called again.
   */
  async turn(answer: Answer, outputs: readonly (Output | undefined)[] = [], extras: TurnExtras = {}): Promise<SessionTurn> {
    return await this.#inOrder(async () => {
      const before = this.#turns;
      try {
        return await this.#turn(answer, outputs, extras);
      } catch (error) {
        this.#turns = before;
        throw error;
      }
    });
  }

  /** projectText projects what a tool answered, and answers the call of that id, within what the turn has left for it. */
  async projectText(tool: string, text: string | Uint8Array, options: ProjectOptions & { mediaType?: string | undefined } = {}): Promise<Result> {
    return await this.#projectOne(textOutput(tool, inline(text), options.mediaType), options);
  }

  /** projectCommand projects what a command printed, and answers the call of that id, within what the turn has left for it. */
  async projectCommand(commandLine: string, command: Command, options: ProjectOptions = {}): Promise<Result> {
    return await this.#projectOne(completeCommand(commandLine, command), options);
  }

  /** projectError projects a tool that could not do its work, and answers the call of that id, within what the turn has left for it. */
  async projectError(tool: string, kind: string, message: string, options: ProjectOptions & Failure = {}): Promise<Result> {
    return await this.#projectOne(failureOutput(tool, kind, message, options), options);
  }

  /** project projects the output of a tool of any family, and answers the call of that id, within what the turn has left for it. */
  async project(output: MessageInitShape<typeof CompleteToolOutputSchema>, options: ProjectOptions = {}): Promise<Result> {
    return await this.#projectOne(create(CompleteToolOutputSchema, output), options);
  }

  /** projectTurn projects the outputs of calls, by their ids, together, so that one that needs less leaves more to the others. */
  async projectTurn(outputs: Iterable<readonly [callId: string, output: Output]>, options: CallOptions = {}): Promise<Result[]> {
    return await this.#inOrder(async () => {
      const places = [...outputs].map(([callId, output]) => [this.#pending(callId), output] as const);
      const results = await this.#projectAt(places, this.#share(places.length), options);
      await this.#change({}, options);
      return results;
    });
  }

  /** stream opens a stream for the output of a tool that still runs. Give its result to turn or projectTurn. */
  stream(tool: string, options: StreamOptions = {}): ToolStream {
    return this.#client.stream(tool, { ...options, ...this.#owner(options), ...this.#projection(options) });
  }

  /** toolDefinitions returns the definition of read_result for the provider. */
  async toolDefinitions(options: CallOptions = {}): Promise<ToolDefinition[]> {
    return await this.#client.toolDefinitions(this.#provider(), options);
  }

  /** callTool executes a call of read_result that the model made, and answers it. */
  async callTool(call: ToolCall, options: CallOptions = {}): Promise<Result> {
    return await this.#inOrder(async () => {
      const place = this.#pending(call.id ?? "");
      const result = await this.#read(call.tool, call.arguments, place, options);
      this.#set([[place, { result }]]);
      await this.#change({}, options);
      return result;
    });
  }

  /** #turn makes a whole turn. */
  async #turn(answer: Answer, outputs: readonly (Output | undefined)[], extras: TurnExtras): Promise<SessionTurn> {
    const turn = { ...this.#turnOf(answer), notices: extras.notices ?? [], userText: extras.userText ?? "" };
    const calls = turn.assistant?.toolCalls ?? [];
    if (outputs.length > calls.length) {
      throw new RangeError(`there are ${outputs.length} outputs of ${calls.length} calls`);
    }
    checkPlaces(calls, outputs);
    this.#begin(turn);
    for (const [i, call] of calls.entries()) {
      if (outputs[i] === undefined && call.tool === readTool) {
        const result = await this.#read(readTool, call.arguments, i, extras);
        this.#set([[i, { result }]]);
      }
    }
    const given = outputs.flatMap((output, i) => (output === undefined ? [] : [[i, output] as const]));
    const left = this.#turnTokens === undefined ? undefined : this.#turnTokens - tokensOf(this.#turns.slice(-1));
    await this.#projectAt(given, left, extras);
    const compaction = await this.#settle(extras);
    const made = this.#turns.at(-1) ?? turn;
    const results = made.answers.map((given) => resultIn(given));
    return { results, messages: made.encoded?.messages ?? [], changes: made.encoded?.changes ?? [], compaction };
  }

  /** #turnOf returns a turn in which nothing is answered yet. */
  #turnOf(answer: Answer): Kept {
    const isSaid = answer.content !== undefined || answer.calls !== undefined || answer.assistant !== undefined;
    const assistant = isSaid ? assistantOf(answer) : undefined;
    const ids = (assistant?.toolCalls ?? []).map((call, i) => call.id || `call-${this.#turns.length}.${i + 1}`);
    return { ...nothing, assistant, ids, answers: ids.map(() => undefined) };
  }

  /** #begin puts a turn behind the others. */
  #begin(turn: Kept): void {
    this.#provider();
    this.#checkClosed();
    this.#turns = [...this.#turns, turn];
  }

  /** #checkClosed checks that all calls have an answer. */
  #checkClosed(): void {
    const last = this.#turns.at(-1);
    if (last !== undefined && isOpen(last)) {
      throw new Error(`calls have no answer yet: ${last.ids.filter((_, i) => last.answers[i] === undefined).join(", ")}`);
    }
  }

  /** #encoded returns the messages of all turns. */
  #encoded(): NonNullable<Kept["encoded"]>[] {
    this.#checkClosed();
    return this.#turns.map(({ encoded }) => {
      if (encoded === undefined) {
        throw new Error("the messages of the last turn are not made: await it or, after an error, call endTurn");
      }
      return encoded;
    });
  }

  /** #pending returns the place of a call that has no answer yet. */
  #pending(callId: string): number {
    const last = this.#turns.at(-1);
    const place = last?.ids.findIndex((id, i) => id === callId && last.answers[i] === undefined) ?? -1;
    if (place < 0) {
      throw new RangeError(`no call without an answer has the id ${JSON.stringify(callId)}`);
    }
    return place;
  }

  /** #change changes the last turn, and makes its messages when all of its calls have an answer. */
  async #change(changes: Partial<Kept>, options: CallOptions): Promise<void> {
    const changed = { ...(this.#turns.at(-1) ?? nothing), ...changes, encoded: undefined };
    this.#turns = [...this.#turns.slice(0, -1), changed];
    if (!isOpen(changed)) {
      await this.#settle(options);
    }
  }

  /** #set puts answers at the places of their calls. */
  #set(answers: readonly (readonly [number, CallResult])[]): void {
    const last = this.#turns.at(-1) ?? nothing;
    const all = [...last.answers];
    for (const [place, given] of answers) {
      all[place] = given;
    }
    this.#turns = [...this.#turns.slice(0, -1), { ...last, answers: all }];
  }

  /** #settle makes the messages that are not made yet, and compacts the history when it is too large. */
  async #settle(options: CallOptions): Promise<Compaction | undefined> {
    const turns: Kept[] = [];
    for (const turn of this.#turns) {
      turns.push(turn.encoded === undefined ? { ...turn, encoded: await this.#encode(turn, options) } : turn);
    }
    this.#turns = turns;
    return await this.#fit(options);
  }

  /** #read executes a call of read_result, within what the turn has left for it, and not more than a page has. */
  async #read(name: string, args: object | string, place: number, options: CallOptions): Promise<Result> {
    const callId = this.#turns.at(-1)?.ids[place];
    const all = { ...this.#owner({ callId }), policy: this.#policy()?.render, ...callOptions(options) };
    const share = this.#share(1);
    if (share === undefined) {
      return await this.#client.callTool(name, args, all);
    }
    return await within(Math.min(share, pageTokens), (maxTokens) => this.#client.callTool(name, args, { ...all, maxTokens }));
  }

  /** #projectOne projects an output and, if it has the id of a call, answers that. */
  async #projectOne(output: CompleteToolOutput, options: ProjectOptions): Promise<Result> {
    return await this.#inOrder(async () => {
      const place = options.callId && this.#options.provider !== undefined ? this.#pending(options.callId) : undefined;
      const tokens = place === undefined ? this.#turnTokens : this.#share(1);
      const [result] = await this.#project([{ output, options: { ...options, ...this.#owner(options) } }], tokens);
      if (place !== undefined && result !== undefined) {
        this.#set([[place, { result }]]);
        await this.#change({}, options);
      }
      return result as Result;
    });
  }

  /** #projectAt projects outputs together, within a budget, and puts them at the places of their calls. */
  async #projectAt(outputs: readonly (readonly [number, Output])[], tokens: number | undefined, options: CallOptions): Promise<Result[]> {
    const last = this.#turns.at(-1) ?? nothing;
    const results = new Map<number, Result>();
    const pending = new Map<number, Pending>();
    for (const [place, output] of outputs) {
      if (typeof output === "object" && isResult(output)) {
        results.set(place, output);
        continue;
      }
      const tool = last.assistant?.toolCalls[place]?.tool ?? "";
      const own = { ...this.#owner({ callId: last.ids[place] }), ...callOptions(options) };
      pending.set(place, { output: completeOutput(tool, output), options: own });
    }
    const spent = [...results.values()].reduce((sum, result) => sum + result.tokens, 0);
    const projected = await this.#project([...pending.values()], tokens === undefined ? undefined : tokens - spent);
    [...pending.keys()].forEach((place, i) => results.set(place, projected[i] as Result));
    this.#set([...results].map(([place, result]) => [place, { result }]));
    return outputs.map(([place]) => results.get(place) as Result);
  }

  /** #share returns what a number of the calls without an answer may cost together, in tokens; undefined: each has its own budget. */
  #share(count: number): number | undefined {
    const last = this.#turns.at(-1);
    const pending = last?.answers.filter((given) => given === undefined).length ?? 0;
    const total = this.#turnTokens;
    if (total === undefined || last === undefined || pending === 0) {
      return total;
    }
    return Math.max(Math.floor(((total - tokensOf([last])) * count) / pending), minBudget);
  }

  /** #project projects outputs by the policy of the session, within a budget. */
  async #project(pending: readonly Pending[], tokens: number | undefined): Promise<Result[]> {
    const own = pending.map(({ output, options }) => ({ output, options: { ...options, ...this.#projection(options) } }));
    return await projectWithin(this.#client, own, tokens);
  }

  /** #encode makes the messages of a turn. */
  async #encode(turn: Kept, options: CallOptions): Promise<Turn> {
    const { assistant, ids, answers, notices, userText } = turn;
    const named = isNamed(assistant?.toolCalls ?? []);
    const results = answers.flatMap((given, i) => (given === undefined ? [] : [{ ...given, callId: named ? ids[i] : undefined }]));
    const { asText } = this.#options;
    const whole = { assistant, results, notices, userText, asText, session: this.id };
    return await this.#client.encodeTurn(this.#provider(), { ...whole, ...callOptions(options) });
  }

  /** #fit compacts a history whose receipts cost too much, to half of that, so that the next time is far away. */
  async #fit(options: CallOptions): Promise<Compaction | undefined> {
    const limit = this.#options.historyTokens ?? 40_000;
    if (this.tokens <= limit) {
      return undefined;
    }
    const entries = entriesOf(this.#turns);
    const sent = entriesOf(this.#turns.slice(0, -1)).length; // the last turn was not sent yet
    const compaction = await this.#client.compact(entries, {
      totalTokens: Math.max(Math.floor(limit / 2), minBudget),
      protectLastTurns: this.#options.protectLastTurns ?? 2,
      policy: { cache: { cachedResults: sent, cacheBreak: CacheBreak.WHEN_NEEDED } },
      session: this.id,
      ...callOptions(options),
    });
    this.#turns = await this.#replace(compaction, options);
    this.#compaction = compaction;
    return compaction;
  }

  /** #replace returns the turns with the results that a compaction changed. Those turns are encoded again. */
  async #replace(compaction: Compaction, options: CallOptions): Promise<Kept[]> {
    const changed = new Map(compaction.results.map(({ index, result }) => [index, result]));
    const turns: Kept[] = [];
    let index = 0;
    for (const turn of this.#turns) {
      const answers = turn.answers.map((given) => {
        const result = resultIn(given) === undefined ? undefined : changed.get(index++);
        return result === undefined ? given : { result };
      });
      const next = { ...turn, answers };
      const isSame = answers.every((given, i) => given === turn.answers[i]);
      turns.push(isSame ? turn : { ...next, encoded: await this.#encode(next, options) });
    }
    return turns;
  }

  /** #owner returns the owner of artifacts. */
  #owner({ callId, agentId }: OwnerOptions): OwnerOptions {
    return { session: this.id, agentId: agentId ?? this.#options.agentId, callId };
  }

  /** #projection returns how an output is projected, and what the agent looks for in it. */
  #projection(options: ProjectOptions): Pick<ProjectOptions, "focus" | "policy"> {
    const policy = this.#policy(options.policy);
    const task = this.task || this.#turns.findLast((turn) => turn.userText !== "")?.userText || "";
    const said = beginning(this.#turns.at(-1)?.assistant?.content ?? "", maxFocus / 2);
    return { policy, focus: joined(task, options.focus || policy?.focus || said) };
  }

  /** #policy returns how outputs are projected: by the policy of the session, and what that of a call sets. */
  #policy(ofCall?: ProjectOptions["policy"]): ProjectionPolicy | undefined {
    const { policy, readResult } = this.#options;
    if (policy === undefined && ofCall === undefined && !readResult) {
      return undefined;
    }
    const message = clone(ProjectionPolicySchema, create(ProjectionPolicySchema, policy));
    if (readResult) {
      message.render ??= create(RenderPolicySchema);
      message.render.handles = HandleForm.CALL;
    }
    if (ofCall !== undefined) {
      mergeFromBinary(ProjectionPolicySchema, message, toBinary(ProjectionPolicySchema, create(ProjectionPolicySchema, ofCall)));
    }
    return message;
  }

  /** #provider returns the provider. */
  #provider(): ProviderName | Provider {
    if (this.#options.provider === undefined) {
      throw new TypeError("the session has no provider, and so no messages");
    }
    return this.#options.provider;
  }

  /** #inOrder does something after all before it, whether that failed or not. */
  #inOrder<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** maxFocus bounds a focus, in bytes. */
const maxFocus = 8 << 10;

/** joined returns a task, or as much of its beginning as there is space for, and a focus on the lines behind it. */
function joined(task: string, focus: string): string {
  const end = focus === "" ? "" : `\n${focus}`;
  const begins = beginning(task, maxFocus - Buffer.byteLength(end));
  return begins === "" ? focus : begins + end;
}

/** beginning returns the beginning of a text that has at most a number of bytes. */
function beginning(text: string, bytes: number): string {
  const buffer = Buffer.alloc(Math.max(bytes, 0));
  const { written } = new TextEncoder().encodeInto(text, buffer);
  return buffer.toString("utf8", 0, written);
}
