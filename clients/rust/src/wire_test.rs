use super::*;

/// Returns a reference to an artifact.
fn artifact(path: &str) -> v1::ArtifactReference {
    v1::ArtifactReference { path: path.into() }
}

/// Returns a command's result with artifacts.
fn command(paths: &[&str]) -> v1::CommandResult {
    v1::CommandResult {
        artifacts: paths.iter().map(|path| artifact(path)).collect(),
        ..Default::default()
    }
}

/// Returns a result of a family.
fn canonical(result: v1::canonical_tool_result::Result) -> v1::CanonicalToolResult {
    v1::CanonicalToolResult {
        tool_name: "tool".into(),
        summary_text: "/not/a/path".into(),
        result: Some(result),
        ..Default::default()
    }
}

#[test]
fn paths_are_found_once_and_at_every_depth() {
    use v1::canonical_tool_result::Result;
    let plain = canonical(Result::Command(command(&["/a", "/b", "/a"])));
    assert_eq!(artifact_paths(&plain), ["/a", "/b"]);
    let item = |paths| v1::CommandBatchItem {
        result: Some(command(paths)),
        command_preview: "x".repeat(300),
        ..Default::default()
    };
    let batch = v1::CommandBatchResult {
        items: vec![item(&["/1"]), item(&[]), item(&["/2", "/1"])],
        items_omitted: Some(v1::CommandBatchOmitted {
            artifact: Some(artifact("/rest")),
            ..Default::default()
        }),
        ..Default::default()
    };
    let batch = canonical(Result::CommandBatch(batch));
    assert_eq!(artifact_paths(&batch), ["/1", "/2", "/rest"]);
    assert!(artifact_paths(&v1::CanonicalToolResult::default()).is_empty());
}

/// The error of a tool has artifacts, too.
#[test]
fn paths_of_errors_are_found() {
    let result = v1::CanonicalToolResult {
        error: Some(v1::ToolError {
            artifacts: vec![artifact("/log")],
            ..Default::default()
        }),
        ..Default::default()
    };
    assert_eq!(artifact_paths(&result), ["/log"]);
}

/// Returns a payload.
fn payload(data: &[u8]) -> v1::Payload {
    v1::Payload {
        source: Some(Source::Inline(data.to_vec())),
        ..Default::default()
    }
}

#[test]
fn payloads_are_taken_out_at_every_depth() {
    let command = |stdout: &[u8]| v1::CommandBatchItemOutput {
        command_line: "make".into(),
        result: Some(v1::CommandOutput {
            exit_status: Some(-1),
            stdout: Some(payload(stdout)),
            stderr: Some(v1::Payload {
                source_loss: Some(v1::SourceLoss {
                    lost_bytes: 7,
                    at_byte: 0,
                }),
                ..payload(b"")
            }),
            ..Default::default()
        }),
        ..Default::default()
    };
    let batch = v1::CommandBatchOutput {
        items: vec![command(b"one"), command(b"\xff\x00")],
        stop_on_error: true,
    };
    let output = v1::CompleteToolOutput {
        tool_name: "batch".into(),
        result: Some(v1::complete_tool_output::Result::CommandBatch(batch)),
        ..Default::default()
    };
    let detached = detach(output.clone());
    assert_eq!(detached.family, "command_batch");
    let data: Vec<_> = detached
        .payloads
        .iter()
        .map(|(_, data)| &data[..])
        .collect();
    assert_eq!(data, [&b"one"[..], b"", b"\xff\x00", b""]);
    let Some(v1::complete_tool_output::Result::CommandBatch(batch)) = detached.output.result else {
        panic!("it is no batch");
    };
    assert!(batch.stop_on_error);
    let second = batch.items[1].result.as_ref().unwrap();
    assert_eq!(second.exit_status, Some(-1));
    let stderr = second.stderr.as_ref().unwrap();
    assert_eq!(stderr.source, streamed("payload-3").source);
    assert_eq!(stderr.source_loss.unwrap().lost_bytes, 7);
}

#[test]
fn families_are_those_of_outputs() {
    let custom = v1::CompleteToolOutput {
        result: Some(v1::complete_tool_output::Result::Custom(v1::CustomOutput {
            r#type: "acme.v1.Result".into(),
            ..Default::default()
        })),
        ..Default::default()
    };
    assert_eq!(detach(custom).family, "acme.v1.Result");
    let error = v1::CompleteToolOutput {
        error: Some(v1::CompleteToolError {
            message: Some(payload(b"no")),
            ..Default::default()
        }),
        ..Default::default()
    };
    let detached = detach(error);
    assert_eq!(
        (detached.family.as_str(), detached.payloads.len()),
        ("text", 1)
    );
}
