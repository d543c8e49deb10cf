"""The errors of rejected calls, one class for each reason of the contract.

Made by `make generate`.
"""

from toolresult.errors import ToolResultError


class EnvelopeExclusivityError(ToolResultError):
    """INVALID_ARGUMENT.

    status, result and error do not agree, or fields that exclude each other are both set.
    """

    reason = "ENVELOPE_EXCLUSIVITY"


class FieldMissingError(ToolResultError):
    """INVALID_ARGUMENT.

    A required field is not set.
    """

    reason = "FIELD_MISSING"


class FieldTooLongError(ToolResultError):
    """INVALID_ARGUMENT.

    A field is longer than its bound.
    """

    reason = "FIELD_TOO_LONG"


class FieldOutOfBoundsError(ToolResultError):
    """INVALID_ARGUMENT.

    A number is outside of its bounds.
    """

    reason = "FIELD_OUT_OF_BOUNDS"


class NameInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A name is outside of its closed pattern.
    """

    reason = "NAME_INVALID"


class EnumUnknownError(ToolResultError):
    """INVALID_ARGUMENT.

    An enum of a request has a number that this server does not know.
    """

    reason = "ENUM_UNKNOWN"


class JsonInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A field that must hold JSON text does not.
    """

    reason = "JSON_INVALID"


class JsonTooDeepError(ToolResultError):
    """INVALID_ARGUMENT.

    JSON text is nested more deeply than its bound.
    """

    reason = "JSON_TOO_DEEP"


class JsonDuplicateKeyError(ToolResultError):
    """INVALID_ARGUMENT.

    An object of JSON text has a key twice.
    """

    reason = "JSON_DUPLICATE_KEY"


class ArtifactIndexInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    An *_artifact index names no artifact of the payload, or two roles name the same one.
    """

    reason = "ARTIFACT_INDEX_INVALID"


class LedgerInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    Preview, cuts and source facts of a canonical result do not add up.
    """

    reason = "LEDGER_INVALID"


class TextNotSanitisedError(ToolResultError):
    """INVALID_ARGUMENT.

    A preview of a canonical result holds characters that no projection leaves in (escape sequences,
    other line breaks, invisible characters).
    """

    reason = "TEXT_NOT_SANITISED"


class BudgetTooSmallError(ToolResultError):
    """INVALID_ARGUMENT.

    What must be kept does not fit the budget; the metadata says what is enough (`needed`), the
    budget and the shortfall, and in which unit.
    """

    reason = "BUDGET_TOO_SMALL"


class TokenMissingError(ToolResultError):
    """UNAUTHENTICATED.

    A call over TCP without a token.
    """

    reason = "TOKEN_MISSING"


class TokenInvalidError(ToolResultError):
    """UNAUTHENTICATED.

    A call over TCP with a wrong token.
    """

    reason = "TOKEN_INVALID"


class AuthorityNotAllowedError(ToolResultError):
    """PERMISSION_DENIED.

    The :authority of a call over TCP names another host.
    """

    reason = "AUTHORITY_NOT_ALLOWED"


class MessageTooLargeError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    The request is larger than the message limit; making it again does not help.
    """

    reason = "MESSAGE_TOO_LARGE"


class InFlightBytesError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    Too many bytes of requests are being worked on; try again after the RetryInfo.
    """

    reason = "IN_FLIGHT_BYTES"


class DiskFullError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    The disk of the artifact store is full.
    """

    reason = "DISK_FULL"


class FdLimitError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    The process has no file descriptor left.
    """

    reason = "FD_LIMIT"


class ArtifactTooLargeError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    The artifact is larger than the file system allows.
    """

    reason = "ARTIFACT_TOO_LARGE"


class StoreReadOnlyError(ToolResultError):
    """FAILED_PRECONDITION.

    The artifact store cannot be written to.
    """

    reason = "STORE_READ_ONLY"


class DrainingError(ToolResultError):
    """UNAVAILABLE.

    The server is shutting down; try another one, or again later.
    """

    reason = "DRAINING"


class PanicError(ToolResultError):
    """INTERNAL.

    A fault of the server; the metadata has an incident id that its log has too.
    """

    reason = "PANIC"


class StoreFailedError(ToolResultError):
    """INTERNAL.

    The artifact store failed in a way that has no reason of its own; the metadata has an incident
    id that its log has too.
    """

    reason = "STORE_FAILED"


class ClientCancelledError(ToolResultError):
    """CANCELLED.

    The client went away or cancelled.
    """

    reason = "CLIENT_CANCELLED"


class DeadlineError(ToolResultError):
    """DEADLINE_EXCEEDED.

    The client's deadline, or the server's default one, passed.
    """

    reason = "DEADLINE"


class FamilyUnknownError(ToolResultError):
    """INVALID_ARGUMENT.

    A family that this server was not given, where one must be known.
    """

    reason = "FAMILY_UNKNOWN"


class MessageInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A message is not what its type says: a request that cannot be decoded, or the message of a
    custom output.
    """

    reason = "MESSAGE_INVALID"


class StreamOrderError(ToolResultError):
    """INVALID_ARGUMENT.

    A message of a stream is out of order.
    """

    reason = "STREAM_ORDER"


class PatternInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A pattern is no regular expression of RE2.
    """

    reason = "PATTERN_INVALID"


class PageTokenInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A page token is not one that this request was answered with.
    """

    reason = "PAGE_TOKEN_INVALID"


class ArtifactNotFoundError(ToolResultError):
    """NOT_FOUND.

    The store has no such artifact.
    """

    reason = "ARTIFACT_NOT_FOUND"


class PathOutsideStoreError(ToolResultError):
    """PERMISSION_DENIED.

    A path is not in the store of this server.
    """

    reason = "PATH_OUTSIDE_STORE"


class ArtifactCorruptError(ToolResultError):
    """DATA_LOSS.

    An artifact does not hold the bytes that were put.
    """

    reason = "ARTIFACT_CORRUPT"


class RangeNotSatisfiableError(ToolResultError):
    """OUT_OF_RANGE.

    The artifact has no such line or byte.
    """

    reason = "RANGE_NOT_SATISFIABLE"


class FileNotAllowedError(ToolResultError):
    """PERMISSION_DENIED.

    A file is not under a directory that the operator allowed, is no regular file, or has more than
    one name and is another user's than the caller's.
    """

    reason = "FILE_NOT_ALLOWED"


class FileNotFoundError(ToolResultError):
    """NOT_FOUND.

    There is no such file.
    """

    reason = "FILE_NOT_FOUND"


class FileChangedError(ToolResultError):
    """ABORTED.

    A file changed while it was read; nothing of it is answered.
    """

    reason = "FILE_CHANGED"


class ArtifactExpiredError(ToolResultError):
    """FAILED_PRECONDITION.

    The artifact was deleted by the rules of retention; the metadata says when ("deleted_at", RFC
    3339) and why ("why").
    """

    reason = "ARTIFACT_EXPIRED"


class ArtifactMissingError(ToolResultError):
    """DATA_LOSS.

    The store's catalog has the artifact, and its file is gone.
    """

    reason = "ARTIFACT_MISSING"


class QuotaSessionError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    The artifacts of the session would take more than a session may; end its lease, or ask the
    operator for more. Or the values that are registered would be more than there may be; the
    metadata says the "limit" and of what ("of").
    """

    reason = "QUOTA_SESSION"


class QuotaStoreError(ToolResultError):
    """RESOURCE_EXHAUSTED.

    The store would take more than it may, and nothing in it may be deleted; an operator must act.
    """

    reason = "QUOTA_STORE"


class GcRaceError(ToolResultError):
    """ABORTED.

    What was put was deleted as garbage at the same time, several times in a row; make the same call
    again.
    """

    reason = "GC_RACE"


class PointerInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A text is no JSON pointer (RFC 6901).
    """

    reason = "POINTER_INVALID"


class ChunkOrderError(ToolResultError):
    """INVALID_ARGUMENT.

    A chunk says another offset than its place in the stream.
    """

    reason = "CHUNK_ORDER"


class SizeMismatchError(ToolResultError):
    """INVALID_ARGUMENT.

    A stream has another size than its finish says.
    """

    reason = "SIZE_MISMATCH"


class StreamIdleError(ToolResultError):
    """DEADLINE_EXCEEDED.

    Nothing was received for longer than a stream may be idle.
    """

    reason = "STREAM_IDLE"


class LogOffsetMismatchError(ToolResultError):
    """FAILED_PRECONDITION.

    A log has another length than the one that the caller wants to go on from; the metadata has it
    ("received_bytes").
    """

    reason = "LOG_OFFSET_MISMATCH"


class LogBusyError(ToolResultError):
    """ABORTED.

    Another call appends to the log.
    """

    reason = "LOG_BUSY"


class LogFinishedError(ToolResultError):
    """FAILED_PRECONDITION.

    The log is finished; nothing can be appended.
    """

    reason = "LOG_FINISHED"


class ObjectStoreUnavailableError(ToolResultError):
    """UNAVAILABLE.

    The artifact is in the object store alone, and that does not answer; try again after the
    RetryInfo.
    """

    reason = "OBJECT_STORE_UNAVAILABLE"


class RequestIdReusedError(ToolResultError):
    """ALREADY_EXISTS.

    The request id was used for another request. The first one stays.
    """

    reason = "REQUEST_ID_REUSED"


class RecordNotFoundError(ToolResultError):
    """NOT_FOUND.

    The audit log has no such record, or the caller may not see it.
    """

    reason = "RECORD_NOT_FOUND"


class AuditChainBrokenError(ToolResultError):
    """DATA_LOSS.

    The audit log does not hold what was written to it.
    """

    reason = "AUDIT_CHAIN_BROKEN"


class AuditLogFailedError(ToolResultError):
    """FAILED_PRECONDITION.

    The audit log failed. Nothing more is answered that would need a record until the server starts
    again.
    """

    reason = "AUDIT_LOG_FAILED"


class AuditDisabledError(ToolResultError):
    """FAILED_PRECONDITION.

    The operator keeps no audit log.
    """

    reason = "AUDIT_DISABLED"


class SecretsUnknownError(ToolResultError):
    """FAILED_PRECONDITION.

    The server does not have the registered values that the call requires. Register them again.
    """

    reason = "SECRETS_UNKNOWN"


class SecretInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A value that cannot be registered: too short, too long, or no secret.
    """

    reason = "SECRET_INVALID"


class SessionMismatchError(ToolResultError):
    """PERMISSION_DENIED.

    The caller is confined to another session than the request names.
    """

    reason = "SESSION_MISMATCH"


class RawNotAllowedError(ToolResultError):
    """PERMISSION_DENIED.

    The caller may not read redacted values.
    """

    reason = "RAW_NOT_ALLOWED"


class PeerNotAllowedError(ToolResultError):
    """PERMISSION_DENIED.

    The user may not connect. Only in records: such a connection gets no answer.
    """

    reason = "PEER_NOT_ALLOWED"


class MethodNotAllowedError(ToolResultError):
    """PERMISSION_DENIED.

    The caller may not call this method.
    """

    reason = "METHOD_NOT_ALLOWED"


class TokenBackoffError(ToolResultError):
    """UNAUTHENTICATED.

    Too many calls with wrong tokens from this address. Retry after the RetryInfo.
    """

    reason = "TOKEN_BACKOFF"


class AuditLogUnavailableError(ToolResultError):
    """UNAVAILABLE.

    The disk of the audit log did not take a write, or its database does not answer. Retry after the
    RetryInfo.
    """

    reason = "AUDIT_LOG_UNAVAILABLE"


class InternalError(ToolResultError):
    """INTERNAL.

    The server failed in a way that has no reason of its own; the metadata has an incident id that
    its log has too.
    """

    reason = "INTERNAL"


class ReceiptInvalidError(ToolResultError):
    """INVALID_ARGUMENT.

    A text is no receipt of this grammar.
    """

    reason = "RECEIPT_INVALID"


class MethodUnknownError(ToolResultError):
    """UNIMPLEMENTED.

    The server has no such method.
    """

    reason = "METHOD_UNKNOWN"


class ServiceUnknownError(ToolResultError):
    """NOT_FOUND.

    The health service was asked for a service that the server does not have.
    """

    reason = "SERVICE_UNKNOWN"


class StoreUnavailableError(ToolResultError):
    """UNAVAILABLE.

    The catalog of the artifact store cannot be used for now: the disk did not take a read or write,
    or another program has its index locked. Retry after the RetryInfo.
    """

    reason = "STORE_UNAVAILABLE"


class ToolUnknownError(ToolResultError):
    """INVALID_ARGUMENT.

    The server offers no such tool to models.
    """

    reason = "TOOL_UNKNOWN"


class TokenExpiredError(ToolResultError):
    """UNAUTHENTICATED.

    The token of a session has ended, or was taken back. Get another one from whoever issued it.
    """

    reason = "TOKEN_EXPIRED"


class TokenUnknownError(ToolResultError):
    """NOT_FOUND.

    No token with this id was issued since the server started.
    """

    reason = "TOKEN_UNKNOWN"


#: The class of each reason.
BY_REASON: dict[str, type[ToolResultError]] = {
    "ENVELOPE_EXCLUSIVITY": EnvelopeExclusivityError,
    "FIELD_MISSING": FieldMissingError,
    "FIELD_TOO_LONG": FieldTooLongError,
    "FIELD_OUT_OF_BOUNDS": FieldOutOfBoundsError,
    "NAME_INVALID": NameInvalidError,
    "ENUM_UNKNOWN": EnumUnknownError,
    "JSON_INVALID": JsonInvalidError,
    "JSON_TOO_DEEP": JsonTooDeepError,
    "JSON_DUPLICATE_KEY": JsonDuplicateKeyError,
    "ARTIFACT_INDEX_INVALID": ArtifactIndexInvalidError,
    "LEDGER_INVALID": LedgerInvalidError,
    "TEXT_NOT_SANITISED": TextNotSanitisedError,
    "BUDGET_TOO_SMALL": BudgetTooSmallError,
    "TOKEN_MISSING": TokenMissingError,
    "TOKEN_INVALID": TokenInvalidError,
    "AUTHORITY_NOT_ALLOWED": AuthorityNotAllowedError,
    "MESSAGE_TOO_LARGE": MessageTooLargeError,
    "IN_FLIGHT_BYTES": InFlightBytesError,
    "DISK_FULL": DiskFullError,
    "FD_LIMIT": FdLimitError,
    "ARTIFACT_TOO_LARGE": ArtifactTooLargeError,
    "STORE_READ_ONLY": StoreReadOnlyError,
    "DRAINING": DrainingError,
    "PANIC": PanicError,
    "STORE_FAILED": StoreFailedError,
    "CLIENT_CANCELLED": ClientCancelledError,
    "DEADLINE": DeadlineError,
    "FAMILY_UNKNOWN": FamilyUnknownError,
    "MESSAGE_INVALID": MessageInvalidError,
    "STREAM_ORDER": StreamOrderError,
    "PATTERN_INVALID": PatternInvalidError,
    "PAGE_TOKEN_INVALID": PageTokenInvalidError,
    "ARTIFACT_NOT_FOUND": ArtifactNotFoundError,
    "PATH_OUTSIDE_STORE": PathOutsideStoreError,
    "ARTIFACT_CORRUPT": ArtifactCorruptError,
    "RANGE_NOT_SATISFIABLE": RangeNotSatisfiableError,
    "FILE_NOT_ALLOWED": FileNotAllowedError,
    "FILE_NOT_FOUND": FileNotFoundError,
    "FILE_CHANGED": FileChangedError,
    "ARTIFACT_EXPIRED": ArtifactExpiredError,
    "ARTIFACT_MISSING": ArtifactMissingError,
    "QUOTA_SESSION": QuotaSessionError,
    "QUOTA_STORE": QuotaStoreError,
    "GC_RACE": GcRaceError,
    "POINTER_INVALID": PointerInvalidError,
    "CHUNK_ORDER": ChunkOrderError,
    "SIZE_MISMATCH": SizeMismatchError,
    "STREAM_IDLE": StreamIdleError,
    "LOG_OFFSET_MISMATCH": LogOffsetMismatchError,
    "LOG_BUSY": LogBusyError,
    "LOG_FINISHED": LogFinishedError,
    "OBJECT_STORE_UNAVAILABLE": ObjectStoreUnavailableError,
    "REQUEST_ID_REUSED": RequestIdReusedError,
    "RECORD_NOT_FOUND": RecordNotFoundError,
    "AUDIT_CHAIN_BROKEN": AuditChainBrokenError,
    "AUDIT_LOG_FAILED": AuditLogFailedError,
    "AUDIT_DISABLED": AuditDisabledError,
    "SECRETS_UNKNOWN": SecretsUnknownError,
    "SECRET_INVALID": SecretInvalidError,
    "SESSION_MISMATCH": SessionMismatchError,
    "RAW_NOT_ALLOWED": RawNotAllowedError,
    "PEER_NOT_ALLOWED": PeerNotAllowedError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "TOKEN_BACKOFF": TokenBackoffError,
    "AUDIT_LOG_UNAVAILABLE": AuditLogUnavailableError,
    "INTERNAL": InternalError,
    "RECEIPT_INVALID": ReceiptInvalidError,
    "METHOD_UNKNOWN": MethodUnknownError,
    "SERVICE_UNKNOWN": ServiceUnknownError,
    "STORE_UNAVAILABLE": StoreUnavailableError,
    "TOOL_UNKNOWN": ToolUnknownError,
    "TOKEN_EXPIRED": TokenExpiredError,
    "TOKEN_UNKNOWN": TokenUnknownError,
}
