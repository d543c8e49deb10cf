//! TLS over TCP, with certificates of an authority of the test.
#![cfg(feature = "tls")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use support::{Folder, Sidecar};
use toolresult::tonic::transport::{Certificate, ClientTlsConfig, Identity};
use toolresult::{Client, Error};

const TOKEN: &str = "a-token-that-is-long-enough-for-the-sidecar";

/// Runs openssl in a folder.
fn openssl(folder: &Path, args: &str) {
    let output = Command::new("openssl")
        .args(args.split(' '))
        .current_dir(folder)
        .output()
        .expect("openssl");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {args}: {said}");
}

/// Makes an authority, and a certificate that it signs for this machine.
fn certificates(folder: &Path) {
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(
        folder,
        &format!("req -x509 {new} -keyout ca.key -out ca.pem -subj /CN=ca -days 2"),
    );
    openssl(
        folder,
        &format!("req {new} -keyout key.pem -out request.pem -subj /CN=sidecar"),
    );
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    openssl(
        folder,
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile names",
    );
}

/// Whoever trusts the authority and has a certificate and the token is served, and nobody else.
#[tokio::test]
async fn certificates_of_both_sides() {
    let folder = Folder::new();
    certificates(&folder.0);
    let token = folder.0.join("token");
    std::fs::write(&token, TOKEN).unwrap();
    for file in ["token", "key.pem"] {
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(folder.0.join(file), private).unwrap();
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap().to_string();
    drop(port);
    let file = |flag: &str, name: &str| format!("--{flag}={}", folder.0.join(name).display());
    let flags = [
        format!("--tcp={address}"),
        file("token-file", "token"),
        file("tls-cert", "cert.pem"),
        file("tls-key", "key.pem"),
        file("tls-client-ca", "ca.pem"),
    ];
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let Some(_sidecar) = Sidecar::start(&flags) else {
        return;
    };
    let pem = |name: &str| std::fs::read(folder.0.join(name)).unwrap();
    let trusting = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem("ca.pem")));
    let identified = trusting
        .clone()
        .identity(Identity::from_pem(pem("cert.pem"), pem("key.pem")));
    let connect = |tls| Client::connect().address(&address).token(TOKEN).tls(tls);
    let client = connect(identified.clone()).await.unwrap();
    let result = client.project_text("echo", "hello\n").await.unwrap();
    assert_eq!(result.receipt, "Tool output:\nhello");
    for tls in [trusting, ClientTlsConfig::new()] {
        let client = connect(tls).await.unwrap();
        let error = client.healthy().await.unwrap_err();
        assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
    }
    let plain = Client::connect().address(&address).token(TOKEN);
    let error = plain.await.unwrap().healthy().await.unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
    let of_another = Client::connect().address("sidecar.example:1").token(TOKEN);
    assert!(of_another.tls(identified).await.is_ok()); // it is not called
}
