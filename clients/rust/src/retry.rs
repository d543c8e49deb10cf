//! When a call is made again: waits, what the sidecar says about them, and an end to it where
//! nothing helps.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Mutex;
use std::time::Duration;

use http::HeaderMap;

use crate::service_config::{Retry, Throttling};

/// The trailer by which the sidecar says when to make a call again, in milliseconds.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// What the sidecar says about another attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pushback {
    /// Nothing.
    None,
    /// Make it after this time.
    After(Duration),
    /// Make none.
    Never,
}

/// Reads what the sidecar says about another attempt. What is no number means none, as gRPC has it.
pub(crate) fn pushback(headers: &HeaderMap) -> Pushback {
    let Some(value) = headers.get(PUSHBACK) else {
        return Pushback::None;
    };
    match value.to_str().ok().and_then(|text| text.parse().ok()) {
        Some(milliseconds) => Pushback::After(Duration::from_millis(milliseconds)),
        None => Pushback::Never,
    }
}

/// The waits between the attempts of one call.
#[derive(Debug)]
pub(crate) struct Backoff<'a> {
    retry: &'a Retry,
    next: Duration,
}

impl<'a> Backoff<'a> {
    /// Returns the waits of a policy.
    pub(crate) fn new(retry: &'a Retry) -> Self {
        let next = retry.initial;
        Backoff { retry, next }
    }

    /// Returns the next wait, with jitter of 20 % in both directions, or that of the sidecar,
    /// behind which the waits begin again.
    pub(crate) fn next(&mut self, pushback: Pushback) -> Duration {
        if let Pushback::After(wait) = pushback {
            self.next = self.retry.initial;
            return wait;
        }
        let wait = self.next.min(self.retry.max);
        self.next = wait.mul_f64(self.retry.multiplier);
        wait.mul_f64(0.8 + 0.4 * random())
    }
}

/// Returns a number from 0 to 1.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11; // as many as an f64 has
    bits as f64 / (1u64 << 53) as f64
}

/// An account of failures that all calls of a connection share, so that a sidecar that is down gets
/// no storm of attempts.
#[derive(Debug)]
pub(crate) struct Throttle {
    throttling: Throttling,
    tokens: Mutex<f64>,
}

impl Throttle {
    /// Returns a full account.
    pub(crate) fn new(throttling: Throttling) -> Self {
        let tokens = Mutex::new(throttling.max_tokens);
        Throttle { throttling, tokens }
    }

    /// Counts a success.
    pub(crate) fn succeeded(&self) {
        let mut tokens = self.lock();
        *tokens = (*tokens + self.throttling.token_ratio).min(self.throttling.max_tokens);
    }

    /// Counts a failure, and reports whether a call may be made again.
    pub(crate) fn failed(&self) -> bool {
        let mut tokens = self.lock();
        *tokens = (*tokens - 1.0).max(0.0);
        *tokens > self.throttling.max_tokens / 2.0
    }

    /// Returns the tokens. They are right whatever panicked.
    fn lock(&self) -> std::sync::MutexGuard<'_, f64> {
        self.tokens
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service_config::CONFIG;

    #[test]
    fn pushbacks_are_read() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(PUSHBACK, text.parse().unwrap());
            pushback(&headers)
        };
        assert_eq!(pushback(&HeaderMap::new()), Pushback::None);
        assert_eq!(read("250"), Pushback::After(Duration::from_millis(250)));
        assert_eq!(read("0"), Pushback::After(Duration::ZERO));
        assert_eq!(read("-1"), Pushback::Never);
        assert_eq!(read("soon"), Pushback::Never);
    }

    #[test]
    fn waits_grow_to_the_longest() {
        let policy = CONFIG.policy("/toolresult.v1.ToolResultService/Project");
        let retry = policy.unwrap().retry.as_ref().unwrap();
        let mut backoff = Backoff::new(retry);
        for expected in [100.0, 200.0, 400.0, 800.0, 1000.0, 1000.0] {
            let wait = backoff.next(Pushback::None).as_secs_f64() * 1000.0;
            assert!(
                (expected * 0.799..expected * 1.201).contains(&wait),
                "{wait}"
            );
        }
        let said = Duration::from_millis(7);
        assert_eq!(backoff.next(Pushback::After(said)), said);
        assert!(backoff.next(Pushback::None) < Duration::from_millis(121));
    }

    /// Of 20 tokens ten failures take half; as many successes give it back.
    #[test]
    fn failures_end_attempts() {
        let throttle = Throttle::new(CONFIG.throttling);
        for _ in 0..9 {
            assert!(throttle.failed());
        }
        assert!(!throttle.failed());
        assert!(!throttle.failed());
        throttle.succeeded();
        throttle.succeeded();
        throttle.succeeded();
        assert!(throttle.failed());
    }
}
