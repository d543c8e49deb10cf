// The client of the tool-result sidecar.

export { connect } from "./connect.js";
export type { ConnectOptions } from "./connect.js";
export type { TlsOptions } from "./transport.js";
export { Client } from "./client.js";
export type { StreamOptions, Stubs } from "./client.js";
export { Result } from "./result.js";
export { Page } from "./read.js";
export type { ReadOptions, Selection, Selections } from "./read.js";
export { ToolStream } from "./stream.js";
export type { StreamName } from "./stream.js";
export { Session } from "./session.js";
export type { SessionOptions, SessionTurn, TurnExtras } from "./session.js";
export type { Answer, Output } from "./conversation.js";
export type { Command, CommandBytes, CommandEnd, Failure } from "./outputs.js";
export type { CallOptions, OwnerOptions, ProjectOptions, RenderOptions } from "./options.js";
export type { CompactOptions, Compaction, HistoryEntry } from "./compact.js";
export type { CallResult, Change, Message, ProviderName, ToolCall, ToolDefinition, Turn, TurnOptions } from "./turn.js";
export { NoSidecarError, ToolResultError, UnavailableError } from "./errors.js";
export type { ErrorFacts, StatusCode } from "./errors.js";
export * from "./reasons.js";
export { serviceConfig } from "./service_config.js";
