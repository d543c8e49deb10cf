//! The reasons of rejected calls. Made by `make generate`.

/// The reason of a rejected call, as the contract has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// INVALID_ARGUMENT.
    ///
    /// status, result and error do not agree, or fields that exclude each other are both set.
    EnvelopeExclusivity,
    /// INVALID_ARGUMENT.
    ///
    /// A required field is not set.
    FieldMissing,
    /// INVALID_ARGUMENT.
    ///
    /// A field is longer than its bound.
    FieldTooLong,
    /// INVALID_ARGUMENT.
    ///
    /// A number is outside of its bounds.
    FieldOutOfBounds,
    /// INVALID_ARGUMENT.
    ///
    /// A name is outside of its closed pattern.
    NameInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// An enum of a request has a number that this server does not know.
    EnumUnknown,
    /// INVALID_ARGUMENT.
    ///
    /// A field that must hold JSON text does not.
    JsonInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// JSON text is nested more deeply than its bound.
    JsonTooDeep,
    /// INVALID_ARGUMENT.
    ///
    /// An object of JSON text has a key twice.
    JsonDuplicateKey,
    /// INVALID_ARGUMENT.
    ///
    /// An *_artifact index names no artifact of the payload, or two roles name the same one.
    ArtifactIndexInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// Preview, cuts and source facts of a canonical result do not add up.
    LedgerInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// A preview of a canonical result holds characters that no projection leaves in (escape
    /// sequences, other line breaks, invisible characters).
    TextNotSanitised,
    /// INVALID_ARGUMENT.
    ///
    /// What must be kept does not fit the budget; the metadata says what is enough (`needed`), the
    /// budget and the shortfall, and in which unit.
    BudgetTooSmall,
    /// UNAUTHENTICATED.
    ///
    /// A call over TCP without a token.
    TokenMissing,
    /// UNAUTHENTICATED.
    ///
    /// A call over TCP with a wrong token.
    TokenInvalid,
    /// PERMISSION_DENIED.
    ///
    /// The :authority of a call over TCP names another host.
    AuthorityNotAllowed,
    /// RESOURCE_EXHAUSTED.
    ///
    /// The request is larger than the message limit; making it again does not help.
    MessageTooLarge,
    /// RESOURCE_EXHAUSTED.
    ///
    /// Too many bytes of requests are being worked on; try again after the RetryInfo.
    InFlightBytes,
    /// RESOURCE_EXHAUSTED.
    ///
    /// The disk of the artifact store is full.
    DiskFull,
    /// RESOURCE_EXHAUSTED.
    ///
    /// The process has no file descriptor left.
    FdLimit,
    /// RESOURCE_EXHAUSTED.
    ///
    /// The artifact is larger than the file system allows.
    ArtifactTooLarge,
    /// FAILED_PRECONDITION.
    ///
    /// The artifact store cannot be written to.
    StoreReadOnly,
    /// UNAVAILABLE.
    ///
    /// The server is shutting down; try another one, or again later.
    Draining,
    /// INTERNAL.
    ///
    /// A fault of the server; the metadata has an incident id that its log has too.
    Panic,
    /// INTERNAL.
    ///
    /// The artifact store failed in a way that has no reason of its own; the metadata has an
    /// incident id that its log has too.
    StoreFailed,
    /// CANCELLED.
    ///
    /// The client went away or cancelled.
    ClientCancelled,
    /// DEADLINE_EXCEEDED.
    ///
    /// The client's deadline, or the server's default one, passed.
    Deadline,
    /// INVALID_ARGUMENT.
    ///
    /// A family that this server was not given, where one must be known.
    FamilyUnknown,
    /// INVALID_ARGUMENT.
    ///
    /// A message is not what its type says: a request that cannot be decoded, or the message of a
    /// custom output.
    MessageInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// A message of a stream is out of order.
    StreamOrder,
    /// INVALID_ARGUMENT.
    ///
    /// A pattern is no regular expression of RE2.
    PatternInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// A page token is not one that this request was answered with.
    PageTokenInvalid,
    /// NOT_FOUND.
    ///
    /// The store has no such artifact.
    ArtifactNotFound,
    /// PERMISSION_DENIED.
    ///
    /// A path is not in the store of this server.
    PathOutsideStore,
    /// DATA_LOSS.
    ///
    /// An artifact does not hold the bytes that were put.
    ArtifactCorrupt,
    /// OUT_OF_RANGE.
    ///
    /// The artifact has no such line or byte.
    RangeNotSatisfiable,
    /// PERMISSION_DENIED.
    ///
    /// A file is not under a directory that the operator allowed, is no regular file, or has more
    /// than one name and is another user's than the caller's.
    FileNotAllowed,
    /// NOT_FOUND.
    ///
    /// There is no such file.
    FileNotFound,
    /// ABORTED.
    ///
    /// A file changed while it was read; nothing of it is answered.
    FileChanged,
    /// FAILED_PRECONDITION.
    ///
    /// The artifact was deleted by the rules of retention; the metadata says when ("deleted_at",
    /// RFC 3339) and why ("why").
    ArtifactExpired,
    /// DATA_LOSS.
    ///
    /// The store's catalog has the artifact, and its file is gone.
    ArtifactMissing,
    /// RESOURCE_EXHAUSTED.
    ///
    /// The artifacts of the session would take more than a session may; end its lease, or ask the
    /// operator for more. Or the values that are registered would be more than there may be; the
    /// metadata says the "limit" and of what ("of").
    QuotaSession,
    /// RESOURCE_EXHAUSTED.
    ///
    /// The store would take more than it may, and nothing in it may be deleted; an operator must
    /// act.
    QuotaStore,
    /// ABORTED.
    ///
    /// What was put was deleted as garbage at the same time, several times in a row; make the same
    /// call again.
    GcRace,
    /// INVALID_ARGUMENT.
    ///
    /// A text is no JSON pointer (RFC 6901).
    PointerInvalid,
    /// INVALID_ARGUMENT.
    ///
    /// A chunk says another offset than its place in the stream.
    ChunkOrder,
    /// INVALID_ARGUMENT.
    ///
    /// A stream has another size than its finish says.
    SizeMismatch,
    /// DEADLINE_EXCEEDED.
    ///
    /// Nothing was received for longer than a stream may be idle.
    StreamIdle,
    /// FAILED_PRECONDITION.
    ///
    /// A log has another length than the one that the caller wants to go on from; the metadata has
    /// it ("received_bytes").
    LogOffsetMismatch,
    /// ABORTED.
    ///
    /// Another call appends to the log.
    LogBusy,
    /// FAILED_PRECONDITION.
    ///
    /// The log is finished; nothing can be appended.
    LogFinished,
    /// UNAVAILABLE.
    ///
    /// The artifact is in the object store alone, and that does not answer; try again after the
    /// RetryInfo.
    ObjectStoreUnavailable,
    /// ALREADY_EXISTS.
    ///
    /// The request id was used for another request. The first one stays.
    RequestIdReused,
    /// NOT_FOUND.
    ///
    /// The audit log has no such record, or the caller may not see it.
    RecordNotFound,
    /// DATA_LOSS.
    ///
    /// The audit log does not hold what was written to it.
    AuditChainBroken,
    /// FAILED_PRECONDITION.
    ///
    /// The audit log failed. Nothing more is answered that would need a record until the server
    /// starts again.
    AuditLogFailed,
    /// FAILED_PRECONDITION.
    ///
    /// The operator keeps no audit log.
    AuditDisabled,
    /// FAILED_PRECONDITION.
    ///
    /// The server does not have the registered values that the call requires. Register them again.
    SecretsUnknown,
    /// INVALID_ARGUMENT.
    ///
    /// A value that cannot be registered: too short, too long, or no secret.
    SecretInvalid,
    /// PERMISSION_DENIED.
    ///
    /// The caller is confined to another session than the request names.
    SessionMismatch,
    /// PERMISSION_DENIED.
    ///
    /// The caller may not read redacted values.
    RawNotAllowed,
    /// PERMISSION_DENIED.
    ///
    /// The user may not connect. Only in records: such a connection gets no answer.
    PeerNotAllowed,
    /// PERMISSION_DENIED.
    ///
    /// The caller may not call this method.
    MethodNotAllowed,
    /// UNAUTHENTICATED.
    ///
    /// Too many calls with wrong tokens from this address. Retry after the RetryInfo.
    TokenBackoff,
    /// UNAVAILABLE.
    ///
    /// The disk of the audit log did not take a write, or its database does not answer. Retry after
    /// the RetryInfo.
    AuditLogUnavailable,
    /// INTERNAL.
    ///
    /// The server failed in a way that has no reason of its own; the metadata has an incident id
    /// that its log has too.
    Internal,
    /// INVALID_ARGUMENT.
    ///
    /// A text is no receipt of this grammar.
    ReceiptInvalid,
    /// UNIMPLEMENTED.
    ///
    /// The server has no such method.
    MethodUnknown,
    /// NOT_FOUND.
    ///
    /// The health service was asked for a service that the server does not have.
    ServiceUnknown,
    /// UNAVAILABLE.
    ///
    /// The catalog of the artifact store cannot be used for now: the disk did not take a read or
    /// write, or another program has its index locked. Retry after the RetryInfo.
    StoreUnavailable,
    /// INVALID_ARGUMENT.
    ///
    /// The server offers no such tool to models.
    ToolUnknown,
    /// UNAUTHENTICATED.
    ///
    /// The token of a session has ended, or was taken back. Get another one from whoever issued it.
    TokenExpired,
    /// NOT_FOUND.
    ///
    /// No token with this id was issued since the server started.
    TokenUnknown,
}

impl Reason {
    /// Returns the name that the contract has, such as `FIELD_MISSING`.
    pub fn name(self) -> &'static str {
        match self {
            Reason::EnvelopeExclusivity => "ENVELOPE_EXCLUSIVITY",
            Reason::FieldMissing => "FIELD_MISSING",
            Reason::FieldTooLong => "FIELD_TOO_LONG",
            Reason::FieldOutOfBounds => "FIELD_OUT_OF_BOUNDS",
            Reason::NameInvalid => "NAME_INVALID",
            Reason::EnumUnknown => "ENUM_UNKNOWN",
            Reason::JsonInvalid => "JSON_INVALID",
            Reason::JsonTooDeep => "JSON_TOO_DEEP",
            Reason::JsonDuplicateKey => "JSON_DUPLICATE_KEY",
            Reason::ArtifactIndexInvalid => "ARTIFACT_INDEX_INVALID",
            Reason::LedgerInvalid => "LEDGER_INVALID",
            Reason::TextNotSanitised => "TEXT_NOT_SANITISED",
            Reason::BudgetTooSmall => "BUDGET_TOO_SMALL",
            Reason::TokenMissing => "TOKEN_MISSING",
            Reason::TokenInvalid => "TOKEN_INVALID",
            Reason::AuthorityNotAllowed => "AUTHORITY_NOT_ALLOWED",
            Reason::MessageTooLarge => "MESSAGE_TOO_LARGE",
            Reason::InFlightBytes => "IN_FLIGHT_BYTES",
            Reason::DiskFull => "DISK_FULL",
            Reason::FdLimit => "FD_LIMIT",
            Reason::ArtifactTooLarge => "ARTIFACT_TOO_LARGE",
            Reason::StoreReadOnly => "STORE_READ_ONLY",
            Reason::Draining => "DRAINING",
            Reason::Panic => "PANIC",
            Reason::StoreFailed => "STORE_FAILED",
            Reason::ClientCancelled => "CLIENT_CANCELLED",
            Reason::Deadline => "DEADLINE",
            Reason::FamilyUnknown => "FAMILY_UNKNOWN",
            Reason::MessageInvalid => "MESSAGE_INVALID",
            Reason::StreamOrder => "STREAM_ORDER",
            Reason::PatternInvalid => "PATTERN_INVALID",
            Reason::PageTokenInvalid => "PAGE_TOKEN_INVALID",
            Reason::ArtifactNotFound => "ARTIFACT_NOT_FOUND",
            Reason::PathOutsideStore => "PATH_OUTSIDE_STORE",
            Reason::ArtifactCorrupt => "ARTIFACT_CORRUPT",
            Reason::RangeNotSatisfiable => "RANGE_NOT_SATISFIABLE",
            Reason::FileNotAllowed => "FILE_NOT_ALLOWED",
            Reason::FileNotFound => "FILE_NOT_FOUND",
            Reason::FileChanged => "FILE_CHANGED",
            Reason::ArtifactExpired => "ARTIFACT_EXPIRED",
            Reason::ArtifactMissing => "ARTIFACT_MISSING",
            Reason::QuotaSession => "QUOTA_SESSION",
            Reason::QuotaStore => "QUOTA_STORE",
            Reason::GcRace => "GC_RACE",
            Reason::PointerInvalid => "POINTER_INVALID",
            Reason::ChunkOrder => "CHUNK_ORDER",
            Reason::SizeMismatch => "SIZE_MISMATCH",
            Reason::StreamIdle => "STREAM_IDLE",
            Reason::LogOffsetMismatch => "LOG_OFFSET_MISMATCH",
            Reason::LogBusy => "LOG_BUSY",
            Reason::LogFinished => "LOG_FINISHED",
            Reason::ObjectStoreUnavailable => "OBJECT_STORE_UNAVAILABLE",
            Reason::RequestIdReused => "REQUEST_ID_REUSED",
            Reason::RecordNotFound => "RECORD_NOT_FOUND",
            Reason::AuditChainBroken => "AUDIT_CHAIN_BROKEN",
            Reason::AuditLogFailed => "AUDIT_LOG_FAILED",
            Reason::AuditDisabled => "AUDIT_DISABLED",
            Reason::SecretsUnknown => "SECRETS_UNKNOWN",
            Reason::SecretInvalid => "SECRET_INVALID",
            Reason::SessionMismatch => "SESSION_MISMATCH",
            Reason::RawNotAllowed => "RAW_NOT_ALLOWED",
            Reason::PeerNotAllowed => "PEER_NOT_ALLOWED",
            Reason::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Reason::TokenBackoff => "TOKEN_BACKOFF",
            Reason::AuditLogUnavailable => "AUDIT_LOG_UNAVAILABLE",
            Reason::Internal => "INTERNAL",
            Reason::ReceiptInvalid => "RECEIPT_INVALID",
            Reason::MethodUnknown => "METHOD_UNKNOWN",
            Reason::ServiceUnknown => "SERVICE_UNKNOWN",
            Reason::StoreUnavailable => "STORE_UNAVAILABLE",
            Reason::ToolUnknown => "TOOL_UNKNOWN",
            Reason::TokenExpired => "TOKEN_EXPIRED",
            Reason::TokenUnknown => "TOKEN_UNKNOWN",
        }
    }

    /// Returns the reason with a name; `None` for one that this client does not know.
    pub fn from_name(name: &str) -> Option<Reason> {
        Some(match name {
            "ENVELOPE_EXCLUSIVITY" => Reason::EnvelopeExclusivity,
            "FIELD_MISSING" => Reason::FieldMissing,
            "FIELD_TOO_LONG" => Reason::FieldTooLong,
            "FIELD_OUT_OF_BOUNDS" => Reason::FieldOutOfBounds,
            "NAME_INVALID" => Reason::NameInvalid,
            "ENUM_UNKNOWN" => Reason::EnumUnknown,
            "JSON_INVALID" => Reason::JsonInvalid,
            "JSON_TOO_DEEP" => Reason::JsonTooDeep,
            "JSON_DUPLICATE_KEY" => Reason::JsonDuplicateKey,
            "ARTIFACT_INDEX_INVALID" => Reason::ArtifactIndexInvalid,
            "LEDGER_INVALID" => Reason::LedgerInvalid,
            "TEXT_NOT_SANITISED" => Reason::TextNotSanitised,
            "BUDGET_TOO_SMALL" => Reason::BudgetTooSmall,
            "TOKEN_MISSING" => Reason::TokenMissing,
            "TOKEN_INVALID" => Reason::TokenInvalid,
            "AUTHORITY_NOT_ALLOWED" => Reason::AuthorityNotAllowed,
            "MESSAGE_TOO_LARGE" => Reason::MessageTooLarge,
            "IN_FLIGHT_BYTES" => Reason::InFlightBytes,
            "DISK_FULL" => Reason::DiskFull,
            "FD_LIMIT" => Reason::FdLimit,
            "ARTIFACT_TOO_LARGE" => Reason::ArtifactTooLarge,
            "STORE_READ_ONLY" => Reason::StoreReadOnly,
            "DRAINING" => Reason::Draining,
            "PANIC" => Reason::Panic,
            "STORE_FAILED" => Reason::StoreFailed,
            "CLIENT_CANCELLED" => Reason::ClientCancelled,
            "DEADLINE" => Reason::Deadline,
            "FAMILY_UNKNOWN" => Reason::FamilyUnknown,
            "MESSAGE_INVALID" => Reason::MessageInvalid,
            "STREAM_ORDER" => Reason::StreamOrder,
            "PATTERN_INVALID" => Reason::PatternInvalid,
            "PAGE_TOKEN_INVALID" => Reason::PageTokenInvalid,
            "ARTIFACT_NOT_FOUND" => Reason::ArtifactNotFound,
            "PATH_OUTSIDE_STORE" => Reason::PathOutsideStore,
            "ARTIFACT_CORRUPT" => Reason::ArtifactCorrupt,
            "RANGE_NOT_SATISFIABLE" => Reason::RangeNotSatisfiable,
            "FILE_NOT_ALLOWED" => Reason::FileNotAllowed,
            "FILE_NOT_FOUND" => Reason::FileNotFound,
            "FILE_CHANGED" => Reason::FileChanged,
            "ARTIFACT_EXPIRED" => Reason::ArtifactExpired,
            "ARTIFACT_MISSING" => Reason::ArtifactMissing,
            "QUOTA_SESSION" => Reason::QuotaSession,
            "QUOTA_STORE" => Reason::QuotaStore,
            "GC_RACE" => Reason::GcRace,
            "POINTER_INVALID" => Reason::PointerInvalid,
            "CHUNK_ORDER" => Reason::ChunkOrder,
            "SIZE_MISMATCH" => Reason::SizeMismatch,
            "STREAM_IDLE" => Reason::StreamIdle,
            "LOG_OFFSET_MISMATCH" => Reason::LogOffsetMismatch,
            "LOG_BUSY" => Reason::LogBusy,
            "LOG_FINISHED" => Reason::LogFinished,
            "OBJECT_STORE_UNAVAILABLE" => Reason::ObjectStoreUnavailable,
            "REQUEST_ID_REUSED" => Reason::RequestIdReused,
            "RECORD_NOT_FOUND" => Reason::RecordNotFound,
            "AUDIT_CHAIN_BROKEN" => Reason::AuditChainBroken,
            "AUDIT_LOG_FAILED" => Reason::AuditLogFailed,
            "AUDIT_DISABLED" => Reason::AuditDisabled,
            "SECRETS_UNKNOWN" => Reason::SecretsUnknown,
            "SECRET_INVALID" => Reason::SecretInvalid,
            "SESSION_MISMATCH" => Reason::SessionMismatch,
            "RAW_NOT_ALLOWED" => Reason::RawNotAllowed,
            "PEER_NOT_ALLOWED" => Reason::PeerNotAllowed,
            "METHOD_NOT_ALLOWED" => Reason::MethodNotAllowed,
            "TOKEN_BACKOFF" => Reason::TokenBackoff,
            "AUDIT_LOG_UNAVAILABLE" => Reason::AuditLogUnavailable,
            "INTERNAL" => Reason::Internal,
            "RECEIPT_INVALID" => Reason::ReceiptInvalid,
            "METHOD_UNKNOWN" => Reason::MethodUnknown,
            "SERVICE_UNKNOWN" => Reason::ServiceUnknown,
            "STORE_UNAVAILABLE" => Reason::StoreUnavailable,
            "TOOL_UNKNOWN" => Reason::ToolUnknown,
            "TOKEN_EXPIRED" => Reason::TokenExpired,
            "TOKEN_UNKNOWN" => Reason::TokenUnknown,
            _ => return None,
        })
    }
}
