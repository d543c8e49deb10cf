//! How a client gets its connection.

use std::env;
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use http::HeaderValue;
use tonic::transport::Endpoint;

use crate::discovery::Names;
use crate::{BoxFuture, Client, Connection, Error, Result};

/// The time between two pings of a connection that has calls, and how long one may take. So a
/// sidecar that is stopped is noticed.
const PING: Duration = Duration::from_secs(15);

/// The size up to which the head or the end of an answer is received, in bytes: errors have details in it.
const MAX_HEADERS: u32 = 1 << 20;

/// How long a connection over TCP may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that is to be made, by [`Client::connect`]. `await` makes it.
#[derive(Clone, Default)]
#[must_use = "it does nothing until it is awaited"]
pub struct Connect {
    address: Option<String>,
    token: Option<String>,
    start: bool,
    timeout: Option<Duration>,
    session: String,
    task: String,
    #[cfg(feature = "tls")]
    tls: Option<tonic::transport::ClientTlsConfig>,
}

/// Does not show the token.
impl std::fmt::Debug for Connect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connect")
            .field("address", &self.address)
            .field("token", &self.token.as_ref().map(|_| "..."))
            .field("start", &self.start)
            .field("timeout", &self.timeout)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Connect {
    /// Names the sidecar: `unix:///PATH` or `HOST:PORT`. Default, and for an empty address: the one
    /// that is found.
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into()).filter(|address| !address.is_empty());
        self
    }

    /// Sets the token that calls carry: that of the sidecar over TCP, or one of a session. Default,
    /// and for an empty token: over TCP that of the variable `TOOLRESULT_TOKEN`. Without TLS a
    /// token is sent to the loopback address and over a socket only.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into()).filter(|token| !token.is_empty());
        self
    }

    /// Sets whether a sidecar is started where none runs, by `toolresult ensure`: the program that
    /// the variable `TOOLRESULT_BINARY` names, or that is found in `PATH`. Default: none is.
    pub fn start(mut self, start: bool) -> Self {
        self.start = start;
        self
    }

    /// Sets how long a call may take that has no timeout of its own. Default: that of
    /// [`SERVICE_CONFIG`](crate::SERVICE_CONFIG), 30 s for most. Streams have none.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the session of calls that name none. Default: none.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session = id.into();
        self
    }

    /// Sets what the agent looks for in the outputs that are projected:
    /// [`with_task`](Client::with_task) has more. Default: not known.
    pub fn task(mut self, task: impl Into<String>) -> Self {
        self.task = task.into();
        self
    }

    /// Connects with TLS over TCP: with the certificate of the authority of the sidecar and, where
    /// that asks for one, a certificate of the client.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, config: tonic::transport::ClientTlsConfig) -> Self {
        self.tls = Some(config);
        self
    }

    /// Makes the client.
    async fn connect(self) -> Result<Client> {
        let address = match &self.address {
            Some(address) => address.clone(),
            None => find(self.start).await?,
        };
        let local = address.starts_with("unix:");
        let authorization = self.authorization(&address, local)?;
        let endpoint = self.endpoint(&address, local)?;
        let connection = Connection::new(address, endpoint, authorization, self.timeout);
        Ok(Client::new(connection, self.session, self.task))
    }

    /// Returns the header with the token. `None`: there is none.
    fn authorization(&self, address: &str, local: bool) -> Result<Option<HeaderValue>> {
        let of_environment = || env::var("TOOLRESULT_TOKEN").ok();
        let token = match &self.token {
            Some(token) => Some(token.clone()),
            None if local => None, // the user id suffices
            None => of_environment().filter(|token| !token.is_empty()),
        };
        let Some(token) = token else { return Ok(None) };
        if !local && !self.has_tls() && !is_loopback(address) {
            let message = "a token is sent to another machine with TLS only";
            return Err(Error::Argument(message.to_owned()));
        }
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| {
            Error::Argument("the token has characters that no header has".to_owned())
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// Reports whether TLS is used over TCP.
    fn has_tls(&self) -> bool {
        #[cfg(feature = "tls")]
        return self.tls.is_some();
        #[cfg(not(feature = "tls"))]
        false
    }

    /// Returns what tonic connects to.
    fn endpoint(&self, address: &str, local: bool) -> Result<Endpoint> {
        let wrong = |error: tonic::transport::Error| {
            Error::Argument(format!("the address {address:?}: {error:?}"))
        };
        let endpoint = if local {
            let origin = http::Uri::from_static("http://localhost");
            Endpoint::from_shared(address.to_owned()).map(|endpoint| endpoint.origin(origin))
        } else if address.starts_with('/') {
            return Err(Error::Argument(format!("write unix://{address}")));
        } else {
            let scheme = if self.has_tls() { "https" } else { "http" };
            Endpoint::from_shared(format!("{scheme}://{address}"))
        };
        let endpoint = endpoint.map_err(wrong)?;
        #[cfg(feature = "tls")]
        let endpoint = match &self.tls {
            Some(tls) if !local => endpoint.tls_config(tls.clone()).map_err(wrong)?,
            _ => endpoint,
        };
        let agent = concat!("toolresult-rust/", env!("CARGO_PKG_VERSION"));
        Ok(endpoint
            .user_agent(agent)
            .map_err(wrong)?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_max_header_list_size(MAX_HEADERS)
            .http2_keep_alive_interval(PING)
            .keep_alive_timeout(PING)
            .keep_alive_while_idle(false))
    }
}

impl IntoFuture for Connect {
    type Output = Result<Client>;
    type IntoFuture = BoxFuture<'static, Result<Client>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.connect())
    }
}

/// Reports whether an address is of this machine by its text.
fn is_loopback(address: &str) -> bool {
    let Some((host, _)) = address.rsplit_once(':') else {
        return false;
    };
    let host = host.strip_prefix('[').unwrap_or(host);
    let host = host.strip_suffix(']').unwrap_or(host);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns a variable of the environment, with U+FFFD where it is no UTF-8. `None`: it is not set.
fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the address of the sidecar of this user, which is started where none runs and `start` is
/// set.
async fn find(start: bool) -> Result<String> {
    let set = |name| variable(name).is_some_and(|value| !value.is_empty());
    if start && set("TOOLRESULT_CONFIG") && !set("TOOLRESULT_ADDRESS") {
        return ensure().await; // the command reads that file
    }
    match Names::of(variable).find().await {
        Err(Error::NoSidecar(_)) if start => ensure().await,
        found => found,
    }
}

/// Runs `toolresult ensure`, and returns the address that it prints.
async fn ensure() -> Result<String> {
    let running = tokio::task::spawn_blocking(run_ensure);
    running.await.map_err(|error| {
        Error::unavailable(format!("start a sidecar: {error}"), Some(error.into()))
    })?
}

/// Runs `toolresult ensure` in a process group of its own, so that no Ctrl-C ends what it starts.
fn run_ensure() -> Result<String> {
    let program = variable("TOOLRESULT_BINARY").filter(|path| !path.is_empty());
    let program = PathBuf::from(program.unwrap_or_else(|| "toolresult".to_owned()));
    let mut command = Command::new(&program);
    command.arg("ensure").stdin(Stdio::null()).process_group(0);
    let output = command.output().map_err(|error| {
        let message = format!("start a sidecar: {}: {error}", program.display());
        Error::no_sidecar(message, Some(error.into()))
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = match said.trim() {
            "" => format!("start a sidecar: {}", output.status),
            said => format!("start a sidecar: {said}"),
        };
        return Err(Error::unavailable(message, None));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_seen_in_the_address() {
        for address in ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"] {
            assert!(is_loopback(address), "{address}");
        }
        for address in [
            "10.0.0.1:1",
            "localhost",
            "localhost.example:1",
            "[::2]:1",
            "",
        ] {
            assert!(!is_loopback(address), "{address}");
        }
    }

    #[tokio::test]
    async fn tokens_stay_on_the_machine() {
        let remote = Client::connect().address("10.0.0.1:1").token("t").await;
        assert!(matches!(remote, Err(Error::Argument(_))), "{remote:?}");
        let broken = Client::connect().address("127.0.0.1:1").token("a\nb").await;
        assert!(matches!(broken, Err(Error::Argument(_))), "{broken:?}");
        let shown = format!("{:?}", Client::connect().token("secret"));
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[tokio::test]
    async fn addresses_are_checked() {
        for address in ["/run/s", "two words:1", "host:port:1"] {
            let client = Client::connect().address(address).await;
            assert!(matches!(client, Err(Error::Argument(_))), "{address}");
        }
    }
}
