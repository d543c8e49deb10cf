//! Where the sidecar of this user is:
//! <https://github.com/toolresult/toolresult/blob/main/docs/discovery.md>.

use std::fs::{File, OpenOptions, symlink_metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::process::{geteuid, getuid};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::{Error, Result};

/// The size up to which an address file is read, in bytes.
const MAX_ADDRESS_FILE: u64 = 16 << 10;

/// How long to wait for a connection. The kernel makes one or rejects it at once.
const MAX_CONNECT: Duration = Duration::from_secs(1);

/// The names by which a sidecar is found.
#[derive(Debug)]
pub(crate) struct Names {
    /// What `TOOLRESULT_ADDRESS` says: if it is set, no other place counts.
    address: Option<String>,
    /// The path of the address file. `None`: none is read.
    address_file: Option<PathBuf>,
    /// The path of the socket.
    socket: PathBuf,
    /// Whether the user named the socket. It is then used whoever serves there.
    socket_named: bool,
}

/// A socket on which a sidecar may serve.
struct Place {
    path: PathBuf,
    /// Whether the user named it.
    named: bool,
}

impl Names {
    /// Returns the names of an environment. A variable that is empty counts as one that is not set.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<String>) -> Names {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let file = set("TOOLRESULT_ADDRESS_FILE").map(PathBuf::from);
        let address = set("TOOLRESULT_ADDRESS");
        if let Some(socket) = set("TOOLRESULT_SOCKET") {
            let socket = PathBuf::from(socket);
            return Names {
                address,
                address_file: file,
                socket,
                socket_named: true,
            };
        }
        let runtime = runtime_dir(set);
        Names {
            address,
            address_file: Some(file.unwrap_or_else(|| runtime.join("address"))),
            socket: runtime.join("toolresult.sock"),
            socket_named: false,
        }
    }

    /// Returns the address of the first place where a process accepts connections. That of
    /// `TOOLRESULT_ADDRESS` is returned as it is. Whether the process answers is not known.
    pub(crate) async fn find(&self) -> Result<String> {
        if let Some(address) = &self.address {
            return named_address(address).await;
        }
        let (places, mut reasons) = self.places();
        for place in places {
            let error = match place.connect().await {
                Ok(()) => return Ok(address_of(&place.path)),
                Err(error) => error,
            };
            let at = format!("the sidecar at {}", address_of(&place.path));
            match error.kind() {
                ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::NotADirectory => {}
                ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                    let message = format!("{at} does not answer");
                    return Err(Error::unavailable(message, Some(error.into())));
                }
                _ if is_denied(&error) => return Err(denied(&at, error)),
                _ => reasons.push(format!("{at}: {error}")),
            }
        }
        let mut message = "no sidecar runs".to_owned();
        for reason in reasons {
            message.push_str(": ");
            message.push_str(&reason);
        }
        Err(Error::no_sidecar(message, None))
    }

    /// Returns where to look, and why an address file is not followed.
    fn places(&self) -> (Vec<Place>, Vec<String>) {
        let (mut places, mut reasons) = (Vec::new(), Vec::new());
        if let Some(file) = &self.address_file {
            match read_address(file) {
                Ok(path) => places.push(Place { path, named: false }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => reasons.push(format!("address file {}: {error}", file.display())),
            }
        }
        if places.first().is_none_or(|place| place.path != self.socket) {
            let path = self.socket.clone();
            let named = self.socket_named;
            places.push(Place { path, named });
        }
        (places, reasons)
    }
}

impl Place {
    /// Connects, and checks that the process that listens is one of this user, unless the user
    /// named the socket.
    async fn connect(&self) -> io::Result<()> {
        let connecting = timeout(MAX_CONNECT, UnixStream::connect(&self.path));
        let stream = connecting.await.map_err(io::Error::from)??;
        let uid = stream.peer_cred()?.uid();
        if !self.named && uid != geteuid().as_raw() {
            let message = format!("is served by another user ({uid})");
            return Err(io::Error::other(message));
        }
        Ok(())
    }
}

/// Returns the runtime directory: that of the session of the user, or one in the temporary
/// directory.
fn runtime_dir(set: impl Fn(&str) -> Option<String>) -> PathBuf {
    let absolute = |name| set(name).map(PathBuf::from).filter(|p| p.is_absolute());
    if let Some(dir) = absolute("XDG_RUNTIME_DIR") {
        return dir.join("toolresult");
    }
    let temporary = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
    temporary.join(format!("toolresult-{}", getuid().as_raw()))
}

/// Returns the address of a socket.
fn address_of(path: &Path) -> String {
    format!("unix://{}", path.display())
}

/// Returns an address that the user named, unless it is none, or this process may not connect.
async fn named_address(address: &str) -> Result<String> {
    if address.starts_with('/') {
        let message = format!("TOOLRESULT_ADDRESS {address}: write unix://{address}");
        return Err(Error::unavailable(message, None));
    }
    if let Some(path) = address.strip_prefix("unix://") {
        let path = PathBuf::from(path);
        if let Err(error) = (Place { path, named: true }).connect().await
            && is_denied(&error)
        {
            return Err(denied(&format!("the sidecar at {address}"), error));
        }
    }
    Ok(address.to_owned())
}

/// Reports whether this process may not connect at all, as in a sandbox: seccomp says EPERM, the
/// kernel itself EACCES.
fn is_denied(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::PERM.raw_os_error())
}

/// Returns the error of a process that may not connect.
fn denied(at: &str, error: io::Error) -> Error {
    let message = format!("{at}: connections are denied: {error}");
    Error::unavailable(message, Some(error.into()))
}

/// Reads an address file, and returns the path of the socket. It follows none that another user
/// could have written.
fn read_address(path: &Path) -> io::Result<PathBuf> {
    check_directory(path.parent().unwrap_or(Path::new("")))?;
    // What is no file, such as a pipe, would be waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("is no file"));
    }
    check_owner(meta.uid(), meta.mode())?;
    let text = read_bounded(file)?;
    parse_address(&text).map_err(io::Error::other)
}

/// Checks that a directory is no link, and that no other user could have written in it.
fn check_directory(path: &Path) -> io::Result<()> {
    let meta = symlink_metadata(path)?;
    if !meta.is_dir() {
        return Err(io::Error::other(format!(
            "directory {}: is no directory",
            path.display()
        )));
    }
    check_owner(meta.uid(), meta.mode())
        .map_err(|error| io::Error::other(format!("directory {}: {error}", path.display())))
}

/// Checks that something belongs to this user, and that no other may write it.
fn check_owner(uid: u32, mode: u32) -> io::Result<()> {
    if uid != geteuid().as_raw() {
        return Err(io::Error::other("belongs to another user"));
    }
    if mode & 0o022 != 0 {
        let message = format!("mode {:04o} lets other users write", mode & 0o7777);
        return Err(io::Error::other(message));
    }
    Ok(())
}

/// Reads the beginning of a file.
fn read_bounded(file: File) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(MAX_ADDRESS_FILE).read_to_end(&mut text)?;
    Ok(text)
}

/// Reads the content of an address file. What it does not know is for later versions.
fn parse_address(text: &[u8]) -> Result<PathBuf, String> {
    let content: serde_json::Value = serde_json::from_slice(text)
        .map_err(|error| format!("is not the JSON of an address file: {error}"))?;
    let address = content["address"].as_str().unwrap_or_default();
    match address.strip_prefix("unix://").map(Path::new) {
        Some(path) if path.is_absolute() && !address.contains(char::is_control) => Ok(path.into()),
        _ => Err(format!(
            "has the address {address:?}, which is not unix:///PATH"
        )),
    }
}

#[cfg(test)]
#[path = "discovery_test.rs"]
mod tests;
