//! Reading what receipts do not show.

use std::borrow::Cow;
use std::time::Duration;

use crate::projection::with_timeout;
use crate::{BoxFuture, Client, Result, v1};
use v1::read_artifact_request::Selection as Part;

/// The part of an artifact that is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// All of it.
    #[default]
    All,
    /// Lines, from 1: the first and the last one. A last line of 0 is that of the artifact.
    Lines(u64, u64),
    /// Bytes, from 0: the first one, and the one behind the last. An end of 0 is that of the
    /// artifact.
    Bytes(u64, u64),
    /// The last lines, as many.
    Tail(u64),
    /// A line, from 1, and as many before and behind it.
    Around(u64, u32),
    /// Lines that match a pattern of RE2, and as many before and behind each.
    Match(String, u32),
    /// The value of a JSON text at a pointer (RFC 6901), such as `/items/3/name`.
    Pointer(String),
}

impl Selection {
    /// Selects lines that match a pattern of RE2, without others.
    pub fn matching(pattern: impl Into<String>) -> Self {
        Selection::Match(pattern.into(), 0)
    }

    /// Selects the value of a JSON text at a pointer.
    pub fn pointer(pointer: impl Into<String>) -> Self {
        Selection::Pointer(pointer.into())
    }

    /// Returns the selection of a request. `None`: all.
    fn part(self) -> Option<Part> {
        Some(match self {
            Selection::All => return None,
            Selection::Lines(first, last) => Part::Lines(v1::LineRange { first, last }),
            Selection::Bytes(start, end) => Part::Bytes(v1::ByteRange { start, end }),
            Selection::Tail(lines) => Part::Tail(v1::TailLines { lines }),
            Selection::Around(line, context) => Part::Around(v1::AroundLine {
                line,
                before: context,
                after: context,
            }),
            Selection::Match(pattern, context) => Part::Match(v1::MatchingLines {
                pattern,
                before: context,
                after: context,
            }),
            Selection::Pointer(pointer) => Part::JsonPointer(pointer),
        })
    }
}

/// A part of an artifact that is to be read, by [`Client::read`]. `await` reads it.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is awaited"]
pub struct Read<'a> {
    client: &'a Client,
    request: v1::ReadArtifactRequest,
    timeout: Option<Duration>,
}

impl<'a> Read<'a> {
    /// Returns what is to be read for the session of the client.
    pub(crate) fn new(client: &'a Client, path: String, selection: Selection) -> Self {
        let request = v1::ReadArtifactRequest {
            path,
            session_id: client.session().to_owned(),
            selection: selection.part(),
            ..Default::default()
        };
        Read {
            client,
            request,
            timeout: None,
        }
    }

    /// Reads for a session: what is of another is answered as if it did not exist; empty: any.
    /// Default: that of the client, or any.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.request.session_id = id.into();
        self
    }

    /// Bounds one answer, in bytes; 0: 32,768.
    pub fn max_bytes(mut self, bytes: u32) -> Self {
        self.request.budget.get_or_insert_default().max_bytes = bytes;
        self
    }

    /// Bounds one answer, in lines; 0: 2,000.
    pub fn max_lines(mut self, lines: u32) -> Self {
        self.request.budget.get_or_insert_default().max_lines = lines;
        self
    }

    /// Reads on behind an answer, by its [`next_page_token`](Page::next_page_token). All else has
    /// to be the same.
    pub fn page_token(mut self, token: impl Into<String>) -> Self {
        self.request.page_token = token.into();
        self
    }

    /// Sets how long a call may take, in all. Default: that of the client.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Reads one answer.
    async fn page(&self) -> Result<Page> {
        let request = with_timeout(self.request.clone(), self.timeout);
        let answer = self.client.artifacts().read_artifact(request).await?;
        Ok(Page {
            response: answer.into_inner(),
        })
    }
}

impl<'a> IntoFuture for Read<'a> {
    type Output = Result<Page>;
    type IntoFuture = BoxFuture<'a, Result<Page>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.page().await })
    }
}

/// A part of an artifact.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    response: v1::ReadArtifactResponse,
}

impl Page {
    /// Returns the bytes, exactly as the tool wrote them.
    pub fn data(&self) -> &[u8] {
        &self.response.data
    }

    /// Returns the bytes, exactly as the tool wrote them.
    pub fn into_data(self) -> Vec<u8> {
        self.response.data
    }

    /// Returns the bytes as text, with U+FFFD in place of what is no UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.response.data)
    }

    /// Reports whether this is all that was selected; of a log that is still written, all that is
    /// there now.
    pub fn is_complete(&self) -> bool {
        self.response.complete
    }

    /// Returns where to read on. `None`: there is no more.
    pub fn next_page_token(&self) -> Option<&str> {
        Some(self.response.next_page_token.as_str()).filter(|token| !token.is_empty())
    }

    /// Returns the whole answer.
    pub fn response(&self) -> &v1::ReadArtifactResponse {
        &self.response
    }
}

/// The answers that a part of an artifact takes, by [`Client::read_pages`].
#[derive(Clone, Debug)]
#[must_use = "it does nothing until its pages are awaited"]
pub struct Pages<'a> {
    read: Read<'a>,
    is_over: bool,
}

impl<'a> Pages<'a> {
    /// Returns the pages of a read.
    pub(crate) fn new(read: Read<'a>) -> Self {
        Pages {
            read,
            is_over: false,
        }
    }

    /// Reads for a session; see [`Read::session`].
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.read = self.read.session(id);
        self
    }

    /// Bounds each answer, in bytes; 0: 32,768.
    pub fn max_bytes(mut self, bytes: u32) -> Self {
        self.read = self.read.max_bytes(bytes);
        self
    }

    /// Bounds each answer, in lines; 0: 2,000.
    pub fn max_lines(mut self, lines: u32) -> Self {
        self.read = self.read.max_lines(lines);
        self
    }

    /// Sets how long each call may take, in all. Default: that of the client.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.read = self.read.timeout(timeout);
        self
    }

    /// Reads the next answer. `None`: that was all; of a log that is still written, all that is
    /// there now. An error does not end it: the same answer is asked for again.
    pub async fn next(&mut self) -> Result<Option<Page>> {
        if self.is_over {
            return Ok(None);
        }
        let page = self.read.page().await?;
        self.is_over = page.is_complete() || page.next_page_token().is_none();
        page.response
            .next_page_token
            .clone_into(&mut self.read.request.page_token);
        Ok(Some(page))
    }

    /// Reads all that is left, into memory.
    pub async fn all(mut self) -> Result<Vec<u8>> {
        let mut data = Vec::new();
        while let Some(page) = self.next().await? {
            data.extend_from_slice(page.data());
        }
        Ok(data)
    }
}
