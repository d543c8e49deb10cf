// The client of a sidecar.

import { clone, create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { Client as Stub, Transport } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { collect, compactionOf, compactionPolicyOf, entryOf, fitsOneMessage, streamRequests } from "./compact.js";
import type { CompactOptions, Compaction, HistoryEntry } from "./compact.js";
import { AccessService } from "./gen/toolresult/v1/access_pb.js";
import { ArtifactService } from "./gen/toolresult/v1/artifact_pb.js";
import { AuditService } from "./gen/toolresult/v1/audit_pb.js";
import { CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CanonicalToolResult, CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import type { Receipt } from "./gen/toolresult/v1/policy_pb.js";
import { CompactRequestSchema, ToolResultService } from "./gen/toolresult/v1/service_pb.js";
import type { GetServerInfoResponse, ProjectResponse, ProjectTurnResponse } from "./gen/toolresult/v1/service_pb.js";
import { ToolService } from "./gen/toolresult/v1/tool_pb.js";
import { TransportService } from "./gen/toolresult/v1/transport_pb.js";
import type { Provider } from "./gen/toolresult/v1/transport_pb.js";
import { Health } from "./grpc.js";
import { callOptions, ownerOf, policyOf, renderPolicyOf } from "./options.js";
import type { CallOptions, OwnerOptions, ProjectOptions, RenderOptions } from "./options.js";
import { completeCommand, failureOutput, textOutput } from "./outputs.js";
import type { Command, Failure } from "./outputs.js";
import { familyOf, inline, inlineBytes, payloadsOf, streamed, toBytes } from "./payloads.js";
import { Page, readRequest } from "./read.js";
import type { ReadOptions } from "./read.js";
import { AuditDisabledError } from "./reasons.js";
import { requestOf } from "./request.js";
import type { ProjectRequestInit } from "./request.js";
import { Result, isResult, resultOf } from "./result.js";
import { Session } from "./session.js";
import type { SessionOptions } from "./session.js";
import { StreamCall, ToolStream } from "./stream.js";
import type { Header } from "./stream.js";
import type { Connection } from "./transport.js";
import { definitionOf, providerOf, turnOf, turnRequest } from "./turn.js";
import type { ProviderName, ToolDefinition, Turn, TurnOptions } from "./turn.js";

/** maxUnary is the size of payloads in one message, in bytes. */
const maxUnary = 1 << 20;

/** Stubs are the generated clients, for calls that Client has no method of. They share its connection, deadlines, retries and errors. */
export interface Stubs {
  readonly results: Stub<typeof ToolResultService>;
  readonly artifacts: Stub<typeof ArtifactService>;
  readonly transport: Stub<typeof TransportService>;
  readonly tools: Stub<typeof ToolService>;
  readonly audit: Stub<typeof AuditService>;
  readonly access: Stub<typeof AccessService>;
  readonly health: Stub<typeof Health>;
}

/** StreamOptions are those of a stream. */
export interface StreamOptions extends ProjectOptions {
  /** The family of the output, as GetServerInfo names it. Default: "command". */
  family?: string | undefined;
  /** The command line, by which lines are ranked while they arrive. Default: not known. */
  commandLine?: string | undefined;
  /** The media type of a text, such as "text/markdown". Default: not known. */
  mediaType?: string | undefined;
}

/** Client calls a sidecar. Make one with connect. Any number of calls may run at once. */
export class Client {
  /** The address of the sidecar: unix:///PATH or HOST:PORT. */
  readonly address: string;
  /** The generated clients. */
  readonly stubs: Stubs;
  readonly #connection: Connection;
  readonly #session: string;
  #noIds = false; // the sidecar keeps no audit log, and takes no request ids

  /** connect makes clients. The session is that of calls that name none; empty: none. */
  constructor(address: string, connection: Connection, session: string) {
    this.address = address;
    this.#connection = connection;
    this.#session = session;
    this.stubs = stubsOf(connection.transport);
  }

  /** The transport of the calls, for clients of other services. */
  get transport(): Transport {
    return this.#connection.transport;
  }

  /** close ends the connection, and the calls that run. The sidecar goes on. A later call connects again. */
  close(): void {
    this.#connection.close();
  }

  /** The end of `await using` closes the client. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** projectText projects what a tool answered: any text, any bytes, of any size. */
  async projectText(tool: string, text: string | Uint8Array, options: ProjectOptions & { mediaType?: string | undefined } = {}): Promise<Result> {
    return await this.project(textOutput(tool, inline(text), options.mediaType), options);
  }

  /** projectCommand projects what a command printed, and how it ended. */
  async projectCommand(commandLine: string, command: Command, options: ProjectOptions = {}): Promise<Result> {
    return await this.project(completeCommand(commandLine, command), options);
  }

  /** projectError projects a tool that could not do its work. The kinds are those of docs/reference/errors.md, or your own. */
  async projectError(tool: string, kind: string, message: string, options: ProjectOptions & Failure = {}): Promise<Result> {
    return await this.project(failureOutput(tool, kind, message, options), options);
  }

  /** project projects the output of a tool of any family. Payloads of more than 1 MiB are sent as streams. */
  async project(output: MessageInitShape<typeof CompleteToolOutputSchema>, options: ProjectOptions = {}): Promise<Result> {
    const message = create(CompleteToolOutputSchema, output);
    if (inlineBytes(message) > maxUnary) {
      return new Result(await this.#projectStreamed(message, options));
    }
    const request = requestOf(message, options, this.#session);
    const answer = await this.#withRequestId(options.requestId, (requestId) =>
      this.stubs.results.project({ ...request, requestId }, callOptions(options)),
    );
    return new Result(answer);
  }

  /** stream opens a stream for the output of a tool that still runs. What the sidecar rejects fails the first call behind it. */
  stream(tool: string, options: StreamOptions = {}): ToolStream {
    const header = { ...this.#header(tool, options), family: options.family ?? "command", commandLine: options.commandLine ?? "" };
    header.streams = ["output", "stdout", "stderr"];
    return new ToolStream(this.#open(header, options), header, options.mediaType ?? "");
  }

  /** render makes the receipt of a result again, for another budget or policy. */
  async render(result: Result | CanonicalToolResult, options: RenderOptions = {}): Promise<Receipt> {
    const policy = renderPolicyOf(options);
    const { canonical, canonicalJson, family } = isResult(result) ? result.response : { canonical: result, canonicalJson: "", family: "" };
    const answer = await this.stubs.results.render(
      canonical === undefined
        ? { result: { case: "canonicalJson", value: canonicalJson }, family, policy }
        : { result: { case: "canonical", value: canonical }, policy },
      callOptions(options),
    );
    return answer.receipt ?? missing("receipt");
  }

  /** compact brings a history of results, oldest first, to fewer tokens. A history of any length is taken. */
  async compact(entries: readonly (Result | HistoryEntry)[], options: CompactOptions): Promise<Compaction> {
    const request = create(CompactRequestSchema, {
      entries: entries.map(entryOf),
      policy: compactionPolicyOf(options),
      sessionId: options.session ?? this.#session,
      dryRun: options.dryRun ?? false,
    });
    const answer = fitsOneMessage(request.entries)
      ? await this.stubs.results.compact(request, callOptions(options))
      : await collect(this.stubs.results.compactStream(streamRequests(request), callOptions(options)));
    return compactionOf(answer);
  }

  /** read reads a part of an artifact, or all of it: as much as one answer has. The page says whether that is complete. */
  async read(path: string, options: ReadOptions = {}): Promise<Page> {
    return new Page(await this.stubs.artifacts.readArtifact(readRequest(path, options, this.#session), callOptions(options)));
  }

  /** readPages reads a part of an artifact in as many answers as it takes. Of a log that is still written it ends with what is there. */
  async *readPages(path: string, options: ReadOptions = {}): AsyncGenerator<Page, void, undefined> {
    const request = readRequest(path, options, this.#session);
    for (;;) {
      const page = new Page(await this.stubs.artifacts.readArtifact(request, callOptions(options)));
      yield page;
      if (page.complete || page.nextPageToken === "") {
        return;
      }
      request.pageToken = page.nextPageToken;
    }
  }

  /** encodeTurn makes the messages of one turn for a provider: the text of the model, the calls that it made, and their results. */
  async encodeTurn(provider: ProviderName | Provider, turn: TurnOptions): Promise<Turn> {
    return turnOf(await this.stubs.transport.encodeTurn(turnRequest(provider, turn, this.#session), callOptions(turn)));
  }

  /**
   * registerSecrets says which values must not be in anything that is made of a tool's output: those of one session, or without one of
   * all. Names replace values, as "[redacted:NAME]". The list takes the place of an earlier one. It returns the id of the list, which a
   * policy can require.
   */
  async registerSecrets(values: Readonly<Record<string, string | Uint8Array>>, options: CallOptions & { session?: string | undefined } = {}): Promise<string> {
    const secrets = Object.entries(values).map(([name, value]) => ({ name, value: toBytes(value) }));
    const answer = await this.stubs.access.registerSecrets({ sessionId: options.session ?? "", secrets }, callOptions(options));
    return answer.setId;
  }

  /** toolDefinitions returns the definition of read_result for a provider: the tool by which a model reads what receipts do not show. */
  async toolDefinitions(provider: ProviderName | Provider, options: CallOptions = {}): Promise<ToolDefinition[]> {
    const answer = await this.stubs.tools.getToolDefinitions({ provider: providerOf(provider) }, callOptions(options));
    return answer.tools.map(definitionOf);
  }

  /**
   * callTool executes a call of read_result that a model made, for a session, with arguments as the model wrote them. What the model did
   * wrong is in the receipt.
   */
  async callTool(name: string, args: object | string, options: OwnerOptions & RenderOptions = {}): Promise<Result> {
    const argumentsJson = typeof args === "string" ? args : JSON.stringify(args);
    const request = { name, argumentsJson, call: ownerOf(options, this.#session), policy: renderPolicyOf(options) };
    const answer = await this.stubs.tools.callTool(request, callOptions(options));
    return resultOf(answer.canonical, answer.receipt);
  }

  /** projectTurn projects the outputs of parallel calls, whose receipts share a budget, in tokens. Its results are in the same order. */
  async projectTurn(
    outputs: readonly ProjectRequestInit[],
    totalTokens: number,
    options: CallOptions & { requestId?: string | undefined } = {},
  ): Promise<{ results: Result[]; response: ProjectTurnResponse }> {
    const response = await this.#withRequestId(options.requestId, (requestId) =>
      this.stubs.results.projectTurn({ outputs: [...outputs], totalTokens, requestId }, callOptions(options)),
    );
    return { results: response.results.map((answer) => new Result(answer)), response };
  }

  /** session returns what an agent loop needs of one session: its turns, within budgets, as messages of a provider. */
  session(id: string, options: SessionOptions = {}): Session {
    return new Session(this, id, options);
  }

  /** info says what the sidecar is and what it accepts. */
  async info(options: CallOptions = {}): Promise<GetServerInfoResponse> {
    return await this.stubs.results.getServerInfo({}, callOptions(options));
  }

  /** healthy reports whether the sidecar serves. An error says that it did not answer. */
  async healthy(options: CallOptions = {}): Promise<boolean> {
    const answer = await this.stubs.health.check({}, callOptions(options));
    return answer.status === 1;
  }

  /**
   * withRequestId makes a call with the id of the caller, or with one of its own. A sidecar without an audit log rejects ids: then a call
   * is made once more without one, and later calls have none.
   */
  async #withRequestId<T>(given: string | undefined, call: (requestId: string) => Promise<T>): Promise<T> {
    const requestId = given ?? (this.#noIds ? "" : randomUUID());
    try {
      return await call(requestId);
    } catch (error) {
      if (!(error instanceof AuditDisabledError) || given !== undefined || requestId === "") {
        throw error;
      }
      this.#noIds = true;
      return await call("");
    }
  }

  /** #projectStreamed sends an output whose payloads are too large for one message. A stream is not repeated, and needs no id. */
  async #projectStreamed(output: CompleteToolOutput, options: ProjectOptions): Promise<ProjectResponse> {
    const { message, payloads } = detach(output);
    const commandLine = message.result.case === "command" ? message.result.value.commandLine : "";
    const header = { ...this.#header(output.toolName, options), family: familyOf(output) ?? "text", commandLine };
    header.streams = payloads.map((_, i) => payloadName(i));
    const call = this.#open(header, options);
    try {
      for (const [i, payload] of payloads.entries()) {
        await call.write(payloadName(i), payload);
      }
      return await call.finish(message);
    } finally {
      call.cancel();
    }
  }

  /** #header returns what a stream begins with. */
  #header(tool: string, options: ProjectOptions): Header {
    return {
      family: "",
      toolName: tool,
      policy: policyOf(options),
      call: ownerOf(options, this.#session),
      requestId: options.requestId ?? "",
      audit: options.audit,
    };
  }

  /** #open opens a call of ProjectStream. */
  #open(header: Header, options: CallOptions): StreamCall {
    return new StreamCall(
      (requests, signal) => this.stubs.results.projectStream(requests, callOptions({ timeoutMs: options.timeoutMs, signal })),
      header,
      options.signal,
    );
  }
}

/** stubsOf returns the generated clients on a transport. */
function stubsOf(transport: Transport): Stubs {
  return {
    results: createClient(ToolResultService, transport),
    artifacts: createClient(ArtifactService, transport),
    transport: createClient(TransportService, transport),
    tools: createClient(ToolService, transport),
    audit: createClient(AuditService, transport),
    access: createClient(AccessService, transport),
    health: createClient(Health, transport),
  };
}

/** detach returns a copy of an output whose payloads name streams, and their bytes, which are not copied. */
function detach(output: CompleteToolOutput): { message: CompleteToolOutput; payloads: Uint8Array[] } {
  const payloads = payloadsOf(output).filter(({ source }) => source.case === "inline");
  const sources = payloads.map(({ source }) => source);
  try {
    payloads.forEach((payload, i) => (payload.source = streamed(payloadName(i)).source));
    return { message: clone(CompleteToolOutputSchema, output), payloads: sources.map(({ value }) => value as Uint8Array) };
  } finally {
    payloads.forEach((payload, i) => (payload.source = sources[i] ?? payload.source)); // it is the caller's
  }
}

/** payloadName is the name of the stream of a payload. */
function payloadName(i: number): string {
  return `payload-${i}`;
}

/** missing fails: the answer has no member that it must have. */
function missing(member: string): never {
  throw new Error(`the answer has no ${member}`);
}
