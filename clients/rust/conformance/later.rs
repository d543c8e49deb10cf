//! Calls that make something of results, and calls about the sidecar.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolresult::{CompactionLevel, Entry, Provider, Selection, v1};

use crate::arguments::With;
use crate::{Driver, Failed, Reply};

/// Returns the part of an artifact that arguments select.
fn selection(with: With<'_>) -> Selection {
    if let Some((first, last)) = with.pair("lines") {
        return Selection::Lines(first, last);
    }
    if let Some((start, end)) = with.pair("bytes") {
        return Selection::Bytes(start, end);
    }
    if let Some((line, context)) = with.pair("around") {
        return Selection::Around(line, context as u32);
    }
    if with.has("tail") {
        return Selection::Tail(with.number("tail"));
    }
    if with.has("match") {
        return Selection::Match(with.text("match").to_owned(), with.small("context"));
    }
    if with.has("pointer") {
        return Selection::pointer(with.text("pointer"));
    }
    Selection::All
}

/// Returns the level of a word.
fn level(word: &str) -> CompactionLevel {
    match word {
        "trimmed" => CompactionLevel::Trimmed,
        "handles" => CompactionLevel::Handles,
        "line" => CompactionLevel::Line,
        _ => CompactionLevel::Unspecified,
    }
}

/// Returns bytes as the list has them: as a text, or in base64 where they are none.
fn text_or_base64(data: Vec<u8>) -> Value {
    match String::from_utf8(data) {
        Ok(text) => text.into(),
        Err(error) => json!({ "base64": STANDARD.encode(error.as_bytes()) }),
    }
}

impl Driver {
    pub async fn render(&mut self, with: With<'_>) -> Reply {
        let client = self.client()?;
        let receipt = client
            .render(self.named(with, "result"))
            .max_tokens(with.small("max_tokens"))
            .await?;
        Ok(json!({ "receipt": receipt.text, "tokens": receipt.tokens }))
    }

    pub async fn compact(&mut self, with: With<'_>) -> Reply {
        let entries = with.objects("entries").map(|entry| {
            Entry::from(self.named(entry, "result"))
                .call_id(entry.text("call_id"))
                .turn(entry.small("turn"))
                .subject(entry.text("subject"))
        });
        let client = self.client()?;
        let mut compact = client
            .compact(entries)
            .total_tokens(with.small("total_tokens"))
            .level(level(with.text("level")))
            .preview_tokens(with.small("preview_tokens"))
            .protect_last_turns(with.small("protect_last_turns"))
            .session(with.text("session"));
        if with.flag("dry_run") {
            compact = compact.dry_run();
        }
        let compaction = compact.await?;
        let changed = compaction.changed().iter().map(|result| {
            let receipt = result.receipt.as_ref().map(|receipt| &receipt.text);
            json!({ "index": result.index, "receipt": receipt })
        });
        Ok(json!({
            "changed": changed.collect::<Vec<_>>(), "first_changed": compaction.first_changed(), "overview": compaction.overview(),
            "tokens_before": compaction.tokens_before(), "tokens_after": compaction.tokens_after(), "budget_met": compaction.budget_met(),
        }))
    }

    pub async fn read(&mut self, with: With<'_>) -> Reply {
        let client = self.client()?;
        let mut pages = client
            .read_pages(with.text("path"), selection(with))
            .max_bytes(with.small("max_bytes"))
            .max_lines(with.small("max_lines"));
        if with.has("session") {
            pages = pages.session(with.text("session"));
        }
        let (mut data, mut read, mut last) = (Vec::new(), 0, None);
        while let Some(page) = pages.next().await? {
            data.extend_from_slice(page.data());
            read += 1;
            last = Some(page);
            if !with.flag("all_pages") {
                break;
            }
        }
        let last = last.expect("a page");
        Ok(json!({
            "data": text_or_base64(data), "complete": last.is_complete(), "has_next": last.next_page_token().is_some(), "pages": read,
        }))
    }

    pub async fn encode_turn(&mut self, with: With<'_>) -> Reply {
        let client = self.client()?;
        let mut turn = client
            .encode_turn(with.text("provider").parse::<Provider>()?)
            .content(with.text("content"))
            .user_text(with.text("user_text"));
        if with.has("session") {
            turn = turn.session(with.text("session"));
        }
        for call in with.objects("calls") {
            let arguments = match &call.0["arguments"] {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            turn = turn.call_message(v1::ParsedToolCall {
                server: call.text("server").to_owned(),
                tool: call.text("tool").to_owned(),
                arguments,
                id: Some(call.text("id").to_owned()),
                ..Default::default()
            });
        }
        for result in with.objects("results") {
            let id = result.text("call_id");
            turn = match result.has("result") {
                true => turn.result(id, self.named(result, "result")),
                false if result.flag("error") => turn.error_text(id, result.text("text")),
                false => turn.text(id, result.text("text")),
            };
        }
        for notice in with.0["notices"].as_array().into_iter().flatten() {
            turn = turn.notice(notice.as_str().unwrap_or_default());
        }
        let turn = turn.await?;
        let changes = turn
            .changes()
            .iter()
            .map(|note| note.change().as_str_name());
        Ok(json!({
            "messages": turn.messages()?, "native": turn.is_native(), "changes": changes.collect::<Vec<_>>(),
        }))
    }

    pub async fn register_secrets(&mut self, with: With<'_>) -> Reply {
        let given = with.0["values"].as_object().into_iter().flatten();
        let values = given.map(|(name, _)| {
            let value = With(&with.0["values"]).bytes(name).unwrap_or_default();
            (name.clone(), value)
        });
        let client = self.client()?;
        let registering = client.register_secrets(values);
        let set_id = registering.session(with.text("session")).await?;
        Ok(json!({ "set_id": set_id }))
    }

    pub async fn tool_definitions(&mut self, with: With<'_>) -> Reply {
        let provider = with.text("provider").parse()?;
        let tools = self.client()?.tool_definitions(provider).await?;
        let names: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
        Ok(json!({ "names": names }))
    }

    pub async fn call_tool(&mut self, with: With<'_>) -> Reply {
        let client = self.client()?;
        let mut call = client.call_tool(with.text("name"), &with.0["arguments"]);
        if with.has("session") {
            call = call.session(with.text("session"));
        }
        if with.has("max_tokens") {
            call = call.max_tokens(with.small("max_tokens"));
        }
        let receipt = call.await?.receipt.unwrap_or_default();
        Ok(json!({ "receipt": receipt.text }))
    }

    pub async fn info(&mut self) -> Reply {
        let info = self.client()?.info().await?;
        Ok(json!({ "families": info.families, "durability": info.durability().as_str_name() }))
    }

    /// Calls the generated client.
    pub async fn raw_info(&mut self) -> Reply {
        let request = v1::GetServerInfoRequest {};
        let answer = self.client()?.results().get_server_info(request).await;
        let info = answer.map_err(|status| Failed::Call(status.into()))?;
        Ok(json!({ "version_is_set": !info.into_inner().version.is_empty() }))
    }
}
