//! Deadlines and retries of the calls, by the configuration that all clients share.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;
use tonic::Code;

/// The deadlines and retries of all calls, as gRPC writes them (a service config).
pub const SERVICE_CONFIG: &str = include_str!("service_config.json");

/// The configuration, read.
pub(crate) static CONFIG: LazyLock<ServiceConfig> =
    LazyLock::new(|| ServiceConfig::parse(SERVICE_CONFIG).expect("service_config.json"));

/// A service config, as far as this client follows it.
#[derive(Debug)]
pub(crate) struct ServiceConfig {
    /// By the path of a method, `/SERVICE/METHOD`, or of a service, `/SERVICE/`.
    policies: HashMap<String, Policy>,
    /// When calls that fail are no longer made again.
    pub(crate) throttling: Throttling,
}

/// The policy of a method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    /// How long a call may take. `None`: as long as it wants, as streams do.
    pub(crate) timeout: Option<Duration>,
    /// How it is made again. `None`: it is not.
    pub(crate) retry: Option<Retry>,
}

/// How a call is made again.
#[derive(Clone, Debug)]
pub(crate) struct Retry {
    /// Attempts in all, with the first one.
    pub(crate) max_attempts: u32,
    /// The wait before the second attempt.
    pub(crate) initial: Duration,
    /// The longest wait.
    pub(crate) max: Duration,
    /// What the wait grows by.
    pub(crate) multiplier: f64,
    /// The statuses after which it is made again.
    pub(crate) codes: Vec<Code>,
}

/// When calls that fail are no longer made again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttling {
    /// Tokens at first and at most. A failure takes one; below the half none is made again.
    pub(crate) max_tokens: f64,
    /// Tokens that a success gives back.
    pub(crate) token_ratio: f64,
}

impl ServiceConfig {
    /// Returns the policy of a path: that of the method, else that of its service, else none of
    /// both limits.
    pub(crate) fn policy(&self, path: &str) -> Option<&Policy> {
        self.policies
            .get(path)
            .or_else(|| self.policies.get(&path[..=path.rfind('/')?]))
    }

    /// Reads a service config. `None`: it is none.
    fn parse(text: &str) -> Option<ServiceConfig> {
        let config: Value = serde_json::from_str(text).ok()?;
        let mut policies = HashMap::new();
        for method in config["methodConfig"].as_array()? {
            let policy = Policy {
                timeout: match &method["timeout"] {
                    Value::Null => None,
                    timeout => Some(duration(timeout)?),
                },
                retry: match &method["retryPolicy"] {
                    Value::Null => None,
                    retry => Some(Retry::parse(retry)?),
                },
            };
            for name in method["name"].as_array()? {
                let method = name["method"].as_str().unwrap_or_default();
                let path = format!("/{}/{method}", name["service"].as_str()?);
                policies.insert(path, policy.clone());
            }
        }
        let throttling = &config["retryThrottling"];
        let throttling = Throttling {
            max_tokens: throttling["maxTokens"].as_f64()?,
            token_ratio: throttling["tokenRatio"].as_f64()?,
        };
        Some(ServiceConfig {
            policies,
            throttling,
        })
    }
}

impl Retry {
    /// Reads a retry policy.
    fn parse(policy: &Value) -> Option<Retry> {
        let names = policy["retryableStatusCodes"].as_array()?;
        Some(Retry {
            max_attempts: u32::try_from(policy["maxAttempts"].as_u64()?).ok()?,
            initial: duration(&policy["initialBackoff"])?,
            max: duration(&policy["maxBackoff"])?,
            multiplier: policy["backoffMultiplier"].as_f64()?,
            codes: names.iter().map(code).collect::<Option<_>>()?,
        })
    }
}

/// Reads a duration of the JSON form of protobuf, such as `"0.1s"`.
fn duration(value: &Value) -> Option<Duration> {
    let seconds = value.as_str()?.strip_suffix('s')?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

/// Reads the name of a status.
fn code(value: &Value) -> Option<Code> {
    let name = value.as_str()?;
    (0..=16)
        .map(Code::from_i32)
        .find(|&code| crate::status::name(code) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generated clients, with the path of each method and how it is called.
    const CLIENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/toolresult.v1.rs"));

    /// Every method of one message has a deadline, and streams have none: by that the connection
    /// tells one from the other, and repeats no stream.
    #[test]
    fn streams_have_no_deadline() {
        let (mut unary, mut streams) = (0, 0);
        for method in CLIENTS.split("PathAndQuery::from_static(").skip(1) {
            let path = method.split('"').nth(1).unwrap();
            let called = method.split("self.inner.").nth(1).unwrap();
            let policy = CONFIG.policy(path).expect(path);
            if called.starts_with("unary(") {
                assert!(policy.timeout.is_some(), "{path}");
                unary += 1;
            } else {
                assert!(policy.timeout.is_none(), "{path}");
                streams += 1;
            }
        }
        assert!(unary > 15 && streams > 4, "{unary} and {streams}");
    }

    #[test]
    fn methods_have_policies() {
        let project = CONFIG
            .policy("/toolresult.v1.ToolResultService/Project")
            .unwrap();
        assert_eq!(project.timeout, Some(Duration::from_secs(30)));
        let retry = project.retry.as_ref().unwrap();
        assert_eq!(
            (retry.max_attempts, retry.initial, retry.max),
            (5, Duration::from_millis(100), Duration::from_secs(1))
        );
        assert_eq!(
            retry.codes,
            [Code::Unavailable, Code::Aborted, Code::ResourceExhausted]
        );
        let stream = CONFIG
            .policy("/toolresult.v1.ToolResultService/ProjectStream")
            .unwrap();
        assert!(stream.timeout.is_none() && stream.retry.is_none());
        let health = CONFIG.policy("/grpc.health.v1.Health/Check").unwrap();
        assert!(health.timeout == Some(Duration::from_secs(5)) && health.retry.is_none());
        assert!(CONFIG.policy("/another.Service/Method").is_none());
        assert!(CONFIG.policy("nothing").is_none());
    }
}
