// Made by `make generate`. DO NOT EDIT.

package toolresult

import pb "github.com/toolresult/toolresult/gen/toolresult/v1"

// The errors of rejected calls, one for each reason of the contract, for errors.Is.
var (
	// ErrEnvelopeExclusivity: INVALID_ARGUMENT. status, result and error do not agree, or fields that
	// exclude each other are both set.
	ErrEnvelopeExclusivity error = reasonError(pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY)
	// ErrFieldMissing: INVALID_ARGUMENT. A required field is not set.
	ErrFieldMissing error = reasonError(pb.ErrorReason_ERROR_REASON_FIELD_MISSING)
	// ErrFieldTooLong: INVALID_ARGUMENT. A field is longer than its bound.
	ErrFieldTooLong error = reasonError(pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG)
	// ErrFieldOutOfBounds: INVALID_ARGUMENT. A number is outside of its bounds.
	ErrFieldOutOfBounds error = reasonError(pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS)
	// ErrNameInvalid: INVALID_ARGUMENT. A name is outside of its closed pattern.
	ErrNameInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_NAME_INVALID)
	// ErrEnumUnknown: INVALID_ARGUMENT. An enum of a request has a number that this server does not
	// know.
	ErrEnumUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN)
	// ErrJSONInvalid: INVALID_ARGUMENT. A field that must hold JSON text does not.
	ErrJSONInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_JSON_INVALID)
	// ErrJSONTooDeep: INVALID_ARGUMENT. JSON text is nested more deeply than its bound.
	ErrJSONTooDeep error = reasonError(pb.ErrorReason_ERROR_REASON_JSON_TOO_DEEP)
	// ErrJSONDuplicateKey: INVALID_ARGUMENT. An object of JSON text has a key twice.
	ErrJSONDuplicateKey error = reasonError(pb.ErrorReason_ERROR_REASON_JSON_DUPLICATE_KEY)
	// ErrArtifactIndexInvalid: INVALID_ARGUMENT. An *_artifact index names no artifact of the payload,
	// or two roles name the same one.
	ErrArtifactIndexInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_ARTIFACT_INDEX_INVALID)
	// ErrLedgerInvalid: INVALID_ARGUMENT. Preview, cuts and source facts of a canonical result do not
	// add up.
	ErrLedgerInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_LEDGER_INVALID)
	// ErrTextNotSanitised: INVALID_ARGUMENT. A preview of a canonical result holds characters that no
	// projection leaves in (escape sequences, other line breaks, invisible characters).
	ErrTextNotSanitised error = reasonError(pb.ErrorReason_ERROR_REASON_TEXT_NOT_SANITISED)
	// ErrBudgetTooSmall: INVALID_ARGUMENT. What must be kept does not fit the budget; the metadata
	// says what is enough (`needed`), the budget and the shortfall, and in which unit.
	ErrBudgetTooSmall error = reasonError(pb.ErrorReason_ERROR_REASON_BUDGET_TOO_SMALL)
	// ErrTokenMissing: UNAUTHENTICATED. A call over TCP without a token.
	ErrTokenMissing error = reasonError(pb.ErrorReason_ERROR_REASON_TOKEN_MISSING)
	// ErrTokenInvalid: UNAUTHENTICATED. A call over TCP with a wrong token.
	ErrTokenInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_TOKEN_INVALID)
	// ErrAuthorityNotAllowed: PERMISSION_DENIED. The :authority of a call over TCP names another host.
	ErrAuthorityNotAllowed error = reasonError(pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED)
	// ErrMessageTooLarge: RESOURCE_EXHAUSTED. The request is larger than the message limit; making it
	// again does not help.
	ErrMessageTooLarge error = reasonError(pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE)
	// ErrInFlightBytes: RESOURCE_EXHAUSTED. Too many bytes of requests are being worked on; try again
	// after the RetryInfo.
	ErrInFlightBytes error = reasonError(pb.ErrorReason_ERROR_REASON_IN_FLIGHT_BYTES)
	// ErrDiskFull: RESOURCE_EXHAUSTED. The disk of the artifact store is full.
	ErrDiskFull error = reasonError(pb.ErrorReason_ERROR_REASON_DISK_FULL)
	// ErrFDLimit: RESOURCE_EXHAUSTED. The process has no file descriptor left.
	ErrFDLimit error = reasonError(pb.ErrorReason_ERROR_REASON_FD_LIMIT)
	// ErrArtifactTooLarge: RESOURCE_EXHAUSTED. The artifact is larger than the file system allows.
	ErrArtifactTooLarge error = reasonError(pb.ErrorReason_ERROR_REASON_ARTIFACT_TOO_LARGE)
	// ErrStoreReadOnly: FAILED_PRECONDITION. The artifact store cannot be written to.
	ErrStoreReadOnly error = reasonError(pb.ErrorReason_ERROR_REASON_STORE_READ_ONLY)
	// ErrDraining: UNAVAILABLE. The server is shutting down; try another one, or again later.
	ErrDraining error = reasonError(pb.ErrorReason_ERROR_REASON_DRAINING)
	// ErrPanic: INTERNAL. A fault of the server; the metadata has an incident id that its log has too.
	ErrPanic error = reasonError(pb.ErrorReason_ERROR_REASON_PANIC)
	// ErrStoreFailed: INTERNAL. The artifact store failed in a way that has no reason of its own; the
	// metadata has an incident id that its log has too.
	ErrStoreFailed error = reasonError(pb.ErrorReason_ERROR_REASON_STORE_FAILED)
	// ErrClientCancelled: CANCELLED. The client went away or cancelled.
	ErrClientCancelled error = reasonError(pb.ErrorReason_ERROR_REASON_CLIENT_CANCELLED)
	// ErrDeadline: DEADLINE_EXCEEDED. The client's deadline, or the server's default one, passed.
	ErrDeadline error = reasonError(pb.ErrorReason_ERROR_REASON_DEADLINE)
	// ErrFamilyUnknown: INVALID_ARGUMENT. A family that this server was not given, where one must be
	// known.
	ErrFamilyUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN)
	// ErrMessageInvalid: INVALID_ARGUMENT. A message is not what its type says: a request that cannot
	// be decoded, or the message of a custom output.
	ErrMessageInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID)
	// ErrStreamOrder: INVALID_ARGUMENT. A message of a stream is out of order.
	ErrStreamOrder error = reasonError(pb.ErrorReason_ERROR_REASON_STREAM_ORDER)
	// ErrPatternInvalid: INVALID_ARGUMENT. A pattern is no regular expression of RE2.
	ErrPatternInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_PATTERN_INVALID)
	// ErrPageTokenInvalid: INVALID_ARGUMENT. A page token is not one that this request was answered
	// with.
	ErrPageTokenInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_PAGE_TOKEN_INVALID)
	// ErrArtifactNotFound: NOT_FOUND. The store has no such artifact.
	ErrArtifactNotFound error = reasonError(pb.ErrorReason_ERROR_REASON_ARTIFACT_NOT_FOUND)
	// ErrPathOutsideStore: PERMISSION_DENIED. A path is not in the store of this server.
	ErrPathOutsideStore error = reasonError(pb.ErrorReason_ERROR_REASON_PATH_OUTSIDE_STORE)
	// ErrArtifactCorrupt: DATA_LOSS. An artifact does not hold the bytes that were put.
	ErrArtifactCorrupt error = reasonError(pb.ErrorReason_ERROR_REASON_ARTIFACT_CORRUPT)
	// ErrRangeNotSatisfiable: OUT_OF_RANGE. The artifact has no such line or byte.
	ErrRangeNotSatisfiable error = reasonError(pb.ErrorReason_ERROR_REASON_RANGE_NOT_SATISFIABLE)
	// ErrFileNotAllowed: PERMISSION_DENIED. A file is not under a directory that the operator allowed,
	// is no regular file, or has more than one name and is another user's than the caller's.
	ErrFileNotAllowed error = reasonError(pb.ErrorReason_ERROR_REASON_FILE_NOT_ALLOWED)
	// ErrFileNotFound: NOT_FOUND. There is no such file.
	ErrFileNotFound error = reasonError(pb.ErrorReason_ERROR_REASON_FILE_NOT_FOUND)
	// ErrFileChanged: ABORTED. A file changed while it was read; nothing of it is answered.
	ErrFileChanged error = reasonError(pb.ErrorReason_ERROR_REASON_FILE_CHANGED)
	// ErrArtifactExpired: FAILED_PRECONDITION. The artifact was deleted by the rules of retention; the
	// metadata says when ("deleted_at", RFC 3339) and why ("why").
	ErrArtifactExpired error = reasonError(pb.ErrorReason_ERROR_REASON_ARTIFACT_EXPIRED)
	// ErrArtifactMissing: DATA_LOSS. The store's catalog has the artifact, and its file is gone.
	ErrArtifactMissing error = reasonError(pb.ErrorReason_ERROR_REASON_ARTIFACT_MISSING)
	// ErrQuotaSession: RESOURCE_EXHAUSTED. The artifacts of the session would take more than a session
	// may; end its lease, or ask the operator for more. Or the values that are registered would be
	// more than there may be; the metadata says the "limit" and of what ("of").
	ErrQuotaSession error = reasonError(pb.ErrorReason_ERROR_REASON_QUOTA_SESSION)
	// ErrQuotaStore: RESOURCE_EXHAUSTED. The store would take more than it may, and nothing in it may
	// be deleted; an operator must act.
	ErrQuotaStore error = reasonError(pb.ErrorReason_ERROR_REASON_QUOTA_STORE)
	// ErrGCRace: ABORTED. What was put was deleted as garbage at the same time, several times in a
	// row; make the same call again.
	ErrGCRace error = reasonError(pb.ErrorReason_ERROR_REASON_GC_RACE)
	// ErrPointerInvalid: INVALID_ARGUMENT. A text is no JSON pointer (RFC 6901).
	ErrPointerInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_POINTER_INVALID)
	// ErrChunkOrder: INVALID_ARGUMENT. A chunk says another offset than its place in the stream.
	ErrChunkOrder error = reasonError(pb.ErrorReason_ERROR_REASON_CHUNK_ORDER)
	// ErrSizeMismatch: INVALID_ARGUMENT. A stream has another size than its finish says.
	ErrSizeMismatch error = reasonError(pb.ErrorReason_ERROR_REASON_SIZE_MISMATCH)
	// ErrStreamIdle: DEADLINE_EXCEEDED. Nothing was received for longer than a stream may be idle.
	ErrStreamIdle error = reasonError(pb.ErrorReason_ERROR_REASON_STREAM_IDLE)
	// ErrLogOffsetMismatch: FAILED_PRECONDITION. A log has another length than the one that the caller
	// wants to go on from; the metadata has it ("received_bytes").
	ErrLogOffsetMismatch error = reasonError(pb.ErrorReason_ERROR_REASON_LOG_OFFSET_MISMATCH)
	// ErrLogBusy: ABORTED. Another call appends to the log.
	ErrLogBusy error = reasonError(pb.ErrorReason_ERROR_REASON_LOG_BUSY)
	// ErrLogFinished: FAILED_PRECONDITION. The log is finished; nothing can be appended.
	ErrLogFinished error = reasonError(pb.ErrorReason_ERROR_REASON_LOG_FINISHED)
	// ErrObjectStoreUnavailable: UNAVAILABLE. The artifact is in the object store alone, and that does
	// not answer; try again after the RetryInfo.
	ErrObjectStoreUnavailable error = reasonError(pb.ErrorReason_ERROR_REASON_OBJECT_STORE_UNAVAILABLE)
	// ErrRequestIDReused: ALREADY_EXISTS. The request id was used for another request. The first one
	// stays.
	ErrRequestIDReused error = reasonError(pb.ErrorReason_ERROR_REASON_REQUEST_ID_REUSED)
	// ErrRecordNotFound: NOT_FOUND. The audit log has no such record, or the caller may not see it.
	ErrRecordNotFound error = reasonError(pb.ErrorReason_ERROR_REASON_RECORD_NOT_FOUND)
	// ErrAuditChainBroken: DATA_LOSS. The audit log does not hold what was written to it.
	ErrAuditChainBroken error = reasonError(pb.ErrorReason_ERROR_REASON_AUDIT_CHAIN_BROKEN)
	// ErrAuditLogFailed: FAILED_PRECONDITION. The audit log failed. Nothing more is answered that
	// would need a record until the server starts again.
	ErrAuditLogFailed error = reasonError(pb.ErrorReason_ERROR_REASON_AUDIT_LOG_FAILED)
	// ErrAuditDisabled: FAILED_PRECONDITION. The operator keeps no audit log.
	ErrAuditDisabled error = reasonError(pb.ErrorReason_ERROR_REASON_AUDIT_DISABLED)
	// ErrSecretsUnknown: FAILED_PRECONDITION. The server does not have the registered values that the
	// call requires. Register them again.
	ErrSecretsUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_SECRETS_UNKNOWN)
	// ErrSecretInvalid: INVALID_ARGUMENT. A value that cannot be registered: too short, too long, or
	// no secret.
	ErrSecretInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_SECRET_INVALID)
	// ErrSessionMismatch: PERMISSION_DENIED. The caller is confined to another session than the
	// request names.
	ErrSessionMismatch error = reasonError(pb.ErrorReason_ERROR_REASON_SESSION_MISMATCH)
	// ErrRawNotAllowed: PERMISSION_DENIED. The caller may not read redacted values.
	ErrRawNotAllowed error = reasonError(pb.ErrorReason_ERROR_REASON_RAW_NOT_ALLOWED)
	// ErrPeerNotAllowed: PERMISSION_DENIED. The user may not connect. Only in records: such a
	// connection gets no answer.
	ErrPeerNotAllowed error = reasonError(pb.ErrorReason_ERROR_REASON_PEER_NOT_ALLOWED)
	// ErrMethodNotAllowed: PERMISSION_DENIED. The caller may not call this method.
	ErrMethodNotAllowed error = reasonError(pb.ErrorReason_ERROR_REASON_METHOD_NOT_ALLOWED)
	// ErrTokenBackoff: UNAUTHENTICATED. Too many calls with wrong tokens from this address. Retry
	// after the RetryInfo.
	ErrTokenBackoff error = reasonError(pb.ErrorReason_ERROR_REASON_TOKEN_BACKOFF)
	// ErrAuditLogUnavailable: UNAVAILABLE. The disk of the audit log did not take a write, or its
	// database does not answer. Retry after the RetryInfo.
	ErrAuditLogUnavailable error = reasonError(pb.ErrorReason_ERROR_REASON_AUDIT_LOG_UNAVAILABLE)
	// ErrInternal: INTERNAL. The server failed in a way that has no reason of its own; the metadata
	// has an incident id that its log has too.
	ErrInternal error = reasonError(pb.ErrorReason_ERROR_REASON_INTERNAL)
	// ErrReceiptInvalid: INVALID_ARGUMENT. A text is no receipt of this grammar.
	ErrReceiptInvalid error = reasonError(pb.ErrorReason_ERROR_REASON_RECEIPT_INVALID)
	// ErrMethodUnknown: UNIMPLEMENTED. The server has no such method.
	ErrMethodUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN)
	// ErrServiceUnknown: NOT_FOUND. The health service was asked for a service that the server does
	// not have.
	ErrServiceUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_SERVICE_UNKNOWN)
	// ErrStoreUnavailable: UNAVAILABLE. The catalog of the artifact store cannot be used for now: the
	// disk did not take a read or write, or another program has its index locked. Retry after the
	// RetryInfo.
	ErrStoreUnavailable error = reasonError(pb.ErrorReason_ERROR_REASON_STORE_UNAVAILABLE)
	// ErrToolUnknown: INVALID_ARGUMENT. The server offers no such tool to models.
	ErrToolUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_TOOL_UNKNOWN)
	// ErrTokenExpired: UNAUTHENTICATED. The token of a session has ended, or was taken back. Get
	// another one from whoever issued it.
	ErrTokenExpired error = reasonError(pb.ErrorReason_ERROR_REASON_TOKEN_EXPIRED)
	// ErrTokenUnknown: NOT_FOUND. No token with this id was issued since the server started.
	ErrTokenUnknown error = reasonError(pb.ErrorReason_ERROR_REASON_TOKEN_UNKNOWN)
)
