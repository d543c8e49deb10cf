//! A real sidecar, and its folder.
#![allow(dead_code)] // each test takes a part of it

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns the path of the binary. `None`: none was named, and the test is skipped, loudly: what is
/// written without a macro is not captured. With `TOOLRESULT_LEGS=all` it fails.
pub fn binary() -> Option<PathBuf> {
    let path = std::env::var_os("TOOLRESULT_BINARY").filter(|path| !path.is_empty());
    if path.is_none() {
        let why = "SKIPPED: TOOLRESULT_BINARY does not name the sidecar";
        assert_ne!(
            std::env::var("TOOLRESULT_LEGS").as_deref(),
            Ok("all"),
            "{why}"
        );
        let _ = writeln!(std::io::stderr(), "{why}");
    }
    path.map(PathBuf::from)
}

/// A directory with a short name, which is removed with it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trr{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A sidecar that runs, until it is dropped.
pub struct Sidecar {
    process: Child,
    folder: Folder,
    socket: PathBuf,
    binary: PathBuf,
    flags: Vec<String>,
}

impl Sidecar {
    /// Starts a sidecar with further flags. `None`: there is no binary.
    pub fn start(flags: &[&str]) -> Option<Self> {
        let binary = binary()?;
        let folder = Folder::new();
        let flags = flags
            .iter()
            .map(|&flag| flag.to_owned())
            .collect::<Vec<_>>();
        let socket = folder.0.join("run/s");
        let process = launch(command(&binary, &folder.0, &socket, &flags));
        Some(Sidecar {
            process,
            folder,
            socket,
            binary,
            flags,
        })
    }

    /// Starts a sidecar of another user on the default socket. `None`: there is no binary, or this
    /// user is not root.
    pub fn start_as_another_user() -> Option<Self> {
        const NOBODY: u32 = 65534;
        let given = binary()?;
        if !rustix::process::geteuid().is_root() {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: it takes root to be another user"
            );
            return None;
        }
        let folder = Folder::new();
        let binary = folder.0.join("binary"); // where the other user can execute it
        std::fs::copy(given, &binary).expect("a copy");
        std::os::unix::fs::chown(&folder.0, Some(NOBODY), None).expect("root");
        let socket = folder.0.join("toolresult/toolresult.sock");
        let mut command = command(&binary, &folder.0, &socket, &[]);
        command.uid(NOBODY);
        Some(Sidecar {
            process: launch(command),
            folder,
            socket,
            binary,
            flags: Vec::new(),
        })
    }

    pub fn address(&self) -> String {
        format!("unix://{}", self.socket.display())
    }

    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// Sends a signal, such as `STOP`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([format!("-{name}"), self.process.id().to_string()])
            .status();
        assert!(status.expect("kill").success());
    }

    /// Kills it, and waits for its end.
    pub fn kill(&mut self) {
        self.process.kill().expect("a process");
        self.process.wait().expect("a process");
    }

    /// Starts another one in its place.
    pub fn restart(&mut self) {
        self.process = launch(command(
            &self.binary,
            &self.folder.0,
            &self.socket,
            &self.flags,
        ));
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the command of a sidecar.
fn command(binary: &Path, folder: &Path, socket: &Path, flags: &[String]) -> Command {
    let mut command = Command::new(binary);
    command
        .args(["serve", "--log-level=error", "--store"])
        .arg(folder.join("store"))
        .arg("--socket")
        .arg(socket)
        .args(flags)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("XDG_RUNTIME_DIR", folder)
        .env("TOOLRESULT_VOLATILE", "true")
        .stdout(Stdio::piped());
    command
}

/// Starts a process, and waits until it has printed its address.
fn launch(mut command: Command) -> Child {
    let mut process = command.spawn().expect("the sidecar");
    let stdout = process.stdout.take().expect("a pipe");
    let (mut line, mut stdout) = (String::new(), BufReader::new(stdout));
    stdout.read_line(&mut line).expect("an address");
    assert!(line.starts_with("unix://"), "the sidecar printed {line:?}");
    // A closed pipe would end it.
    std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    process
}
