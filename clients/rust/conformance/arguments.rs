//! The arguments of a call.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The arguments of a call, by their names.
#[derive(Clone, Copy)]
pub struct With<'a>(pub &'a Value);

impl<'a> With<'a> {
    /// Reports whether an argument is there.
    pub fn has(self, name: &str) -> bool {
        !self.0[name].is_null()
    }

    /// Returns a text; empty: it is absent.
    pub fn text(self, name: &str) -> &'a str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// Returns a number; 0: it is absent.
    pub fn number(self, name: &str) -> u64 {
        self.0[name].as_f64().unwrap_or_default() as u64
    }

    /// Returns a number of 32 bits; 0: it is absent.
    pub fn small(self, name: &str) -> u32 {
        u32::try_from(self.number(name)).expect("a number of the list")
    }

    /// Returns whether an argument is true.
    pub fn flag(self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or_default()
    }

    /// Returns a text or `{"base64": ...}`. `None`: it is absent.
    pub fn bytes(self, name: &str) -> Option<Vec<u8>> {
        match &self.0[name] {
            Value::String(text) => Some(text.clone().into_bytes()),
            Value::Object(object) => {
                let text = object["base64"].as_str().expect("base64 of the list");
                Some(STANDARD.decode(text).expect("base64 of the list"))
            }
            _ => None,
        }
    }

    /// Returns two numbers. `None`: they are absent.
    pub fn pair(self, name: &str) -> Option<(u64, u64)> {
        let list = self.0[name].as_array()?;
        Some((list[0].as_u64()?, list[1].as_u64()?))
    }

    /// Returns a list of objects; empty: it is absent.
    pub fn objects(self, name: &str) -> impl Iterator<Item = With<'a>> {
        let list = self.0[name].as_array().map_or(&[][..], Vec::as_slice);
        list.iter().map(With)
    }

    /// Returns the time that a call may take. `None`: that of the client.
    pub fn timeout(self) -> Option<Duration> {
        let milliseconds = self.0["timeout_ms"].as_f64()?;
        Some(Duration::from_secs_f64(milliseconds / 1000.0))
    }
}
