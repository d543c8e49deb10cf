//! The errors of calls.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::Reason;

/// The domain of the `ErrorInfo` of every rejected call.
const DOMAIN: &str = "toolresult.v1";

/// What to do where no sidecar answers.
const START_HINT: &str = "start one: toolresult ensure";

/// A call that was not served.
///
/// A tool that failed is none: that is data, and has a receipt.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The sidecar rejected the call, or gRPC ended it: its reason says why.
    Rejected(Box<Rejection>),
    /// A sidecar was found or named, and does not answer.
    Unavailable(Box<Unanswered>),
    /// No sidecar was found, and none may or can be started.
    NoSidecar(Box<Unanswered>),
    /// Something that no request can say, such as a token that is not ASCII. The text says what.
    Argument(String),
}

/// Why a call was rejected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// The reason. `None`: it is none that this client knows, or the call has none.
    pub reason: Option<Reason>,
    /// The reason as the contract writes it, such as `BUDGET_TOO_SMALL`, also one that this client
    /// does not know. Empty: none.
    pub reason_text: String,
    /// What was wrong. It has no bytes of a tool.
    pub message: String,
    /// The path of the field that was wrong, such as `output.tool_name`. Empty: none.
    pub field: String,
    /// What to do next. Empty: nothing is known.
    pub hint: String,
    /// Whether the same call may succeed when it is made again.
    pub retryable: bool,
    /// How long to wait before. `None`: the sidecar does not say.
    pub retry_after: Option<Duration>,
    /// The status of gRPC.
    pub code: Code,
    /// Further facts, such as `needed` of a budget.
    pub metadata: HashMap<String, String>,
    /// The status itself.
    pub status: Status,
}

/// Why no sidecar answered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unanswered {
    /// What was tried, and what became of it.
    pub message: String,
    /// The cause. `None`: there is nothing beyond the message.
    pub cause: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Returns the reason. `None`: there is none, or this client does not know it.
    pub fn reason(&self) -> Option<Reason> {
        self.rejection().and_then(|rejection| rejection.reason)
    }

    /// Returns the rejection. `None`: no sidecar answered, or none was asked.
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            Error::Rejected(rejection) => Some(rejection),
            _ => None,
        }
    }

    /// Returns what was wrong.
    pub fn message(&self) -> &str {
        match self {
            Error::Rejected(rejection) => &rejection.message,
            Error::Unavailable(unanswered) | Error::NoSidecar(unanswered) => &unanswered.message,
            Error::Argument(message) => message,
        }
    }

    /// Returns the path of the field that was wrong. Empty: none.
    pub fn field(&self) -> &str {
        self.rejection().map_or("", |rejection| &rejection.field)
    }

    /// Returns what to do next. Empty: nothing is known.
    pub fn hint(&self) -> &str {
        match self {
            Error::Rejected(rejection) => &rejection.hint,
            Error::Unavailable(_) | Error::NoSidecar(_) => START_HINT,
            Error::Argument(_) => "",
        }
    }

    /// Reports whether the same call may succeed when it is made again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Error::Rejected(rejection) => rejection.retryable,
            Error::Unavailable(_) | Error::NoSidecar(_) => true,
            Error::Argument(_) => false,
        }
    }

    /// Returns how long to wait before the same call is made again. `None`: nothing is known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.rejection().and_then(|rejection| rejection.retry_after)
    }

    /// Returns the status of gRPC; `INVALID_ARGUMENT` of an argument.
    pub fn code(&self) -> Code {
        match self {
            Error::Rejected(rejection) => rejection.code,
            Error::Unavailable(_) | Error::NoSidecar(_) => Code::Unavailable,
            Error::Argument(_) => Code::InvalidArgument,
        }
    }

    /// Returns the error of a sidecar that does not answer.
    pub(crate) fn unavailable(
        message: impl Into<String>,
        cause: Option<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        let message = message.into();
        Error::Unavailable(Box::new(Unanswered { message, cause }))
    }

    /// Returns the error of a sidecar that was not found.
    pub(crate) fn no_sidecar(
        message: impl Into<String>,
        cause: Option<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        let message = message.into();
        Error::NoSidecar(Box::new(Unanswered { message, cause }))
    }

    /// Returns the error of an answer that is not as the contract has it.
    pub(crate) fn unexpected(message: &'static str) -> Self {
        Status::internal(message).into()
    }
}

/// Reads the status of a call, such as one of a generated client.
impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let info = status
            .get_details_error_info()
            .filter(|info| info.domain == DOMAIN);
        let code = status.code();
        if info.is_none() && code == Code::Unavailable {
            return Error::unavailable(status.message().to_owned(), Some(status.into()));
        }
        let retry_info = status.get_details_retry_info();
        let (reason_text, metadata) = match info {
            Some(info) => (info.reason, info.metadata),
            None => (reason_of(code).to_owned(), HashMap::new()),
        };
        let of_metadata = |name| metadata.get(name).cloned().unwrap_or_default();
        Error::Rejected(Box::new(Rejection {
            reason: Reason::from_name(&reason_text),
            message: status.message().to_owned(),
            field: of_metadata("field"),
            hint: of_metadata("hint"),
            retryable: retry_info.is_some() || matches!(code, Code::Unavailable | Code::Aborted),
            retry_after: retry_info.and_then(|info| info.retry_delay),
            reason_text,
            code,
            metadata,
            status,
        }))
    }
}

/// Returns the reason of a status that gRPC itself made. Empty: none.
fn reason_of(code: Code) -> &'static str {
    match code {
        Code::DeadlineExceeded => Reason::Deadline.name(),
        Code::Cancelled => Reason::ClientCancelled.name(),
        Code::Unimplemented => Reason::MethodUnknown.name(),
        Code::ResourceExhausted | Code::OutOfRange => Reason::MessageTooLarge.name(), // the latter is how tonic says it
        _ => "",
    }
}

/// Writes the message, the reason and the hint.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())?;
        if let Some(rejection) = self.rejection() {
            if !rejection.reason_text.is_empty() {
                write!(f, " ({})", rejection.reason_text)?;
            } else {
                write!(f, " ({})", crate::status::name(rejection.code))?;
            }
        }
        match self.hint() {
            "" => Ok(()),
            hint => write!(f, "; {hint}"),
        }
    }
}

/// Writes the name that the contract has.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Error::Rejected(rejection) => Some(&rejection.status),
            Error::Unavailable(unanswered) | Error::NoSidecar(unanswered) => {
                Some(unanswered.cause.as_deref()?)
            }
            Error::Argument(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic_types::ErrorDetails;

    #[test]
    fn details_are_read() {
        let mut details = ErrorDetails::with_error_info(
            "BUDGET_TOO_SMALL",
            DOMAIN,
            [
                ("field", "policy"),
                ("hint", "raise it"),
                ("needed", "40 tokens"),
            ]
            .map(|(k, v)| (k.to_owned(), v.to_owned())),
        );
        details.set_retry_info(Some(Duration::from_millis(250)));
        let status = Status::with_error_details(Code::InvalidArgument, "too small", details);
        let error = Error::from(status);
        assert_eq!(error.reason(), Some(Reason::BudgetTooSmall));
        assert_eq!((error.field(), error.hint()), ("policy", "raise it"));
        assert!(error.is_retryable());
        assert_eq!(error.retry_after(), Some(Duration::from_millis(250)));
        assert_eq!(error.rejection().unwrap().metadata["needed"], "40 tokens");
        assert_eq!(error.to_string(), "too small (BUDGET_TOO_SMALL); raise it");
        assert!(StdError::source(&error).is_some());
    }

    #[test]
    fn unknown_reasons_are_kept() {
        let info = [("hint".to_owned(), "wait".to_owned())];
        let details = ErrorDetails::with_error_info("OF_TOMORROW", DOMAIN, info);
        let error = Error::from(Status::with_error_details(Code::Aborted, "m", details));
        assert_eq!(error.reason(), None);
        assert_eq!(error.rejection().unwrap().reason_text, "OF_TOMORROW");
        assert!(error.is_retryable());
    }

    /// An `ErrorInfo` of another domain, such as that of a proxy, is not a reason of the contract.
    #[test]
    fn other_domains_have_no_reasons() {
        let none: [(String, String); 0] = [];
        let details = ErrorDetails::with_error_info("FIELD_MISSING", "example.org", none);
        let error = Error::from(Status::with_error_details(Code::Internal, "m", details));
        assert_eq!(error.reason(), None);
        assert_eq!(error.rejection().unwrap().reason_text, "");
        assert_eq!(error.to_string(), "m (INTERNAL)");
    }

    #[test]
    fn statuses_of_grpc_have_reasons() {
        let of = |status: Status| Error::from(status);
        assert!(matches!(
            of(Status::unavailable("gone")),
            Error::Unavailable(_)
        ));
        assert_eq!(of(Status::unavailable("gone")).hint(), START_HINT);
        let cases = [
            (Status::deadline_exceeded(""), Reason::Deadline),
            (Status::cancelled(""), Reason::ClientCancelled),
            (Status::unimplemented(""), Reason::MethodUnknown),
            (Status::resource_exhausted(""), Reason::MessageTooLarge),
        ];
        for (status, reason) in cases {
            let error = of(status);
            assert_eq!(error.reason(), Some(reason));
            assert!(!error.is_retryable());
        }
        assert_eq!(of(Status::internal("x")).reason(), None);
    }
}
