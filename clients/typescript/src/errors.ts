// The errors of calls, but for those of reasons.ts, which is made of the contract.

/** StatusCode is the name of a status of gRPC. */
export type StatusCode =
  | "CANCELLED"
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "OUT_OF_RANGE"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "DATA_LOSS"
  | "UNAUTHENTICATED";

/** ErrorFacts are what is known of an error beside its message. */
export interface ErrorFacts {
  /** The reason of the contract, such as "BUDGET_TOO_SMALL". Default: that of the class. */
  reason?: string | undefined;
  /** The status. Default: UNKNOWN. */
  code?: StatusCode | undefined;
  /** The path of the field that was wrong. Default: "". */
  field?: string | undefined;
  /** What to do next. Default: "". */
  hint?: string | undefined;
  /** Whether the same call may succeed when it is made again. Default: false. */
  retryable?: boolean | undefined;
  /** Seconds to wait before. Default: not known. */
  retryAfter?: number | undefined;
  /** Further facts, such as "needed" of a budget. Default: none. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** The error of which this one was made. */
  cause?: unknown | undefined;
}

/**
 * ToolResultError is a call that was not served. What the sidecar rejects for a reason of the contract is of the class of that
 * reason, such as BudgetTooSmallError; a reason that this client does not know is of this class.
 *
 * A program that has this package both as a module and by require() has two of each class: compare `reason` there.
 */
export class ToolResultError extends Error {
  override readonly name: string = "ToolResultError";
  /** The reason of the contract, such as "BUDGET_TOO_SMALL"; empty when gRPC itself ended the call. */
  readonly reason: string;
  /** The status. */
  readonly code: StatusCode;
  /** The path of the field that was wrong, such as "output.tool_name"; empty: none. */
  readonly field: string;
  /** What to do next; empty: nothing is known. */
  readonly hint: string;
  /** Whether the same call may succeed when it is made again. */
  readonly retryable: boolean;
  /** Seconds to wait before; undefined: the sidecar does not say. */
  readonly retryAfter: number | undefined;
  /** Further facts, such as "needed" of a budget. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, "cause" in facts ? { cause: facts.cause } : undefined);
    this.reason = facts.reason ?? (new.target as { reason?: string }).reason ?? "";
    this.code = facts.code ?? "UNKNOWN";
    this.field = facts.field ?? "";
    this.hint = facts.hint ?? "";
    this.retryable = facts.retryable ?? false;
    this.retryAfter = facts.retryAfter;
    this.metadata = facts.metadata ?? {};
  }
}

/** UnavailableError means that no sidecar answered. The same call may succeed later. */
export class UnavailableError extends ToolResultError {
  override readonly name: string = "UnavailableError";

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, { code: "UNAVAILABLE", hint: "start one: toolresult ensure", retryable: true, ...facts });
  }
}

/** NoSidecarError means that no sidecar was found, and none was started. */
export class NoSidecarError extends UnavailableError {
  override readonly name: string = "NoSidecarError";
}
