#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs, missing_debug_implementations, unreachable_pub)]

#[cfg(not(unix))]
compile_error!("a sidecar is called over a Unix socket: the crate toolresult needs Unix");

mod artifact;
mod client;
mod command;
mod compact;
mod connect;
mod connection;
mod discovery;
mod error;
mod fields;
mod projection;
mod reason;
mod request_id;
mod result;
mod retry;
mod service_config;
mod status;
mod stream;
mod turn;
mod upload;
mod wire;

pub use artifact::{Page, Pages, Read, Selection};
pub use client::{Client, RegisterSecrets};
pub use command::{Command, Exit, Failure, Text};
pub use compact::{Compact, Compaction, Entry, Render};
pub use connect::Connect;
pub use connection::Connection;
pub use error::{Error, Rejection, Unanswered};
pub use projection::Projection;
pub use reason::Reason;
pub use result::ToolResult;
pub use service_config::SERVICE_CONFIG;
pub use stream::{CommandStream, OpenStream, SplitCommandStream, TextStream};
pub use turn::{Arguments, CallTool, EncodeTurn, Turn};
pub use v1::{CompactionLevel, Provider};

pub use prost;
pub use tonic;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A call that is not made yet, in a box.
type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The messages of the contract and the generated clients, which `build.rs` generates.
#[allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    clippy::all,
    rustdoc::all
)]
pub mod v1 {
    tonic::include_proto!("toolresult.v1");
}
