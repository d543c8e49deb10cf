// Turns of a conversation, as messages of a provider.

import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ToolStatus } from "./gen/toolresult/v1/envelope_pb.js";
import type { ToolDefinition as Definition } from "./gen/toolresult/v1/tool_pb.js";
import { AssistantTurnSchema, EncodeTurnRequestSchema, Provider, ToolCallFormat, TurnChange, TurnResultSchema } from "./gen/toolresult/v1/transport_pb.js";
import type { AssistantTurn, EncodeTurnRequest, EncodeTurnResponse, TurnResult } from "./gen/toolresult/v1/transport_pb.js";
import type { CallOptions } from "./options.js";
import { Result } from "./result.js";

/** providers are the providers by their words. */
const providers = {
  chat: Provider.CHAT,
  "openai-chat": Provider.OPENAI_CHAT,
  "openai-responses": Provider.OPENAI_RESPONSES,
  anthropic: Provider.ANTHROPIC_MESSAGES,
  gemini: Provider.GEMINI,
  bedrock: Provider.BEDROCK_CONVERSE,
  mistral: Provider.MISTRAL,
  ollama: Provider.OLLAMA,
} as const;

/** ProviderName is a provider by its word. */
export type ProviderName = keyof typeof providers;

/** Message is a message of a provider. */
export type Message = Record<string, unknown>;

/** ToolCall is a call that a model made. */
export interface ToolCall {
  /** The tool. */
  tool: string;
  /** The arguments: an object, or the JSON text that the model wrote, which stays as it is. */
  arguments: object | string;
  /** The provider's id of the call. Default: it gave none. */
  id?: string | undefined;
  /** The server of the tool; its function is then "server___tool". Default: none. */
  server?: string | undefined;
}

/** CallResult is the answer to a call: a result, or a text of the runtime itself where no tool was run. */
export interface CallResult {
  /** The call. Default: the one at the same place among the calls; all results name their call, or none. */
  callId?: string | undefined;
  /** The result, or a text. */
  result: Result | string;
  /** Of a text: whether it says that the call failed. Default: false. */
  error?: boolean | undefined;
}

/** TurnOptions are a turn: what the model said and called, and the results. */
export interface TurnOptions extends CallOptions {
  /** What the model said. Default: nothing. */
  content?: string | undefined;
  /** The calls that it made, in their order. */
  calls?: readonly ToolCall[] | undefined;
  /** What the model answered as a message, in place of content and calls: that of AssembleToolCalls, or one with blocks of the provider. */
  assistant?: MessageInitShape<typeof AssistantTurnSchema> | undefined;
  /** The results of the calls. A call without one is answered by a text that says so. */
  results?: readonly CallResult[] | undefined;
  /** What the runtime says to the model after the results, such as that a limit is near. */
  notices?: readonly string[] | undefined;
  /** What the user says behind all of this. */
  userText?: string | undefined;
  /** Calls and results as text, for models without native calls. Default: false. */
  asText?: boolean | undefined;
  /** The session for which images of results are read. Default: that of the client, or any. */
  session?: string | undefined;
}

/** Change is something of a turn that is not as it was given. */
export interface Change {
  /** The kind, such as "TURN_CHANGE_ID". */
  change: string;
  /** Index of the call; undefined: the turn as a whole. */
  call: number | undefined;
  /** How, for people. */
  detail: string;
}

/** Turn is the messages of one turn. */
export interface Turn {
  /** The messages, to be put behind those of earlier turns. */
  messages: Message[];
  /** The same as the sidecar wrote them: numbers of arguments that JavaScript cannot have are as the model wrote them. */
  messagesJson: readonly string[];
  /** Whether calls and results are native, and not text. */
  native: boolean;
  /** What is not as it was given. */
  changes: Change[];
  /** The whole answer. */
  response: EncodeTurnResponse;
}

/** ToolDefinition is a tool for a model. */
export interface ToolDefinition {
  /** The name by which the model calls it. */
  name: string;
  /** The definition, for "tools" of a request; for Gemini, for "functionDeclarations" of an element of them. */
  definition: Message;
}

/** providerOf returns a provider by its word, or as it is. */
export function providerOf(provider: ProviderName | Provider): Provider {
  if (typeof provider === "number") {
    return provider;
  }
  if (!Object.hasOwn(providers, provider)) {
    throw new TypeError(`${JSON.stringify(provider)} is none of the providers ${Object.keys(providers).join(", ")}`);
  }
  return providers[provider];
}

/** turnRequest returns a turn as a message. */
export function turnRequest(provider: ProviderName | Provider, turn: TurnOptions, session: string): EncodeTurnRequest {
  const hasAnswer = turn.content !== undefined || turn.calls !== undefined || turn.assistant !== undefined;
  return create(EncodeTurnRequestSchema, {
    provider: providerOf(provider),
    format: turn.asText ? ToolCallFormat.TEXT : ToolCallFormat.UNSPECIFIED,
    assistant: hasAnswer ? assistantOf(turn) : undefined,
    results: (turn.results ?? []).map(resultOfCall),
    notices: [...(turn.notices ?? [])],
    userText: turn.userText ?? "",
    sessionId: turn.session ?? session,
  });
}

/** assistantOf returns what the model answered. */
export function assistantOf(turn: Pick<TurnOptions, "assistant" | "content" | "calls">): AssistantTurn {
  if (turn.assistant !== undefined) {
    return create(AssistantTurnSchema, turn.assistant);
  }
  return create(AssistantTurnSchema, {
    content: turn.content ?? "",
    toolCalls: (turn.calls ?? []).map((call) => ({
      tool: call.tool,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
      id: call.id,
      server: call.server ?? "",
    })),
  });
}

/** resultOfCall returns the answer to a call. */
function resultOfCall({ callId, result, error }: CallResult): TurnResult {
  if (typeof result === "string") {
    return create(TurnResultSchema, {
      callId,
      content: { case: "text", value: result },
      status: error ? ToolStatus.ERROR : ToolStatus.UNSPECIFIED,
    });
  }
  const { canonical, canonicalJson, receipt, family } = result.response;
  const content = canonical === undefined ? { case: "canonicalJson" as const, value: canonicalJson } : { case: "canonical" as const, value: canonical };
  return create(TurnResultSchema, { callId, content, receipt, family: canonical === undefined ? family : "" });
}

/** turnOf returns the messages of an answer. */
export function turnOf(response: EncodeTurnResponse): Turn {
  return {
    messages: response.messagesJson.map((text) => JSON.parse(text) as Message),
    messagesJson: response.messagesJson,
    native: response.native,
    changes: response.changes.map(({ change, call, detail }) => ({ change: `TURN_CHANGE_${TurnChange[change] ?? change}`, call, detail })),
    response,
  };
}

/** definitionOf returns a definition of a tool. */
export function definitionOf(tool: Definition): ToolDefinition {
  return { name: tool.name, definition: JSON.parse(tool.definitionJson) as Message };
}
