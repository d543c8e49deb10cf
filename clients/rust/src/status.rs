//! Statuses of gRPC: their names, and those of calls that no sidecar answered.

use std::error::Error;

use tonic::{Code, Status, TimeoutExpired};

/// Returns the name of a status, as gRPC specifies it.
pub(crate) fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

/// A call that a connection did not carry to its end.
#[derive(Debug)]
pub(crate) struct Broken {
    /// Its status.
    pub(crate) status: Status,
    /// Whether nothing of it was sent.
    pub(crate) unsent: bool,
}

/// Returns what became of a call whose connection failed: gRPC calls it UNAVAILABLE, unless its
/// time was over or the sidecar reset it for a reason of its own. tonic says UNKNOWN or CANCELLED.
pub(crate) fn broken(address: &str, error: impl Into<Box<dyn Error + Send + Sync>>) -> Broken {
    let of_tonic = Status::from_error(error.into());
    let code = code_of(&of_tonic);
    if code == Code::DeadlineExceeded {
        return Broken {
            status: deadline_exceeded(),
            unsent: false,
        };
    }
    let message = format!("no answer of {address}: {}", chain(&of_tonic));
    let unsent = of_tonic.code() == Code::Cancelled;
    let mut status = Status::new(code, message);
    status.set_source(std::sync::Arc::new(of_tonic));
    Broken { status, unsent }
}

/// Returns the status of a call that took too long.
pub(crate) fn deadline_exceeded() -> Status {
    Status::deadline_exceeded("the call took longer than its timeout")
}

/// Returns the status of an error of a connection, by its causes.
fn code_of(status: &Status) -> Code {
    let mut next: Option<&(dyn Error + 'static)> = Some(status);
    while let Some(error) = next {
        if error.is::<TimeoutExpired>() {
            return Code::DeadlineExceeded;
        }
        if let Some(error) = error.downcast_ref::<h2::Error>()
            && error.is_reset()
            && error.is_remote()
            && let Some(reason) = error.reason()
        {
            return code_of_reset(reason);
        }
        next = error.source();
    }
    Code::Unavailable
}

/// Returns the status of a stream that the sidecar reset, as gRPC over HTTP/2 specifies it.
fn code_of_reset(reason: h2::Reason) -> Code {
    match reason {
        h2::Reason::REFUSED_STREAM => Code::Unavailable,
        h2::Reason::CANCEL => Code::Cancelled,
        h2::Reason::ENHANCE_YOUR_CALM => Code::ResourceExhausted,
        h2::Reason::INADEQUATE_SECURITY => Code::PermissionDenied,
        _ => Code::Internal,
    }
}

/// Returns the messages of an error and of its causes, without what says nothing.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = error.source().or(Some(error));
    while let Some(error) = next {
        let message = error.to_string();
        if message != "transport error" && !text.contains(&message) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&message);
        }
        next = error.source();
    }
    text
}
