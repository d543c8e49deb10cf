// The errors of rejected calls, one class for each reason of the contract. Made by `make generate`.

import { ToolResultError } from "./errors.js";

/**
 * INVALID_ARGUMENT.
 *
 * status, result and error do not agree, or fields that exclude each other are both set.
 */
export class EnvelopeExclusivityError extends ToolResultError {
  static readonly reason = "ENVELOPE_EXCLUSIVITY";
  override readonly name: string = "EnvelopeExclusivityError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A required field is not set.
 */
export class FieldMissingError extends ToolResultError {
  static readonly reason = "FIELD_MISSING";
  override readonly name: string = "FieldMissingError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A field is longer than its bound.
 */
export class FieldTooLongError extends ToolResultError {
  static readonly reason = "FIELD_TOO_LONG";
  override readonly name: string = "FieldTooLongError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A number is outside of its bounds.
 */
export class FieldOutOfBoundsError extends ToolResultError {
  static readonly reason = "FIELD_OUT_OF_BOUNDS";
  override readonly name: string = "FieldOutOfBoundsError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A name is outside of its closed pattern.
 */
export class NameInvalidError extends ToolResultError {
  static readonly reason = "NAME_INVALID";
  override readonly name: string = "NameInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * An enum of a request has a number that this server does not know.
 */
export class EnumUnknownError extends ToolResultError {
  static readonly reason = "ENUM_UNKNOWN";
  override readonly name: string = "EnumUnknownError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A field that must hold JSON text does not.
 */
export class JsonInvalidError extends ToolResultError {
  static readonly reason = "JSON_INVALID";
  override readonly name: string = "JsonInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * JSON text is nested more deeply than its bound.
 */
export class JsonTooDeepError extends ToolResultError {
  static readonly reason = "JSON_TOO_DEEP";
  override readonly name: string = "JsonTooDeepError";
}

/**
 * INVALID_ARGUMENT.
 *
 * An object of JSON text has a key twice.
 */
export class JsonDuplicateKeyError extends ToolResultError {
  static readonly reason = "JSON_DUPLICATE_KEY";
  override readonly name: string = "JsonDuplicateKeyError";
}

/**
 * INVALID_ARGUMENT.
 *
 * An *_artifact index names no artifact of the payload, or two roles name the same one.
 */
export class ArtifactIndexInvalidError extends ToolResultError {
  static readonly reason = "ARTIFACT_INDEX_INVALID";
  override readonly name: string = "ArtifactIndexInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * Preview, cuts and source facts of a canonical result do not add up.
 */
export class LedgerInvalidError extends ToolResultError {
  static readonly reason = "LEDGER_INVALID";
  override readonly name: string = "LedgerInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A preview of a canonical result holds characters that no projection leaves in (escape sequences,
 * other line breaks, invisible characters).
 */
export class TextNotSanitisedError extends ToolResultError {
  static readonly reason = "TEXT_NOT_SANITISED";
  override readonly name: string = "TextNotSanitisedError";
}

/**
 * INVALID_ARGUMENT.
 *
 * What must be kept does not fit the budget; the metadata says what is enough (`needed`), the
 * budget and the shortfall, and in which unit.
 */
export class BudgetTooSmallError extends ToolResultError {
  static readonly reason = "BUDGET_TOO_SMALL";
  override readonly name: string = "BudgetTooSmallError";
}

/**
 * UNAUTHENTICATED.
 *
 * A call over TCP without a token.
 */
export class TokenMissingError extends ToolResultError {
  static readonly reason = "TOKEN_MISSING";
  override readonly name: string = "TokenMissingError";
}

/**
 * UNAUTHENTICATED.
 *
 * A call over TCP with a wrong token.
 */
export class TokenInvalidError extends ToolResultError {
  static readonly reason = "TOKEN_INVALID";
  override readonly name: string = "TokenInvalidError";
}

/**
 * PERMISSION_DENIED.
 *
 * The :authority of a call over TCP names another host.
 */
export class AuthorityNotAllowedError extends ToolResultError {
  static readonly reason = "AUTHORITY_NOT_ALLOWED";
  override readonly name: string = "AuthorityNotAllowedError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * The request is larger than the message limit; making it again does not help.
 */
export class MessageTooLargeError extends ToolResultError {
  static readonly reason = "MESSAGE_TOO_LARGE";
  override readonly name: string = "MessageTooLargeError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * Too many bytes of requests are being worked on; try again after the RetryInfo.
 */
export class InFlightBytesError extends ToolResultError {
  static readonly reason = "IN_FLIGHT_BYTES";
  override readonly name: string = "InFlightBytesError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * The disk of the artifact store is full.
 */
export class DiskFullError extends ToolResultError {
  static readonly reason = "DISK_FULL";
  override readonly name: string = "DiskFullError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * The process has no file descriptor left.
 */
export class FdLimitError extends ToolResultError {
  static readonly reason = "FD_LIMIT";
  override readonly name: string = "FdLimitError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * The artifact is larger than the file system allows.
 */
export class ArtifactTooLargeError extends ToolResultError {
  static readonly reason = "ARTIFACT_TOO_LARGE";
  override readonly name: string = "ArtifactTooLargeError";
}

/**
 * FAILED_PRECONDITION.
 *
 * The artifact store cannot be written to.
 */
export class StoreReadOnlyError extends ToolResultError {
  static readonly reason = "STORE_READ_ONLY";
  override readonly name: string = "StoreReadOnlyError";
}

/**
 * UNAVAILABLE.
 *
 * The server is shutting down; try another one, or again later.
 */
export class DrainingError extends ToolResultError {
  static readonly reason = "DRAINING";
  override readonly name: string = "DrainingError";
}

/**
 * INTERNAL.
 *
 * A fault of the server; the metadata has an incident id that its log has too.
 */
export class PanicError extends ToolResultError {
  static readonly reason = "PANIC";
  override readonly name: string = "PanicError";
}

/**
 * INTERNAL.
 *
 * The artifact store failed in a way that has no reason of its own; the metadata has an incident id
 * that its log has too.
 */
export class StoreFailedError extends ToolResultError {
  static readonly reason = "STORE_FAILED";
  override readonly name: string = "StoreFailedError";
}

/**
 * CANCELLED.
 *
 * The client went away or cancelled.
 */
export class ClientCancelledError extends ToolResultError {
  static readonly reason = "CLIENT_CANCELLED";
  override readonly name: string = "ClientCancelledError";
}

/**
 * DEADLINE_EXCEEDED.
 *
 * The client's deadline, or the server's default one, passed.
 */
export class DeadlineError extends ToolResultError {
  static readonly reason = "DEADLINE";
  override readonly name: string = "DeadlineError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A family that this server was not given, where one must be known.
 */
export class FamilyUnknownError extends ToolResultError {
  static readonly reason = "FAMILY_UNKNOWN";
  override readonly name: string = "FamilyUnknownError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A message is not what its type says: a request that cannot be decoded, or the message of a custom
 * output.
 */
export class MessageInvalidError extends ToolResultError {
  static readonly reason = "MESSAGE_INVALID";
  override readonly name: string = "MessageInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A message of a stream is out of order.
 */
export class StreamOrderError extends ToolResultError {
  static readonly reason = "STREAM_ORDER";
  override readonly name: string = "StreamOrderError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A pattern is no regular expression of RE2.
 */
export class PatternInvalidError extends ToolResultError {
  static readonly reason = "PATTERN_INVALID";
  override readonly name: string = "PatternInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A page token is not one that this request was answered with.
 */
export class PageTokenInvalidError extends ToolResultError {
  static readonly reason = "PAGE_TOKEN_INVALID";
  override readonly name: string = "PageTokenInvalidError";
}

/**
 * NOT_FOUND.
 *
 * The store has no such artifact.
 */
export class ArtifactNotFoundError extends ToolResultError {
  static readonly reason = "ARTIFACT_NOT_FOUND";
  override readonly name: string = "ArtifactNotFoundError";
}

/**
 * PERMISSION_DENIED.
 *
 * A path is not in the store of this server.
 */
export class PathOutsideStoreError extends ToolResultError {
  static readonly reason = "PATH_OUTSIDE_STORE";
  override readonly name: string = "PathOutsideStoreError";
}

/**
 * DATA_LOSS.
 *
 * An artifact does not hold the bytes that were put.
 */
export class ArtifactCorruptError extends ToolResultError {
  static readonly reason = "ARTIFACT_CORRUPT";
  override readonly name: string = "ArtifactCorruptError";
}

/**
 * OUT_OF_RANGE.
 *
 * The artifact has no such line or byte.
 */
export class RangeNotSatisfiableError extends ToolResultError {
  static readonly reason = "RANGE_NOT_SATISFIABLE";
  override readonly name: string = "RangeNotSatisfiableError";
}

/**
 * PERMISSION_DENIED.
 *
 * A file is not under a directory that the operator allowed, is no regular file, or has more than
 * one name and is another user's than the caller's.
 */
export class FileNotAllowedError extends ToolResultError {
  static readonly reason = "FILE_NOT_ALLOWED";
  override readonly name: string = "FileNotAllowedError";
}

/**
 * NOT_FOUND.
 *
 * There is no such file.
 */
export class FileNotFoundError extends ToolResultError {
  static readonly reason = "FILE_NOT_FOUND";
  override readonly name: string = "FileNotFoundError";
}

/**
 * ABORTED.
 *
 * A file changed while it was read; nothing of it is answered.
 */
export class FileChangedError extends ToolResultError {
  static readonly reason = "FILE_CHANGED";
  override readonly name: string = "FileChangedError";
}

/**
 * FAILED_PRECONDITION.
 *
 * The artifact was deleted by the rules of retention; the metadata says when ("deleted_at", RFC
 * 3339) and why ("why").
 */
export class ArtifactExpiredError extends ToolResultError {
  static readonly reason = "ARTIFACT_EXPIRED";
  override readonly name: string = "ArtifactExpiredError";
}

/**
 * DATA_LOSS.
 *
 * The store's catalog has the artifact, and its file is gone.
 */
export class ArtifactMissingError extends ToolResultError {
  static readonly reason = "ARTIFACT_MISSING";
  override readonly name: string = "ArtifactMissingError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * The artifacts of the session would take more than a session may; end its lease, or ask the
 * operator for more. Or the values that are registered would be more than there may be; the
 * metadata says the "limit" and of what ("of").
 */
export class QuotaSessionError extends ToolResultError {
  static readonly reason = "QUOTA_SESSION";
  override readonly name: string = "QuotaSessionError";
}

/**
 * RESOURCE_EXHAUSTED.
 *
 * The store would take more than it may, and nothing in it may be deleted; an operator must act.
 */
export class QuotaStoreError extends ToolResultError {
  static readonly reason = "QUOTA_STORE";
  override readonly name: string = "QuotaStoreError";
}

/**
 * ABORTED.
 *
 * What was put was deleted as garbage at the same time, several times in a row; make the same call
 * again.
 */
export class GcRaceError extends ToolResultError {
  static readonly reason = "GC_RACE";
  override readonly name: string = "GcRaceError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A text is no JSON pointer (RFC 6901).
 */
export class PointerInvalidError extends ToolResultError {
  static readonly reason = "POINTER_INVALID";
  override readonly name: string = "PointerInvalidError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A chunk says another offset than its place in the stream.
 */
export class ChunkOrderError extends ToolResultError {
  static readonly reason = "CHUNK_ORDER";
  override readonly name: string = "ChunkOrderError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A stream has another size than its finish says.
 */
export class SizeMismatchError extends ToolResultError {
  static readonly reason = "SIZE_MISMATCH";
  override readonly name: string = "SizeMismatchError";
}

/**
 * DEADLINE_EXCEEDED.
 *
 * Nothing was received for longer than a stream may be idle.
 */
export class StreamIdleError extends ToolResultError {
  static readonly reason = "STREAM_IDLE";
  override readonly name: string = "StreamIdleError";
}

/**
 * FAILED_PRECONDITION.
 *
 * A log has another length than the one that the caller wants to go on from; the metadata has it
 * ("received_bytes").
 */
export class LogOffsetMismatchError extends ToolResultError {
  static readonly reason = "LOG_OFFSET_MISMATCH";
  override readonly name: string = "LogOffsetMismatchError";
}

/**
 * ABORTED.
 *
 * Another call appends to the log.
 */
export class LogBusyError extends ToolResultError {
  static readonly reason = "LOG_BUSY";
  override readonly name: string = "LogBusyError";
}

/**
 * FAILED_PRECONDITION.
 *
 * The log is finished; nothing can be appended.
 */
export class LogFinishedError extends ToolResultError {
  static readonly reason = "LOG_FINISHED";
  override readonly name: string = "LogFinishedError";
}

/**
 * UNAVAILABLE.
 *
 * The artifact is in the object store alone, and that does not answer; try again after the
 * RetryInfo.
 */
export class ObjectStoreUnavailableError extends ToolResultError {
  static readonly reason = "OBJECT_STORE_UNAVAILABLE";
  override readonly name: string = "ObjectStoreUnavailableError";
}

/**
 * ALREADY_EXISTS.
 *
 * The request id was used for another request. The first one stays.
 */
export class RequestIdReusedError extends ToolResultError {
  static readonly reason = "REQUEST_ID_REUSED";
  override readonly name: string = "RequestIdReusedError";
}

/**
 * NOT_FOUND.
 *
 * The audit log has no such record, or the caller may not see it.
 */
export class RecordNotFoundError extends ToolResultError {
  static readonly reason = "RECORD_NOT_FOUND";
  override readonly name: string = "RecordNotFoundError";
}

/**
 * DATA_LOSS.
 *
 * The audit log does not hold what was written to it.
 */
export class AuditChainBrokenError extends ToolResultError {
  static readonly reason = "AUDIT_CHAIN_BROKEN";
  override readonly name: string = "AuditChainBrokenError";
}

/**
 * FAILED_PRECONDITION.
 *
 * The audit log failed. Nothing more is answered that would need a record until the server starts
 * again.
 */
export class AuditLogFailedError extends ToolResultError {
  static readonly reason = "AUDIT_LOG_FAILED";
  override readonly name: string = "AuditLogFailedError";
}

/**
 * FAILED_PRECONDITION.
 *
 * The operator keeps no audit log.
 */
export class AuditDisabledError extends ToolResultError {
  static readonly reason = "AUDIT_DISABLED";
  override readonly name: string = "AuditDisabledError";
}

/**
 * FAILED_PRECONDITION.
 *
 * The server does not have the registered values that the call requires. Register them again.
 */
export class SecretsUnknownError extends ToolResultError {
  static readonly reason = "SECRETS_UNKNOWN";
  override readonly name: string = "SecretsUnknownError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A value that cannot be registered: too short, too long, or no secret.
 */
export class SecretInvalidError extends ToolResultError {
  static readonly reason = "SECRET_INVALID";
  override readonly name: string = "SecretInvalidError";
}

/**
 * PERMISSION_DENIED.
 *
 * The caller is confined to another session than the request names.
 */
export class SessionMismatchError extends ToolResultError {
  static readonly reason = "SESSION_MISMATCH";
  override readonly name: string = "SessionMismatchError";
}

/**
 * PERMISSION_DENIED.
 *
 * The caller may not read redacted values.
 */
export class RawNotAllowedError extends ToolResultError {
  static readonly reason = "RAW_NOT_ALLOWED";
  override readonly name: string = "RawNotAllowedError";
}

/**
 * PERMISSION_DENIED.
 *
 * The user may not connect. Only in records: such a connection gets no answer.
 */
export class PeerNotAllowedError extends ToolResultError {
  static readonly reason = "PEER_NOT_ALLOWED";
  override readonly name: string = "PeerNotAllowedError";
}

/**
 * PERMISSION_DENIED.
 *
 * The caller may not call this method.
 */
export class MethodNotAllowedError extends ToolResultError {
  static readonly reason = "METHOD_NOT_ALLOWED";
  override readonly name: string = "MethodNotAllowedError";
}

/**
 * UNAUTHENTICATED.
 *
 * Too many calls with wrong tokens from this address. Retry after the RetryInfo.
 */
export class TokenBackoffError extends ToolResultError {
  static readonly reason = "TOKEN_BACKOFF";
  override readonly name: string = "TokenBackoffError";
}

/**
 * UNAVAILABLE.
 *
 * The disk of the audit log did not take a write, or its database does not answer. Retry after the
 * RetryInfo.
 */
export class AuditLogUnavailableError extends ToolResultError {
  static readonly reason = "AUDIT_LOG_UNAVAILABLE";
  override readonly name: string = "AuditLogUnavailableError";
}

/**
 * INTERNAL.
 *
 * The server failed in a way that has no reason of its own; the metadata has an incident id that
 * its log has too.
 */
export class InternalError extends ToolResultError {
  static readonly reason = "INTERNAL";
  override readonly name: string = "InternalError";
}

/**
 * INVALID_ARGUMENT.
 *
 * A text is no receipt of this grammar.
 */
export class ReceiptInvalidError extends ToolResultError {
  static readonly reason = "RECEIPT_INVALID";
  override readonly name: string = "ReceiptInvalidError";
}

/**
 * UNIMPLEMENTED.
 *
 * The server has no such method.
 */
export class MethodUnknownError extends ToolResultError {
  static readonly reason = "METHOD_UNKNOWN";
  override readonly name: string = "MethodUnknownError";
}

/**
 * NOT_FOUND.
 *
 * The health service was asked for a service that the server does not have.
 */
export class ServiceUnknownError extends ToolResultError {
  static readonly reason = "SERVICE_UNKNOWN";
  override readonly name: string = "ServiceUnknownError";
}

/**
 * UNAVAILABLE.
 *
 * The catalog of the artifact store cannot be used for now: the disk did not take a read or write,
 * or another program has its index locked. Retry after the RetryInfo.
 */
export class StoreUnavailableError extends ToolResultError {
  static readonly reason = "STORE_UNAVAILABLE";
  override readonly name: string = "StoreUnavailableError";
}

/**
 * INVALID_ARGUMENT.
 *
 * The server offers no such tool to models.
 */
export class ToolUnknownError extends ToolResultError {
  static readonly reason = "TOOL_UNKNOWN";
  override readonly name: string = "ToolUnknownError";
}

/**
 * UNAUTHENTICATED.
 *
 * The token of a session has ended, or was taken back. Get another one from whoever issued it.
 */
export class TokenExpiredError extends ToolResultError {
  static readonly reason = "TOKEN_EXPIRED";
  override readonly name: string = "TokenExpiredError";
}

/**
 * NOT_FOUND.
 *
 * No token with this id was issued since the server started.
 */
export class TokenUnknownError extends ToolResultError {
  static readonly reason = "TOKEN_UNKNOWN";
  override readonly name: string = "TokenUnknownError";
}

/** The class of each reason. */
export const byReason = {
  ENVELOPE_EXCLUSIVITY: EnvelopeExclusivityError,
  FIELD_MISSING: FieldMissingError,
  FIELD_TOO_LONG: FieldTooLongError,
  FIELD_OUT_OF_BOUNDS: FieldOutOfBoundsError,
  NAME_INVALID: NameInvalidError,
  ENUM_UNKNOWN: EnumUnknownError,
  JSON_INVALID: JsonInvalidError,
  JSON_TOO_DEEP: JsonTooDeepError,
  JSON_DUPLICATE_KEY: JsonDuplicateKeyError,
  ARTIFACT_INDEX_INVALID: ArtifactIndexInvalidError,
  LEDGER_INVALID: LedgerInvalidError,
  TEXT_NOT_SANITISED: TextNotSanitisedError,
  BUDGET_TOO_SMALL: BudgetTooSmallError,
  TOKEN_MISSING: TokenMissingError,
  TOKEN_INVALID: TokenInvalidError,
  AUTHORITY_NOT_ALLOWED: AuthorityNotAllowedError,
  MESSAGE_TOO_LARGE: MessageTooLargeError,
  IN_FLIGHT_BYTES: InFlightBytesError,
  DISK_FULL: DiskFullError,
  FD_LIMIT: FdLimitError,
  ARTIFACT_TOO_LARGE: ArtifactTooLargeError,
  STORE_READ_ONLY: StoreReadOnlyError,
  DRAINING: DrainingError,
  PANIC: PanicError,
  STORE_FAILED: StoreFailedError,
  CLIENT_CANCELLED: ClientCancelledError,
  DEADLINE: DeadlineError,
  FAMILY_UNKNOWN: FamilyUnknownError,
  MESSAGE_INVALID: MessageInvalidError,
  STREAM_ORDER: StreamOrderError,
  PATTERN_INVALID: PatternInvalidError,
  PAGE_TOKEN_INVALID: PageTokenInvalidError,
  ARTIFACT_NOT_FOUND: ArtifactNotFoundError,
  PATH_OUTSIDE_STORE: PathOutsideStoreError,
  ARTIFACT_CORRUPT: ArtifactCorruptError,
  RANGE_NOT_SATISFIABLE: RangeNotSatisfiableError,
  FILE_NOT_ALLOWED: FileNotAllowedError,
  FILE_NOT_FOUND: FileNotFoundError,
  FILE_CHANGED: FileChangedError,
  ARTIFACT_EXPIRED: ArtifactExpiredError,
  ARTIFACT_MISSING: ArtifactMissingError,
  QUOTA_SESSION: QuotaSessionError,
  QUOTA_STORE: QuotaStoreError,
  GC_RACE: GcRaceError,
  POINTER_INVALID: PointerInvalidError,
  CHUNK_ORDER: ChunkOrderError,
  SIZE_MISMATCH: SizeMismatchError,
  STREAM_IDLE: StreamIdleError,
  LOG_OFFSET_MISMATCH: LogOffsetMismatchError,
  LOG_BUSY: LogBusyError,
  LOG_FINISHED: LogFinishedError,
  OBJECT_STORE_UNAVAILABLE: ObjectStoreUnavailableError,
  REQUEST_ID_REUSED: RequestIdReusedError,
  RECORD_NOT_FOUND: RecordNotFoundError,
  AUDIT_CHAIN_BROKEN: AuditChainBrokenError,
  AUDIT_LOG_FAILED: AuditLogFailedError,
  AUDIT_DISABLED: AuditDisabledError,
  SECRETS_UNKNOWN: SecretsUnknownError,
  SECRET_INVALID: SecretInvalidError,
  SESSION_MISMATCH: SessionMismatchError,
  RAW_NOT_ALLOWED: RawNotAllowedError,
  PEER_NOT_ALLOWED: PeerNotAllowedError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  TOKEN_BACKOFF: TokenBackoffError,
  AUDIT_LOG_UNAVAILABLE: AuditLogUnavailableError,
  INTERNAL: InternalError,
  RECEIPT_INVALID: ReceiptInvalidError,
  METHOD_UNKNOWN: MethodUnknownError,
  SERVICE_UNKNOWN: ServiceUnknownError,
  STORE_UNAVAILABLE: StoreUnavailableError,
  TOOL_UNKNOWN: ToolUnknownError,
  TOKEN_EXPIRED: TokenExpiredError,
  TOKEN_UNKNOWN: TokenUnknownError,
} as const;
