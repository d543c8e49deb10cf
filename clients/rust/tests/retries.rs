//! When calls are made again: against a server of HTTP/2 that has a list of answers.

mod support;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Response};
use support::Folder;
use tokio::net::{UnixListener, UnixStream};
use toolresult::tonic::Code;
use toolresult::{Client, Error, Reason, v1};

/// What the server does with a request.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// Answers an empty message.
    Ok,
    /// Answers a status, and perhaps when to make the call again.
    Status(Code, Option<&'static str>),
    /// Answers the head, and resets the stream behind it.
    HeadThenReset(h2::Reason),
    /// Resets the stream.
    Reset(h2::Reason),
    /// Closes the connection.
    Close,
    /// Answers the head, and nothing more.
    HeadThenNothing,
}

/// A server that answers by a list, and then [`Answer::Ok`].
struct Server {
    folder: Folder,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<HeaderMap>>>,
}

impl Server {
    fn start(answers: &[Answer]) -> Self {
        let server = Server {
            folder: Folder::new(),
            answers: Arc::new(Mutex::new(answers.iter().copied().collect())),
            requests: Arc::default(),
        };
        let listener = UnixListener::bind(server.folder.0.join("s")).unwrap();
        let (answers, requests) = (server.answers.clone(), server.requests.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answers.clone(), requests.clone()));
            }
        });
        server
    }

    async fn client(&self) -> Client {
        let address = format!("unix://{}", self.folder.0.join("s").display());
        Client::connect().address(address).token("t").await.unwrap()
    }

    fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

/// Answers the requests of a connection.
async fn serve(
    stream: UnixStream,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<HeaderMap>>>,
) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    let mut open = Vec::new();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        requests.lock().unwrap().push(request.headers().clone());
        let answer = answers.lock().unwrap().pop_front().unwrap_or(Answer::Ok);
        let head = || Response::builder().header("content-type", "application/grpc");
        match answer {
            Answer::Ok => {
                let head = head().body(()).unwrap();
                let mut body = respond.send_response(head, false).unwrap();
                body.send_data(Bytes::from_static(&[0; 5]), false).unwrap();
                let mut trailers = HeaderMap::new();
                trailers.insert("grpc-status", "0".parse().unwrap());
                body.send_trailers(trailers).unwrap();
            }
            Answer::Status(code, pushback) => {
                let mut head = head().header("grpc-status", code as i32);
                if let Some(pushback) = pushback {
                    head = head.header("grpc-retry-pushback-ms", pushback);
                }
                respond.send_response(head.body(()).unwrap(), true).unwrap();
            }
            Answer::HeadThenReset(reason) => {
                let head = head().body(()).unwrap();
                let mut body = respond.send_response(head, false).unwrap();
                body.send_data(Bytes::from_static(&[0; 3]), false).unwrap();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    body.send_reset(reason);
                });
            }
            Answer::Reset(reason) => respond.send_reset(reason),
            Answer::Close => return,
            Answer::HeadThenNothing => {
                let head = head().body(()).unwrap();
                open.push(respond.send_response(head, false).unwrap());
            }
        }
    }
}

/// Makes a call, and returns how it ended, how often it was made, and how long it took.
async fn info(answers: &[Answer]) -> (Result<(), Error>, usize, Duration) {
    let server = Server::start(answers);
    let client = server.client().await;
    let began = Instant::now();
    let answer = client.info().await.map(|_| ());
    (answer, server.requests(), began.elapsed())
}

#[tokio::test]
async fn what_may_succeed_is_made_again() {
    for failure in [
        Answer::Status(Code::Unavailable, None),
        Answer::Status(Code::Aborted, None),
        Answer::Status(Code::ResourceExhausted, None),
        Answer::Reset(h2::Reason::REFUSED_STREAM),
        Answer::Close,
    ] {
        let (answer, requests, time) = info(&[failure]).await;
        assert!(answer.is_ok(), "{failure:?}: {answer:?}");
        assert_eq!(requests, 2, "{failure:?}");
        assert!(time >= Duration::from_millis(80), "{failure:?}: {time:?}");
        assert!(time < Duration::from_millis(1000), "{failure:?}: {time:?}");
    }
}

#[tokio::test]
async fn what_cannot_succeed_is_not() {
    for (failure, code) in [
        (
            Answer::Status(Code::InvalidArgument, None),
            Code::InvalidArgument,
        ),
        (Answer::Status(Code::Internal, None), Code::Internal),
        (
            Answer::Status(Code::Unavailable, Some("-1")),
            Code::Unavailable,
        ),
        (
            Answer::Status(Code::ResourceExhausted, Some("x")),
            Code::ResourceExhausted,
        ),
        (Answer::Reset(h2::Reason::CANCEL), Code::Cancelled),
        (Answer::Reset(h2::Reason::INTERNAL_ERROR), Code::Internal),
        (
            Answer::HeadThenReset(h2::Reason::INTERNAL_ERROR),
            Code::Internal,
        ),
    ] {
        let (answer, requests, time) = info(&[failure]).await;
        assert_eq!(answer.unwrap_err().code(), code, "{failure:?}");
        assert_eq!(requests, 1, "{failure:?}");
        assert!(time < Duration::from_millis(80), "{failure:?}: {time:?}");
    }
}

#[tokio::test]
async fn there_are_five_attempts() {
    let failures = [Answer::Status(Code::Unavailable, None); 9];
    let (answer, requests, time) = info(&failures).await;
    assert!(matches!(answer, Err(Error::Unavailable(_))));
    assert_eq!(requests, 5);
    let range = Duration::from_millis(1150)..Duration::from_millis(2100);
    assert!(range.contains(&time), "{time:?}"); // 100, 200, 400 and 800 ms, each by 20 % more or less
}

/// The server says when to come back: sooner or later than the policy, and never beyond the
/// deadline.
#[tokio::test]
async fn the_server_says_when() {
    let soon = Answer::Status(Code::Unavailable, Some("0"));
    let (answer, requests, time) = info(&[soon, soon, soon]).await;
    assert!(answer.is_ok() && requests == 4);
    assert!(time < Duration::from_millis(80), "{time:?}");
    let later = Answer::Status(Code::ResourceExhausted, Some("600"));
    let (answer, requests, time) = info(&[later]).await;
    assert!(answer.is_ok() && requests == 2);
    assert!(time >= Duration::from_millis(600), "{time:?}");
    let too_late = Answer::Status(Code::ResourceExhausted, Some("60000"));
    let (answer, requests, time) = info(&[too_late]).await;
    assert_eq!(answer.unwrap_err().code(), Code::ResourceExhausted);
    assert!(requests == 1 && time < Duration::from_millis(80));
}

/// Failures of all calls count together: behind ten of them none is made again, until some succeed.
#[tokio::test]
async fn many_failures_end_attempts() {
    let server = Server::start(&[Answer::Status(Code::Unavailable, Some("0")); 12]);
    let client = server.client().await;
    for requests in [5, 10, 11, 12] {
        client.info().await.unwrap_err();
        assert_eq!(server.requests(), requests);
    }
    for _ in 0..10 {
        client.info().await.unwrap();
    }
    let failure = Answer::Status(Code::Unavailable, Some("0"));
    server.answers.lock().unwrap().push_back(failure);
    client.info().await.unwrap();
    assert_eq!(server.requests(), 24);
}

/// Health checks, and streams, are not made again.
#[tokio::test]
async fn other_methods_are_made_once() {
    let server = Server::start(&[Answer::Status(Code::Unavailable, None)]);
    let client = server.client().await;
    assert!(matches!(client.healthy().await, Err(Error::Unavailable(_))));
    assert_eq!(server.requests(), 1);
    let large = vec![b'x'; 2 << 20];
    let failures = [Answer::Status(Code::Unavailable, None); 2];
    server.answers.lock().unwrap().extend(failures);
    client.project_text("cat", large).await.unwrap_err();
    assert_eq!(server.requests(), 2);
}

/// Each attempt has the token, and the time that is left.
#[tokio::test]
async fn attempts_have_headers() {
    let server = Server::start(&[Answer::Status(Code::Unavailable, Some("300"))]);
    let client = server.client().await;
    client.info().await.unwrap();
    let requests = server.requests.lock().unwrap();
    let micros = |headers: &HeaderMap| {
        assert_eq!(headers["authorization"], "Bearer t");
        assert!(
            headers["user-agent"]
                .to_str()
                .unwrap()
                .starts_with("toolresult-rust/")
        );
        let text = headers["grpc-timeout"].to_str().unwrap().to_owned();
        text.strip_suffix('u').unwrap().parse::<u64>().unwrap()
    };
    let (first, second) = (micros(&requests[0]), micros(&requests[1]));
    assert!((29_000_000..=30_000_000).contains(&first), "{first}");
    assert!((28_000_000..=29_700_000).contains(&second), "{second}");
}

/// A deadline also ends a call of which the head of the answer is there.
#[tokio::test]
async fn deadlines_end_answers() {
    let server = Server::start(&[Answer::HeadThenNothing]);
    let client = server.client().await;
    let began = Instant::now();
    let mut request = toolresult::tonic::Request::new(v1::GetServerInfoRequest {});
    request.set_timeout(Duration::from_millis(150));
    let status = client.results().get_server_info(request).await.unwrap_err();
    assert_eq!(Error::from(status).reason(), Some(Reason::Deadline));
    assert!(began.elapsed() < Duration::from_secs(2));
}
