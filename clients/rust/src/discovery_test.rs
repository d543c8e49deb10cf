use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A runtime directory of a test, which is removed at its end.
struct Runtime {
    dir: PathBuf,
}

impl Runtime {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("tr-{}-{number}", std::process::id()));
        fs::create_dir_all(dir.join("toolresult")).unwrap();
        fs::set_permissions(dir.join("toolresult"), Permissions::from_mode(0o700)).unwrap();
        Runtime { dir }
    }

    fn runtime(&self, name: &str) -> PathBuf {
        self.dir.join("toolresult").join(name)
    }

    /// The names of an environment with this runtime directory.
    fn names(&self, more: &[(&str, &str)]) -> Names {
        let runtime = self.dir.to_str().unwrap().to_owned();
        let mut variables = vec![("XDG_RUNTIME_DIR", runtime.as_str())];
        variables.extend_from_slice(more);
        Names::of(|name| {
            let found = variables.iter().rfind(|(key, _)| *key == name)?;
            Some(found.1.to_owned())
        })
    }

    /// Writes an address file that leads to a socket.
    fn write_address(&self, socket: &Path, mode: u32) -> PathBuf {
        let file = self.runtime("address");
        let text = format!(r#"{{"address":"unix://{}","later":1}}"#, socket.display());
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        file
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// The message of a sidecar that was not found.
async fn no_sidecar(names: Names) -> String {
    match names.find().await {
        Err(Error::NoSidecar(unanswered)) => unanswered.message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_address_of_the_user_counts_alone() {
    let place = Runtime::new();
    let _listener = UnixListener::bind(place.runtime("toolresult.sock")).unwrap();
    let of = |address| place.names(&[("TOOLRESULT_ADDRESS", address)]);
    let nobody = "unix:///nonexistent/s";
    assert_eq!(of(nobody).find().await.unwrap(), nobody);
    assert_eq!(of("127.0.0.1:1").find().await.unwrap(), "127.0.0.1:1");
    let found = of("").find().await.unwrap();
    assert_eq!(found, address_of(&place.runtime("toolresult.sock")));
    let error = of("/run/s").find().await.unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)));
    assert!(error.message().contains("write unix:///run/s"), "{error}");
}

#[tokio::test]
async fn the_address_file_is_before_the_socket() {
    let place = Runtime::new();
    let other = place.dir.join("other");
    let _default = UnixListener::bind(place.runtime("toolresult.sock")).unwrap();
    let _other = UnixListener::bind(&other).unwrap();
    place.write_address(&other, 0o600);
    assert_eq!(place.names(&[]).find().await.unwrap(), address_of(&other));
    let socket = place.dir.join("third");
    let _third = UnixListener::bind(&socket).unwrap();
    let named = [("TOOLRESULT_SOCKET", socket.to_str().unwrap())];
    let found = place.names(&named).find().await.unwrap();
    assert_eq!(found, address_of(&socket));
}

#[tokio::test]
async fn files_of_others_are_not_followed() {
    let place = Runtime::new();
    let other = place.dir.join("other");
    let _other = UnixListener::bind(&other).unwrap();
    for mode in [0o620, 0o602, 0o666] {
        let file = place.write_address(&other, mode);
        let message = no_sidecar(place.names(&[])).await;
        assert!(message.contains("lets other users write"), "{message}");
        fs::remove_file(file).unwrap();
    }
    let file = place.write_address(&other, 0o600);
    let real = place.dir.join("real");
    fs::rename(&file, &real).unwrap();
    symlink(&real, &file).unwrap();
    assert!(no_sidecar(place.names(&[])).await.contains("address file"));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(no_sidecar(place.names(&[])).await.contains("is no file"));
    fs::remove_dir(&file).unwrap();
    place.write_address(&other, 0o600);
    let runtime = place.dir.join("toolresult");
    fs::set_permissions(&runtime, Permissions::from_mode(0o722)).unwrap();
    let message = no_sidecar(place.names(&[])).await;
    assert!(message.contains("lets other users write"), "{message}");
}

#[tokio::test]
async fn what_is_no_address_is_not_followed() {
    let place = Runtime::new();
    let file = place.runtime("address");
    for (text, why) in [
        ("", "is not the JSON"),
        ("{}", "which is not unix:///PATH"),
        ("[1]", "which is not unix:///PATH"),
        (r#"{"address":"127.0.0.1:1"}"#, "which is not unix:///PATH"),
        (r#"{"address":"unix://run/s"}"#, "which is not unix:///PATH"),
        (r#"{"address":"unix:///a\nb"}"#, "which is not unix:///PATH"),
    ] {
        fs::write(&file, text).unwrap();
        let message = no_sidecar(place.names(&[])).await;
        assert!(message.contains(why), "{text}: {message}");
    }
}

/// A pipe would be waited for, and a socket that a dead sidecar left has nobody behind it.
#[tokio::test]
async fn what_nobody_serves_is_passed_over() {
    let place = Runtime::new();
    let socket = place.runtime("toolresult.sock");
    drop(UnixListener::bind(&socket).unwrap());
    assert_eq!(no_sidecar(place.names(&[])).await, "no sidecar runs");
    let pipe = place.runtime("address");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert!(no_sidecar(place.names(&[])).await.contains("is no file"));
}

/// A process that accepts no more connections is there, and is not taken for none.
#[tokio::test]
#[cfg_attr(
    target_os = "macos",
    ignore = "it rejects a full queue as a dead socket"
)]
async fn full_queues_are_no_absence() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
    let place = Runtime::new();
    let path = place.runtime("toolresult.sock");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let _waiting = std::os::unix::net::UnixStream::connect(&path).unwrap();
    let error = place.names(&[]).find().await.unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
    assert!(error.message().contains("does not answer"), "{error}");
}

#[test]
fn names_are_those_of_the_environment() {
    let names = |variables: &'static [(&str, &str)]| {
        Names::of(|name| {
            let found = variables.iter().find(|(key, _)| *key == name)?;
            Some(found.1.to_owned())
        })
    };
    let plain = names(&[("XDG_RUNTIME_DIR", "relative")]);
    let dir = PathBuf::from(format!("/tmp/toolresult-{}", getuid().as_raw()));
    assert_eq!(plain.socket, dir.join("toolresult.sock"));
    assert_eq!(plain.address_file, Some(dir.join("address")));
    let socket = names(&[("TOOLRESULT_SOCKET", "/s")]);
    assert_eq!(socket.address_file, None);
    let both = names(&[
        ("TOOLRESULT_SOCKET", "/s"),
        ("TOOLRESULT_ADDRESS_FILE", "/f"),
    ]);
    assert_eq!(both.address_file, Some(PathBuf::from("/f")));
    let temporary = names(&[("TMPDIR", "/var/tmp")]);
    assert!(temporary.socket.starts_with("/var/tmp"));
}
