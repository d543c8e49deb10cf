//! The connection beneath all clients: it adds the token, deadlines and retries, and says
//! UNAVAILABLE where no sidecar answers.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Request, Response, request};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout_at};
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tower_service::Service;

use crate::BoxFuture;
use crate::retry::{Backoff, Pushback, Throttle, pushback};
use crate::service_config::{CONFIG, Policy, Retry};
use crate::status::{Broken, broken, deadline_exceeded};

/// The name of the header with the time that a call may take.
const TIMEOUT: &str = "grpc-timeout";

/// The size up to which a request is kept, to be sent again, in bytes.
const RETRY_BUFFER: usize = 8 << 20;

/// A connection to a sidecar, which all clients of it share. Generated clients take it as a
/// channel: their calls carry the token, have deadlines, and are made again, all by
/// [`SERVICE_CONFIG`](crate::SERVICE_CONFIG). It connects with the first call, and again whenever
/// the sidecar was away.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

/// What the clones of a connection share.
struct Shared {
    address: String,
    endpoint: Endpoint,
    /// Its task ends with the runtime in which it was made; then there is another one.
    channel: Mutex<Channel>,
    authorization: Option<HeaderValue>,
    /// The time of unary calls that have none of their own. `None`: that of the service config.
    timeout: Option<Duration>,
    throttle: Throttle,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connection")
            .field(&self.shared.address)
            .finish()
    }
}

impl Connection {
    /// Returns a connection that is made by its first call. It has to be called in a runtime of
    /// tokio.
    pub(crate) fn new(
        address: String,
        endpoint: Endpoint,
        authorization: Option<HeaderValue>,
        timeout: Option<Duration>,
    ) -> Self {
        let channel = Mutex::new(endpoint.connect_lazy());
        let throttle = Throttle::new(CONFIG.throttling);
        let shared = Arc::new(Shared {
            address,
            endpoint,
            channel,
            authorization,
            timeout,
            throttle,
        });
        Connection { shared }
    }

    /// Returns the address of the sidecar: `unix:///PATH` or `HOST:PORT`.
    pub fn address(&self) -> &str {
        &self.shared.address
    }
}

impl Service<Request<Body>> for Connection {
    type Response = Response<Body>;
    type Error = Status;
    type Future = BoxFuture<'static, Result<Response<Body>, Status>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move { shared.call(request).await })
    }
}

impl Shared {
    /// Makes a call within its deadline.
    async fn call(self: Arc<Self>, mut request: Request<Body>) -> Result<Response<Body>, Status> {
        let policy = CONFIG.policy(request.uri().path());
        let deadline = self.deadline(request.headers(), policy);
        if let Some(token) = &self.authorization {
            let headers = request.headers_mut();
            headers
                .entry(AUTHORIZATION)
                .or_insert_with(|| token.clone());
        }
        let is_unary = policy.is_some_and(|policy| policy.timeout.is_some());
        let retry = policy.and_then(|policy| policy.retry.as_ref());
        let making = async {
            if is_unary {
                self.unary(request, retry, deadline).await
            } else {
                let answer = self.attempt(request).await;
                answer.map_err(|broken| broken.status)
            }
        };
        let response = match deadline {
            Some(deadline) => timeout_at(deadline, making)
                .await
                .unwrap_or_else(|_| Err(deadline_exceeded()))?,
            None => making.await?,
        };
        Ok(response.map(|body| {
            Body::new(Answer {
                body,
                deadline,
                alarm: None,
                shared: self,
            })
        }))
    }

    /// Returns when a call has to be over: by its own time, else by that of the connection, else by
    /// its policy.
    fn deadline(&self, headers: &HeaderMap, policy: Option<&Policy>) -> Option<Instant> {
        let of_policy = policy.and_then(|policy| policy.timeout);
        let time = match headers.get(TIMEOUT) {
            Some(value) => parse_timeout(value),
            None => of_policy.map(|time| self.timeout.unwrap_or(time)),
        };
        Instant::now().checked_add(time?)
    }

    /// Makes a call of one message, and makes it again where its policy says so. One of which nothing
    /// was sent is made again once in any case: the connection had ended before.
    async fn unary(
        &self,
        request: Request<Body>,
        retry: Option<&Retry>,
        deadline: Option<Instant>,
    ) -> Result<Response<Body>, Status> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let attempt = || self.attempt(rebuild(&parts, &body, deadline));
        if let Some(retry) = retry
            && body.len() <= RETRY_BUFFER
        {
            return self.repeat(attempt, retry, deadline).await;
        }
        notice_end().await;
        let answer = match attempt().await {
            Err(broken) if broken.unsent => attempt().await,
            answer => answer,
        };
        answer.map_err(|broken| broken.status)
    }

    /// Makes a call as often as its policy says, and returns the last answer.
    async fn repeat<F: Future<Output = Result<Response<Body>, Broken>>>(
        &self,
        attempt: impl Fn() -> F,
        retry: &Retry,
        deadline: Option<Instant>,
    ) -> Result<Response<Body>, Status> {
        let mut backoff = Backoff::new(retry);
        let mut attempts = 0;
        loop {
            let answer = attempt().await.map_err(|broken| broken.status);
            attempts += 1;
            let (code, said) = match &answer {
                Ok(response) => match code_of(response.headers()) {
                    Some(code) => (code, pushback(response.headers())),
                    None => {
                        self.throttle.succeeded();
                        return answer;
                    }
                },
                Err(status) => (status.code(), Pushback::None),
            };
            if said != Pushback::Never && !retry.codes.contains(&code) {
                return answer;
            }
            let may_go_on = self.throttle.failed();
            if !may_go_on || said == Pushback::Never || attempts >= retry.max_attempts {
                return answer;
            }
            let wait = backoff.next(said);
            if deadline.is_some_and(|deadline| Instant::now() + wait >= deadline) {
                return answer; // which says more than that the time is over
            }
            sleep(wait).await;
        }
    }

    /// Sends a request once, and waits for the head of its answer.
    async fn attempt(&self, request: Request<Body>) -> Result<Response<Body>, Broken> {
        let mut channel = self.lock().clone();
        if ready(&mut channel).await.is_err() {
            channel = self.endpoint.connect_lazy(); // in this runtime: that of the other one has ended
            *self.lock() = channel.clone();
            let ready = ready(&mut channel).await;
            ready.map_err(|error| broken(&self.address, error))?;
        }
        let answer = channel.call(request).await;
        answer.map_err(|error| broken(&self.address, error))
    }

    /// Returns the channel. It is right whatever panicked.
    fn lock(&self) -> std::sync::MutexGuard<'_, Channel> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the tasks of the connection notice that it has ended, in a runtime of one thread that was
/// busy meanwhile: for calls that are not made again.
pub(crate) async fn notice_end() {
    for _ in 0..4 {
        // The end reaches the last one of them by way of the others.
        tokio::task::yield_now().await;
    }
}

/// Waits until a channel takes a request. An error says that its task has ended.
async fn ready(channel: &mut Channel) -> Result<(), tonic::transport::Error> {
    poll_fn(|context| channel.poll_ready(context)).await
}

/// Returns the request for an attempt, with the time that is left for it.
fn rebuild(parts: &request::Parts, body: &Bytes, deadline: Option<Instant>) -> Request<Body> {
    let body = Body::new(Full::new(body.clone()));
    let mut request = Request::from_parts(parts.clone(), body);
    if let Some(deadline) = deadline {
        let left = deadline.saturating_duration_since(Instant::now());
        let value = HeaderValue::from_str(&format_timeout(left)).expect("digits and a letter");
        request.headers_mut().insert(TIMEOUT, value);
    }
    request
}

/// Returns the status of a call that failed before it had an answer: it is in the head then.
fn code_of(headers: &HeaderMap) -> Option<Code> {
    let code = Code::from_bytes(headers.get("grpc-status")?.as_bytes());
    (code != Code::Ok).then_some(code)
}

/// Writes a time as gRPC has it: at most eight digits and a unit.
fn format_timeout(time: Duration) -> String {
    match (time.as_micros(), time.as_millis()) {
        (micros @ ..=99_999_999, _) => format!("{micros}u"),
        (_, millis @ ..=99_999_999) => format!("{millis}m"),
        _ => format!("{}S", time.as_secs().min(99_999_999)),
    }
}

/// Reads a time as gRPC has it. `None`: it is none, or longer than a clock goes.
fn parse_timeout(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?;
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok()?;
    Some(match unit {
        "n" => Duration::from_nanos(number),
        "u" => Duration::from_micros(number),
        "m" => Duration::from_millis(number),
        "S" => Duration::from_secs(number),
        "M" => Duration::from_secs(number.checked_mul(60)?),
        "H" => Duration::from_secs(number.checked_mul(3600)?),
        _ => return None,
    })
}

/// The body of an answer, which ends with the deadline of its call, and with UNAVAILABLE when the
/// connection breaks.
struct Answer {
    body: Body,
    deadline: Option<Instant>,
    /// Set once the body was waited for.
    alarm: Option<Pin<Box<Sleep>>>,
    shared: Arc<Shared>,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let answer = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut answer.body).poll_frame(context) {
            let address = &answer.shared.address;
            let frame = frame.map(|frame| frame.map_err(|error| broken(address, error).status));
            return Poll::Ready(frame);
        }
        let Some(deadline) = answer.deadline else {
            return Poll::Pending;
        };
        let alarm = answer
            .alarm
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        alarm
            .as_mut()
            .poll(context)
            .map(|()| Some(Err(deadline_exceeded())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        let cases = [
            (Duration::ZERO, "0u"),
            (Duration::from_micros(1), "1u"),
            (Duration::from_secs(30), "30000000u"),
            (Duration::from_secs(300), "300000m"),
            (Duration::from_secs(200_000), "200000S"),
        ];
        for (time, text) in cases {
            assert_eq!(format_timeout(time), text);
            let value = HeaderValue::from_static(text);
            assert_eq!(parse_timeout(&value), Some(time));
        }
        for text in ["", "u", "1", "1x", "-1S", "é"] {
            let value = HeaderValue::from_bytes(text.as_bytes()).unwrap();
            assert_eq!(parse_timeout(&value), None, "{text}");
        }
    }
}
