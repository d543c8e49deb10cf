// Statuses of gRPC, as errors of this package.

import { Code, ConnectError } from "@connectrpc/connect";
import { ToolResultError, UnavailableError } from "./errors.js";
import type { ErrorFacts, StatusCode } from "./errors.js";
import { ErrorInfoSchema, RetryInfoSchema } from "./grpc.js";
import { ClientCancelledError, DeadlineError, MessageTooLargeError, MethodUnknownError, byReason } from "./reasons.js";

/** domain is that of the ErrorInfo of every rejected call. */
const domain = "toolresult.v1";

/** codes are the names of the statuses, by number. */
const codes: readonly StatusCode[] = [
  "UNKNOWN", // 0 is no error
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/** What messages of Connect begin with when a request cannot be written, and when an answer cannot be read. It has no codes for these. */
const unwritten = "serialize binary: ";
const unread = "parse binary: ";

/** Rejection is an error of a call, with what the policy of retries has to know. */
export interface Rejection {
  /** The error, for the caller. */
  error: unknown;
  /** The status of an error that the policy may repeat the call for; undefined: never. */
  code: StatusCode | undefined;
  /** The wait that the sidecar demands, in milliseconds; negative: no repetition; undefined: it demands nothing. */
  pushback: number | undefined;
  /** Whether the sidecar did not look at the call, because too many were open at once: the same call is made again, whatever it is. */
  unseen: boolean;
}

/** rejection returns why a call failed. The signal is that of the caller. */
export function rejection(reason: unknown, signal: AbortSignal | undefined): Rejection {
  if (!(reason instanceof ConnectError)) { // it is none of the transport
    return { error: reason, code: undefined, pushback: undefined, unseen: false };
  }
  if (reason.metadata.has("grpc-status")) {
    const error = answered(reason);
    return { error, code: error.code, pushback: pushback(reason.metadata), unseen: false };
  }
  const error = unanswered(reason, signal);
  const lost = error instanceof UnavailableError;
  return { error, code: lost ? error.code : undefined, pushback: undefined, unseen: lost && reason.rawMessage.includes("REFUSED_STREAM") };
}

/** pushback returns the wait that the trailers of a call demand. */
function pushback(trailers: Headers): number | undefined {
  const text = trailers.get("grpc-retry-pushback-ms");
  if (text === null) {
    return undefined;
  }
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}

/** answered returns the error of a call that the sidecar answered with a status. */
function answered(reason: ConnectError): ToolResultError {
  const code = codes[reason.code] ?? "UNKNOWN";
  const facts: ErrorFacts = { code, retryable: code === "UNAVAILABLE" || code === "ABORTED", cause: reason };
  const info = reason.findDetails(ErrorInfoSchema).find((detail) => detail.domain === domain);
  if (info !== undefined) {
    facts.reason = info.reason;
    facts.metadata = info.metadata;
    facts.field = info.metadata["field"] ?? "";
    facts.hint = info.metadata["hint"] ?? "";
  }
  const retry = reason.findDetails(RetryInfoSchema)[0];
  if (retry !== undefined) {
    facts.retryable = true;
    facts.retryAfter = Number(retry.retryDelay?.seconds ?? 0n) + (retry.retryDelay?.nanos ?? 0) / 1e9;
  }
  if (info === undefined) {
    return ofGRPC(reason.rawMessage, facts);
  }
  const known = Object.hasOwn(byReason, info.reason) ? byReason[info.reason as keyof typeof byReason] : ToolResultError;
  return new known(reason.rawMessage, facts);
}

/** ofGRPC returns the error of a status that gRPC itself made, which has no reason of the contract. */
function ofGRPC(message: string, facts: ErrorFacts): ToolResultError {
  switch (facts.code) {
    case "UNAVAILABLE":
      return new UnavailableError(message, facts);
    case "DEADLINE_EXCEEDED":
      return new DeadlineError(message, facts);
    case "CANCELLED":
      return new ClientCancelledError(message, facts);
    case "UNIMPLEMENTED":
      return new MethodUnknownError(message, facts);
    case "RESOURCE_EXHAUSTED":
      return new MessageTooLargeError(message, facts);
    default:
      return new ToolResultError(message, facts);
  }
}

/** unanswered returns the error of a call that ended in this process: of its caller, of its time, or of the connection. */
function unanswered(reason: ConnectError, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) {
    return aborted(signal);
  }
  switch (reason.code) {
    case Code.DeadlineExceeded:
      return deadline(reason);
    case Code.ResourceExhausted:
      if (!reason.rawMessage.startsWith("http/2")) {
        return new MessageTooLargeError(reason.rawMessage, { code: "RESOURCE_EXHAUSTED", cause: reason });
      }
      break;
    case Code.Unimplemented:
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return ofGRPC(reason.rawMessage, { code: codes[reason.code] ?? "UNKNOWN", cause: reason });
  }
  if (reason.rawMessage.startsWith(unwritten)) { // a number that its field cannot have, for example
    return new TypeError(reason.rawMessage.slice(unwritten.length));
  }
  if (reason.rawMessage.startsWith(unread)) {
    return new ToolResultError(reason.rawMessage, { code: "INTERNAL", cause: reason });
  }
  return new UnavailableError(reason.rawMessage, { cause: reason });
}

/** aborted returns the error of a call that its caller ended. */
export function aborted(signal: AbortSignal): ToolResultError {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === "TimeoutError") { // of AbortSignal.timeout
    return deadline(reason);
  }
  return new ClientCancelledError("the call was cancelled", { code: "CANCELLED", cause: reason });
}

/** deadline returns the error of a call that was not answered in its time. */
export function deadline(cause?: unknown): ToolResultError {
  return new DeadlineError("the deadline of the call passed", { code: "DEADLINE_EXCEEDED", cause });
}
