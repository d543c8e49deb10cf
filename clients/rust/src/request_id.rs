//! Ids of requests, by which a call that is made again gets the same answer.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// A source of ids: each is another one, and those of two sources differ by 128 random bits.
#[derive(Debug)]
pub(crate) struct RequestIds {
    prefix: String,
    next: AtomicU64,
}

impl RequestIds {
    /// Returns a source.
    pub(crate) fn new() -> Self {
        let random = || RandomState::new().build_hasher().finish();
        RequestIds {
            prefix: format!("{:016x}{:016x}", random(), random()),
            next: AtomicU64::new(1),
        }
    }

    /// Returns an id, by the pattern of tool names.
    pub(crate) fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{}-{number}-{}", self.prefix, std::process::id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_differ() {
        let (one, two) = (RequestIds::new(), RequestIds::new());
        let ids: HashSet<_> = (0..1000).flat_map(|_| [one.next(), two.next()]).collect();
        assert_eq!(ids.len(), 2000);
        let id = one.next();
        assert!(id.len() <= 64, "{id}");
        assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
    }
}
