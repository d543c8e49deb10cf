//! The client against a real sidecar, beside what the conformance list has.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use support::Sidecar;
use toolresult::{
    Client, Command, CompactionLevel, Entry, Error, Failure, Reason, Selection, Text, v1,
};

/// Starts a sidecar and connects to it, or ends the test.
macro_rules! connected {
    ($($flag:expr),*) => {{
        let Some(sidecar) = Sidecar::start(&[$($flag),*]) else { return };
        let client = Client::connect().address(sidecar.address()).await.unwrap();
        (sidecar, client)
    }};
}

/// What a client is used for must be possible from every task.
#[test]
fn types_can_be_shared() {
    fn shared<T: Send + Sync + 'static>() {}
    fn sent<T: Send + 'static>(_: T) {}
    shared::<Client>();
    shared::<Error>();
    shared::<toolresult::ToolResult>();
    shared::<toolresult::Connection>();
    sent::<Option<toolresult::CommandStream>>(None);
    sent::<Option<toolresult::SplitCommandStream>>(None);
    sent::<Option<toolresult::TextStream>>(None);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_tasks_use_one_client() {
    let (_sidecar, client) = connected!();
    let tasks: Vec<_> = (0..64)
        .map(|i| {
            let client = client.clone();
            tokio::spawn(async move {
                let result = client.project_text("echo", format!("text {i}\n")).await;
                (i, result.unwrap().receipt)
            })
        })
        .collect();
    for task in tasks {
        let (i, receipt) = task.await.unwrap();
        assert_eq!(receipt, format!("Tool output:\ntext {i}"));
    }
}

/// A client outlives the runtime in which it was made.
#[test]
fn another_runtime_can_go_on() {
    let Some(sidecar) = Sidecar::start(&[]) else {
        return;
    };
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let first = runtime();
    let client = first
        .block_on(async { Client::connect().address(sidecar.address()).await })
        .unwrap();
    first.block_on(client.info()).unwrap();
    let beside = client.clone();
    let thread = std::thread::spawn(move || runtime().block_on(async { beside.info().await }));
    thread.join().unwrap().unwrap();
    drop(first);
    let receipt = runtime()
        .block_on(async { client.project_text("echo", "again").await })
        .unwrap()
        .receipt;
    assert_eq!(receipt, "Tool output:\nagain");
    assert!(runtime().block_on(client.healthy()).unwrap());
}

#[tokio::test]
async fn any_bytes_of_any_size() {
    let (_sidecar, client) = connected!();
    let bytes = [0xff, 0x00, b'\n', 0xfe];
    let result = client.project_text("cat", &bytes).await.unwrap();
    let data = client.read_pages(&result.artifacts()[0], Selection::All);
    assert_eq!(data.all().await.unwrap(), bytes);
    let empty = client.project_text("cat", "").await.unwrap();
    assert_eq!(empty.receipt, "Tool answered with nothing");
    let mut large = b"line of the text\n".repeat(3 << 20); // 51 MB
    large.extend_from_slice(&bytes);
    let result = client.project_text("cat", large.as_slice()).await.unwrap();
    let pages = client.read_pages(&result.artifacts()[0], Selection::All);
    let data = pages.max_bytes(3 << 20).max_lines(1_000_000).all().await;
    assert!(data.unwrap() == large);
}

/// Of other families every payload is sent as a stream when the output is large.
#[tokio::test]
async fn large_outputs_of_other_families() {
    let (_sidecar, client) = connected!();
    let item = |line: &str, data: Vec<u8>| v1::CommandBatchItemOutput {
        command_line: line.into(),
        result: Some(v1::CommandOutput {
            exit_status: Some(0),
            stdout: Some(v1::Payload {
                source: Some(v1::payload::Source::Inline(data)),
                ..Default::default()
            }),
            ..Default::default()
        }),
        ..Default::default()
    };
    let one = b"one of the first command\n".repeat(50_000);
    let two = b"two of the second command\n".repeat(50_000);
    let batch = v1::CommandBatchOutput {
        items: vec![item("one", one.clone()), item("two", two.clone())],
        ..Default::default()
    };
    let output = v1::CompleteToolOutput {
        tool_name: "batch".into(),
        result: Some(v1::complete_tool_output::Result::CommandBatch(batch)),
        ..Default::default()
    };
    let result = client.project(output).await.unwrap();
    assert_eq!(result.family, "command_batch");
    let paths = result.artifacts();
    assert_eq!(paths.len(), 2);
    for (path, expected) in paths.iter().zip([one, two]) {
        let pages = client.read_pages(path, Selection::All).max_bytes(3 << 20);
        assert!(pages.max_lines(1_000_000).all().await.unwrap() == expected);
    }
}

#[tokio::test]
async fn whole_requests_and_what_the_system_ran() {
    let (_sidecar, client) = connected!();
    let mut request = v1::ProjectRequest {
        output: Some(v1::CompleteToolOutput {
            tool_name: "fetch".into(),
            result: Some(v1::complete_tool_output::Result::Text(v1::TextOutput {
                content: Some(v1::Payload {
                    source: Some(v1::payload::Source::Inline(b"x".to_vec())),
                    ..Default::default()
                }),
                ..Default::default()
            })),
            ..Default::default()
        }),
        ..Default::default()
    };
    request.set_canonical_form(v1::CanonicalForm::Json);
    let result = client.project(request).session("s").await.unwrap();
    assert_eq!(result.canonical.tool_name, "fetch");
    assert!(result.into_response().canonical_json.starts_with('{'));
    let line = "echo out; echo err >&2; exit 3";
    let output = std::process::Command::new("sh").args(["-c", line]).output();
    let command = Command::captured(line, output.unwrap());
    let result = client.project_command(command).await.unwrap();
    let receipt = "Process exited with code 3\nstdout:\nout\nstderr:\nerr";
    assert_eq!(result.receipt, receipt);
    let killed = std::process::Command::new("sh")
        .args(["-c", "kill -9 $$"])
        .output();
    let command = Command::captured("kill", killed.unwrap());
    let result = client.project_command(command).await.unwrap();
    assert!(result.receipt.contains("signal 9"), "{}", result.receipt);
}

/// A call without a session has that of the client; an empty one has none.
#[tokio::test]
async fn sessions_are_those_of_the_client() {
    let (_sidecar, client) = connected!();
    let client = client.with_session("mine");
    let lines = "a line of some length that is omitted\n".repeat(3000);
    let long = Text::from(&lines).media_type("text/plain");
    let result = client.project_text("build", long).await.unwrap();
    let path = result.artifacts()[0].clone();
    let page = client.read(&path, Selection::Tail(1)).await.unwrap();
    assert_eq!(page.text(), "a line of some length that is omitted\n");
    let of_another = client.read(&path, Selection::All).session("another").await;
    assert_eq!(
        of_another.unwrap_err().reason(),
        Some(Reason::ArtifactNotFound)
    );
    let tool = client
        .call_tool("read_result", serde_json::json!({"path": path, "tail": 1}))
        .await
        .unwrap();
    assert!(tool.receipt.unwrap().text.contains("a line of some length"));
    let error = client.project_text("build", "x").session("").call_id("c");
    assert_eq!(
        error.await.unwrap_err().reason(),
        Some(Reason::FieldMissing)
    );
}

/// The same id has the same answer; the ids of the client are never the same.
#[tokio::test]
async fn request_ids() {
    let (_sidecar, client) = connected!();
    for text in ["one", "two"] {
        client.project_text("echo", text).await.unwrap();
    }
    let mine = |text: &'static str| client.project_text("echo", text).request_id("mine");
    mine("one").await.unwrap();
    let error = mine("two").await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::RequestIdReused));
}

/// A sidecar without an audit log takes no ids, of small outputs and of large ones.
#[tokio::test]
async fn without_an_audit_log() {
    let (_sidecar, client) = connected!("--audit=off");
    let large = "a line of the text\n".repeat(100_000);
    client.project_text("echo", &large).await.unwrap();
    client.project_text("echo", "text").await.unwrap();
    let error = client.project_text("echo", "text").request_id("mine").await;
    assert_eq!(error.unwrap_err().reason(), Some(Reason::AuditDisabled));
}

#[tokio::test]
async fn rejections_have_facts() {
    let (_sidecar, client) = connected!();
    let error = client.project_text("a b", "x").await.unwrap_err();
    let rejection = error.rejection().unwrap();
    assert_eq!(rejection.reason, Some(Reason::NameInvalid));
    assert_eq!(rejection.field, "output.tool_name");
    assert!(!rejection.hint.is_empty() && !rejection.retryable);
    assert_eq!(rejection.code, toolresult::tonic::Code::InvalidArgument);
    let failure = Failure::new("file_not_found", "no").retryable(false);
    assert!(client.project_error("read", failure).await.unwrap().failed);
    // A generated client has the same errors by `?`.
    let mut results = client.results();
    let status = results.parse_receipt(v1::ParseReceiptRequest {
        text: "no receipt".into(),
        ..Default::default()
    });
    let error = Error::from(status.await.unwrap_err());
    assert_eq!(error.reason(), Some(Reason::ReceiptInvalid));
}

/// A stream that the sidecar rejects at its first message says why, whatever is written behind it.
#[tokio::test]
async fn rejected_streams_say_why() {
    let (_sidecar, client) = connected!();
    let mut stream = client.stream("a b").command().await.unwrap();
    let data = vec![b'x'; 8 << 20];
    let error = match stream.write(&data).await {
        Err(error) => error,
        Ok(()) => stream.finish(0).await.unwrap_err(),
    };
    assert_eq!(error.reason(), Some(Reason::NameInvalid), "{error:?}");
    let large = client.project_text("a b", vec![b'x'; 20 << 20]).await;
    let error = large.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::NameInvalid), "{error:?}");
}

#[tokio::test]
async fn streams_are_written_in_pieces() {
    let (_sidecar, client) = connected!();
    let mut stream = client
        .stream("exec_command")
        .command_line("make")
        .max_tokens(400)
        .split_command()
        .await
        .unwrap();
    for i in 0..20_000 {
        stream.write_stdout(format!("unit {i}\n")).await.unwrap();
    }
    let snapshot = stream.snapshot("task_1").await.unwrap();
    assert!(snapshot.receipt.contains("task_1"), "{}", snapshot.receipt);
    stream.write_stderr(b"error: no").await.unwrap();
    let result = stream.finish(2).await.unwrap();
    assert!(result.receipt.contains("error: no"), "{}", result.receipt);
    assert!(result.receipt.contains("20000 lines"), "{}", result.receipt);
    let mut text = client.stream("fetch").text().await.unwrap();
    text.write("half of ").await.unwrap();
    let snapshot = text.snapshot().await.unwrap();
    assert_eq!(snapshot.receipt, "Tool output:\nhalf of ");
    text.write("a text").await.unwrap();
    let result = text.finish().await.unwrap();
    assert_eq!(result.receipt, "Tool output:\nhalf of a text");
}

/// A stream that is dropped is cancelled at once: the sidecar has no call any more, and ends when
/// it is asked to.
#[tokio::test]
async fn dropped_streams_are_cancelled() {
    let (sidecar, client) = connected!();
    let mut stream = client.stream("exec_command").command().await.unwrap();
    stream.write("half").await.unwrap();
    let opened = client.stream("exec_command").command().await.unwrap();
    drop((stream, opened));
    assert!(client.healthy().await.unwrap());
    sidecar.signal("TERM");
    let began = Instant::now();
    while client.healthy().await.is_ok() {
        assert!(began.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn histories_of_any_length() {
    let (_sidecar, client) = connected!();
    let line = |i| {
        format!(
            "entry {i} of the notes has {} words in it\n",
            i * 7919 % 1000
        )
    };
    let lines: String = (0..150).map(line).collect();
    let result = client.project_text("notes", &lines).await.unwrap();
    let entries = |n: usize| (0..n).map(|i| Entry::from(&result).call_id(format!("c{i}")));
    for n in [3, 800] {
        let compact = client.compact(entries(n)).total_tokens(1000);
        let compaction = compact.session("history").await.unwrap();
        assert!(compaction.tokens_after() < compaction.tokens_before());
        assert_eq!(compaction.first_changed(), Some(0));
        let plan = compaction.response().plan.as_ref().unwrap();
        assert_eq!(plan.results.len(), n);
        let changed = compaction.changed();
        assert!(changed.iter().all(|result| result.canonical.is_some()));
        assert!(changed.windows(2).all(|pair| pair[0].index < pair[1].index));
    }
    let dry = client.compact(entries(2)).level(CompactionLevel::Line);
    assert!(dry.dry_run().await.unwrap().changed().is_empty());
}

/// Every answer of a call that is cancelled by its task is thrown away, and the connection goes on.
#[tokio::test]
async fn cancelled_calls_leave_the_connection() {
    let (_sidecar, client) = connected!();
    let large = "a line of the text\n".repeat(100_000);
    for _ in 0..20 {
        let call = async { client.project_text("cat", &large).await };
        let _ = tokio::time::timeout(Duration::from_millis(2), call).await;
    }
    assert!(client.healthy().await.unwrap());
}

#[tokio::test]
async fn deadlines() {
    let (sidecar, client) = connected!();
    client.info().await.unwrap();
    sidecar.signal("STOP");
    let began = Instant::now();
    let call = client.project_text("echo", "x");
    let error = call.timeout(Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::Deadline), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(2));
    let impatient = Client::connect()
        .address(sidecar.address())
        .timeout(Duration::from_millis(200));
    let error = impatient.await.unwrap().info().await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::Deadline), "{error:?}");
    let mut stream = client
        .stream("fetch")
        .timeout(Duration::from_millis(200))
        .text()
        .await
        .unwrap();
    stream.write("half").await.unwrap();
    let error = stream.finish().await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::Deadline), "{error:?}");
    sidecar.signal("CONT");
    client.info().await.unwrap();
}

/// A call that waits for a sidecar which is killed is made again when another one is there.
#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_a_call() {
    let (mut sidecar, client) = connected!();
    client.info().await.unwrap();
    for _ in 0..3 {
        sidecar.signal("STOP");
        let caller = client.clone();
        let call = tokio::spawn(async move { caller.project_text("echo", "hello\n").await });
        tokio::time::sleep(Duration::from_millis(100)).await;
        sidecar.kill();
        sidecar.restart();
        let result = call.await.unwrap().unwrap();
        assert_eq!(result.receipt, "Tool output:\nhello");
        assert!(client.healthy().await.unwrap()); // which is not made again by its policy
    }
}

/// A runtime of one thread has not seen that the connection ended, when the sidecar was replaced while the thread was busy.
#[tokio::test]
async fn replaced_behind_the_back() {
    let (mut sidecar, client) = connected!();
    for _ in 0..5 {
        client.info().await.unwrap();
        sidecar.kill();
        sidecar.restart();
        assert!(client.healthy().await.unwrap());
        sidecar.kill();
        sidecar.restart();
        client.project_text("echo", "x").await.unwrap();
        sidecar.kill();
        sidecar.restart();
        let mut stream = client.stream("fetch").text().await.unwrap();
        stream.write("x").await.unwrap();
        stream.finish().await.unwrap();
    }
}

/// A sidecar that is stopped answers no ping: what has no deadline ends, too.
#[tokio::test]
async fn stopped_sidecars_are_noticed() {
    let (sidecar, client) = connected!();
    let mut stream = client.stream("fetch").text().await.unwrap();
    stream.write("half").await.unwrap();
    sidecar.signal("STOP");
    let began = Instant::now();
    let error = stream.finish().await.unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
    let time = began.elapsed();
    assert!(time > Duration::from_secs(10) && time < Duration::from_secs(60));
}

/// Without a sidecar a call fails within two seconds, later ones at once, and the first one behind
/// a start succeeds.
#[tokio::test]
async fn nobody_answers() {
    let (mut sidecar, client) = connected!();
    client.info().await.unwrap();
    sidecar.kill();
    let began = Instant::now();
    let error = client.project_text("echo", "x").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
    assert!(error.is_retryable());
    assert_eq!(error.hint(), "start one: toolresult ensure");
    assert!(error.to_string().contains(&sidecar.address()), "{error}");
    assert!(began.elapsed() > Duration::from_millis(1000));
    assert!(began.elapsed() < Duration::from_millis(2500));
    for _ in 0..2 {
        let _ = client.project_text("echo", "x").await;
    }
    let began = Instant::now();
    client.project_text("echo", "x").await.unwrap_err();
    assert!(began.elapsed() < Duration::from_millis(50));
    sidecar.restart();
    client.project_text("echo", "x").await.unwrap();
    assert!(Arc::new(client).healthy().await.unwrap());
}

#[tokio::test]
async fn tokens_over_tcp() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap().to_string();
    drop(port);
    let folder = support::Folder::new();
    let file = folder.0.join("token");
    std::fs::write(&file, "a-token-that-is-long-enough-for-the-sidecar\n").unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, private).unwrap();
    let (tcp, token) = (
        format!("--tcp={address}"),
        format!("--token-file={}", file.display()),
    );
    let (_sidecar, local) = connected!(&tcp, &token);
    local.info().await.unwrap();
    let connect = || Client::connect().address(&address);
    let error = connect().await.unwrap().info().await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::TokenMissing));
    let client = connect()
        .token("a-token-that-is-long-enough-for-the-sidecar")
        .await
        .unwrap();
    client.info().await.unwrap();
    client
        .results()
        .get_server_info(v1::GetServerInfoRequest {})
        .await
        .unwrap();
    // The token of a session is sent over a socket, too, where it was given.
    let request = v1::IssueSessionTokenRequest {
        session_id: "one".into(),
        ..Default::default()
    };
    let issued = local.access().issue_session_token(request).await.unwrap();
    let confined = Client::connect()
        .address(local.address())
        .token(issued.into_inner().token)
        .await
        .unwrap();
    let other = confined.project_text("echo", "x").session("two").await;
    assert_eq!(other.unwrap_err().reason(), Some(Reason::SessionMismatch));
}

#[tokio::test]
async fn registered_values_are_in_nothing() {
    let (_sidecar, client) = connected!();
    let secret = "correct horse battery";
    let registering = client.register_secrets([("PASSWORD", secret)]);
    assert!(!format!("{registering:?}").contains(secret));
    let id = registering.await.unwrap();
    assert!(!id.is_empty());
    let result = client
        .project_text("env", format!("P={secret}\n"))
        .await
        .unwrap();
    assert!(!result.receipt.contains(secret));
    assert_eq!(result.redactions[0].kind, "PASSWORD");
}

/// Returns the path of an example, which is built with the tests.
fn example(name: &str) -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().unwrap().with_file_name("examples");
    folder.join(name)
}

/// The example runs a command, and ends as it did.
#[test]
fn example_of_a_command() {
    let Some(sidecar) = Sidecar::start(&[]) else {
        return;
    };
    let output = std::process::Command::new(example("run"))
        .args(["sh", "-c", "echo out; echo err >&2; exit 3"])
        .env("TOOLRESULT_ADDRESS", sidecar.address())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let receipt = "Process exited with code 3\nstdout:\nout\nstderr:\nerr\n";
    assert_eq!(printed, receipt);
    assert_eq!(output.status.code(), Some(3));
}

/// On the default socket a process of another user is not called; it is where the user named it.
#[test]
fn sockets_of_other_users() {
    let Some(sidecar) = Sidecar::start_as_another_user() else {
        return;
    };
    let ask = |line: &str, variables: &[(&str, &str)]| {
        let mut driver = std::process::Command::new(example("conformance"))
            .env_clear()
            .env("XDG_RUNTIME_DIR", sidecar.folder())
            .envs(variables.iter().copied())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = driver.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, line.as_bytes()).unwrap();
        drop(input);
        String::from_utf8(driver.wait_with_output().unwrap().stdout).unwrap()
    };
    let connect = "{\"call\": \"connect\", \"with\": {}}\n";
    let answer = ask(connect, &[]);
    assert!(answer.contains("NoSidecarError"), "{answer}");
    assert!(answer.contains("is served by another user"), "{answer}");
    let path = sidecar.address().replace("unix://", "");
    let answer = ask(connect, &[("TOOLRESULT_SOCKET", &path)]);
    assert!(answer.contains(&sidecar.address()), "{answer}");
}
