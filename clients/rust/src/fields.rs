//! The fields in which artifacts and payloads are. Made by `make generate`.

/// A kind of message, by its place in [`FIELDS`].
pub(crate) type Kind = usize;

/// The kind of `ArtifactReference`.
pub(crate) const ARTIFACT_REFERENCE: Kind = 0;
/// The kind of `Payload`.
pub(crate) const PAYLOAD: Kind = 1;
/// The kind of `CanonicalToolResult`.
pub(crate) const CANONICAL_TOOL_RESULT: Kind = 2;
/// The kind of `CompleteToolOutput`.
pub(crate) const COMPLETE_TOOL_OUTPUT: Kind = 3;

/// The fields of each kind that lead to an artifact or a payload, in the order of the contract, and the
/// kind of their messages.
#[rustfmt::skip]
pub(crate) static FIELDS: &[&[(u32, Kind)]] = &[
    &[], // ArtifactReference
    &[], // Payload
    &[(4, 4), (5, 5), (10, 6), (11, 7), (30, 8), (31, 9), (32, 10), (80, 11), (81, 12), (90, 13), (91, 14), (100, 15), (101, 16), (20, 17), (22, 18), (43, 19), (44, 20), (45, 21), (52, 22), (53, 23), (63, 24), (70, 25), (71, 26), (77, 27)], // CanonicalToolResult
    &[(4, 28), (5, 29), (10, 30), (11, 31), (30, 32), (31, 33), (80, 34), (90, 35), (91, 36), (100, 37), (101, 38), (20, 39), (52, 40), (71, 41), (77, 42)], // CompleteToolOutput
    &[(6, 43), (14, 0)], // ToolError
    &[(8, 0)], // TextResult
    &[(13, 0)], // CommandResult
    &[(1, 44), (5, 45)], // CommandBatchResult
    &[(13, 0)], // FileReadResult
    &[(21, 0)], // FileMutationResult
    &[(13, 0)], // SearchResult
    &[(21, 0)], // WebFetchResult
    &[(14, 0)], // WebSearchResult
    &[(1, 46), (22, 0)], // ImageViewResult
    &[(1, 46), (11, 0)], // ImageGenerateResult
    &[(21, 47), (27, 0)], // ExternalMcpResult
    &[(21, 47), (27, 0)], // ExternalJsonResult
    &[(15, 0)], // TaskOutputResult
    &[(6, 0)], // TaskListResult
    &[(15, 0)], // WorkspaceStateResult
    &[(17, 0)], // WorktreeCreateResult
    &[(13, 0)], // WorktreeRemoveResult
    &[(28, 0)], // WorkItemGetResult
    &[(8, 0)], // WorkItemListResult
    &[(15, 0)], // WaitResult
    &[(7, 0)], // MemorySearchResult
    &[(7, 0)], // MemoryGetResult
    &[(19, 0)], // AgentReportResult
    &[(2, 1), (3, 1)], // CompleteToolError
    &[(1, 1)], // TextOutput
    &[(3, 1), (4, 1), (5, 1), (7, 1)], // CommandOutput
    &[(1, 48)], // CommandBatchOutput
    &[(2, 1)], // FileReadOutput
    &[(2, 1)], // FileMutationOutput
    &[(8, 1)], // WebFetchOutput
    &[(1, 49), (5, 1)], // ImageViewOutput
    &[(1, 49)], // ImageGenerateOutput
    &[(2, 1)], // ExternalMcpOutput
    &[(2, 1)], // ExternalJsonOutput
    &[(3, 1), (5, 1)], // TaskOutputOutput
    &[(6, 1), (7, 1)], // WorkItemGetOutput
    &[(2, 1)], // MemoryGetOutput
    &[(8, 1)], // AgentReportOutput
    &[(3, 0)], // DetailsOmitted
    &[(3, 6), (4, 4)], // CommandBatchItem
    &[(5, 0)], // CommandBatchOmitted
    &[(13, 0)], // ImageReference
    &[(11, 0)], // ExternalAttachment
    &[(3, 30), (4, 28)], // CommandBatchItemOutput
    &[(2, 1)], // ImageContent
];

/// The name of each family, by the field of `CompleteToolOutput` that its output is.
pub(crate) static FAMILIES: &[(u32, &str)] = &[
    (5, "text"),
    (10, "command"),
    (11, "command_batch"),
    (30, "file_read"),
    (31, "file_mutation"),
    (32, "search"),
    (80, "web_fetch"),
    (81, "web_search"),
    (90, "image_view"),
    (91, "image_generate"),
    (100, "external_mcp"),
    (101, "external_json"),
    (120, "custom"),
    (20, "task_output"),
    (21, "task_status"),
    (22, "task_list"),
    (23, "task_input"),
    (24, "task_stop"),
    (40, "workspace_attach"),
    (41, "workspace_detach"),
    (42, "workspace_switch"),
    (43, "workspace_state"),
    (44, "worktree_create"),
    (45, "worktree_remove"),
    (50, "work_item_change"),
    (51, "work_item_pick"),
    (52, "work_item_get"),
    (53, "work_item_list"),
    (60, "notify"),
    (61, "enqueue"),
    (62, "sleep"),
    (63, "wait"),
    (70, "memory_search"),
    (71, "memory_get"),
    (75, "agent_spawn"),
    (76, "agent_status"),
    (77, "agent_report"),
];
