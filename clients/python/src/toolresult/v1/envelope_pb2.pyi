from toolresult.v1 import command_pb2 as _command_pb2
from toolresult.v1 import custom_pb2 as _custom_pb2
from toolresult.v1 import error_pb2 as _error_pb2
from toolresult.v1 import external_pb2 as _external_pb2
from toolresult.v1 import file_mutation_pb2 as _file_mutation_pb2
from toolresult.v1 import file_read_pb2 as _file_read_pb2
from toolresult.v1 import image_pb2 as _image_pb2
from toolresult.v1 import runtime_agent_pb2 as _runtime_agent_pb2
from toolresult.v1 import runtime_memory_pb2 as _runtime_memory_pb2
from toolresult.v1 import runtime_notification_pb2 as _runtime_notification_pb2
from toolresult.v1 import runtime_work_item_pb2 as _runtime_work_item_pb2
from toolresult.v1 import runtime_workspace_pb2 as _runtime_workspace_pb2
from toolresult.v1 import search_pb2 as _search_pb2
from toolresult.v1 import task_pb2 as _task_pb2
from toolresult.v1 import text_pb2 as _text_pb2
from toolresult.v1 import web_pb2 as _web_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ToolStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_STATUS_UNSPECIFIED: _ClassVar[ToolStatus]
    TOOL_STATUS_SUCCESS: _ClassVar[ToolStatus]
    TOOL_STATUS_ERROR: _ClassVar[ToolStatus]
TOOL_STATUS_UNSPECIFIED: ToolStatus
TOOL_STATUS_SUCCESS: ToolStatus
TOOL_STATUS_ERROR: ToolStatus

class CompleteToolOutput(_message.Message):
    __slots__ = ("tool_name", "status", "summary_text", "error", "text", "command", "command_batch", "file_read", "file_mutation", "search", "web_fetch", "web_search", "image_view", "image_generate", "external_mcp", "external_json", "custom", "task_output", "task_status", "task_list", "task_input", "task_stop", "workspace_attach", "workspace_detach", "workspace_switch", "workspace_state", "worktree_create", "worktree_remove", "work_item_change", "work_item_pick", "work_item_get", "work_item_list", "notify", "enqueue", "sleep", "wait", "memory_search", "memory_get", "agent_spawn", "agent_status", "agent_report")
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_TEXT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    COMMAND_BATCH_FIELD_NUMBER: _ClassVar[int]
    FILE_READ_FIELD_NUMBER: _ClassVar[int]
    FILE_MUTATION_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    WEB_FETCH_FIELD_NUMBER: _ClassVar[int]
    WEB_SEARCH_FIELD_NUMBER: _ClassVar[int]
    IMAGE_VIEW_FIELD_NUMBER: _ClassVar[int]
    IMAGE_GENERATE_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_MCP_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_JSON_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    TASK_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_STATUS_FIELD_NUMBER: _ClassVar[int]
    TASK_LIST_FIELD_NUMBER: _ClassVar[int]
    TASK_INPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_STOP_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ATTACH_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_DETACH_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_SWITCH_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_STATE_FIELD_NUMBER: _ClassVar[int]
    WORKTREE_CREATE_FIELD_NUMBER: _ClassVar[int]
    WORKTREE_REMOVE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_CHANGE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_PICK_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_GET_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_LIST_FIELD_NUMBER: _ClassVar[int]
    NOTIFY_FIELD_NUMBER: _ClassVar[int]
    ENQUEUE_FIELD_NUMBER: _ClassVar[int]
    SLEEP_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_SEARCH_FIELD_NUMBER: _ClassVar[int]
    MEMORY_GET_FIELD_NUMBER: _ClassVar[int]
    AGENT_SPAWN_FIELD_NUMBER: _ClassVar[int]
    AGENT_STATUS_FIELD_NUMBER: _ClassVar[int]
    AGENT_REPORT_FIELD_NUMBER: _ClassVar[int]
    tool_name: str
    status: ToolStatus
    summary_text: str
    error: _error_pb2.CompleteToolError
    text: _text_pb2.TextOutput
    command: _command_pb2.CommandOutput
    command_batch: _command_pb2.CommandBatchOutput
    file_read: _file_read_pb2.FileReadOutput
    file_mutation: _file_mutation_pb2.FileMutationOutput
    search: _search_pb2.SearchOutput
    web_fetch: _web_pb2.WebFetchOutput
    web_search: _web_pb2.WebSearchOutput
    image_view: _image_pb2.ImageViewOutput
    image_generate: _image_pb2.ImageGenerateOutput
    external_mcp: _external_pb2.ExternalMcpOutput
    external_json: _external_pb2.ExternalJsonOutput
    custom: _custom_pb2.CustomOutput
    task_output: _task_pb2.TaskOutputOutput
    task_status: _task_pb2.TaskStatusOutput
    task_list: _task_pb2.TaskListOutput
    task_input: _task_pb2.TaskInputOutput
    task_stop: _task_pb2.TaskStopOutput
    workspace_attach: _runtime_workspace_pb2.WorkspaceAttachOutput
    workspace_detach: _runtime_workspace_pb2.WorkspaceDetachOutput
    workspace_switch: _runtime_workspace_pb2.WorkspaceSwitchOutput
    workspace_state: _runtime_workspace_pb2.WorkspaceStateOutput
    worktree_create: _runtime_workspace_pb2.WorktreeCreateOutput
    worktree_remove: _runtime_workspace_pb2.WorktreeRemoveOutput
    work_item_change: _runtime_work_item_pb2.WorkItemChangeOutput
    work_item_pick: _runtime_work_item_pb2.WorkItemPickOutput
    work_item_get: _runtime_work_item_pb2.WorkItemGetOutput
    work_item_list: _runtime_work_item_pb2.WorkItemListOutput
    notify: _runtime_notification_pb2.NotifyOutput
    enqueue: _runtime_notification_pb2.EnqueueOutput
    sleep: _runtime_notification_pb2.SleepOutput
    wait: _runtime_notification_pb2.WaitOutput
    memory_search: _runtime_memory_pb2.MemorySearchOutput
    memory_get: _runtime_memory_pb2.MemoryGetOutput
    agent_spawn: _runtime_agent_pb2.AgentSpawnOutput
    agent_status: _runtime_agent_pb2.AgentStatusOutput
    agent_report: _runtime_agent_pb2.AgentReportOutput
    def __init__(self, tool_name: _Optional[str] = ..., status: _Optional[_Union[ToolStatus, str]] = ..., summary_text: _Optional[str] = ..., error: _Optional[_Union[_error_pb2.CompleteToolError, _Mapping]] = ..., text: _Optional[_Union[_text_pb2.TextOutput, _Mapping]] = ..., command: _Optional[_Union[_command_pb2.CommandOutput, _Mapping]] = ..., command_batch: _Optional[_Union[_command_pb2.CommandBatchOutput, _Mapping]] = ..., file_read: _Optional[_Union[_file_read_pb2.FileReadOutput, _Mapping]] = ..., file_mutation: _Optional[_Union[_file_mutation_pb2.FileMutationOutput, _Mapping]] = ..., search: _Optional[_Union[_search_pb2.SearchOutput, _Mapping]] = ..., web_fetch: _Optional[_Union[_web_pb2.WebFetchOutput, _Mapping]] = ..., web_search: _Optional[_Union[_web_pb2.WebSearchOutput, _Mapping]] = ..., image_view: _Optional[_Union[_image_pb2.ImageViewOutput, _Mapping]] = ..., image_generate: _Optional[_Union[_image_pb2.ImageGenerateOutput, _Mapping]] = ..., external_mcp: _Optional[_Union[_external_pb2.ExternalMcpOutput, _Mapping]] = ..., external_json: _Optional[_Union[_external_pb2.ExternalJsonOutput, _Mapping]] = ..., custom: _Optional[_Union[_custom_pb2.CustomOutput, _Mapping]] = ..., task_output: _Optional[_Union[_task_pb2.TaskOutputOutput, _Mapping]] = ..., task_status: _Optional[_Union[_task_pb2.TaskStatusOutput, _Mapping]] = ..., task_list: _Optional[_Union[_task_pb2.TaskListOutput, _Mapping]] = ..., task_input: _Optional[_Union[_task_pb2.TaskInputOutput, _Mapping]] = ..., task_stop: _Optional[_Union[_task_pb2.TaskStopOutput, _Mapping]] = ..., workspace_attach: _Optional[_Union[_runtime_workspace_pb2.WorkspaceAttachOutput, _Mapping]] = ..., workspace_detach: _Optional[_Union[_runtime_workspace_pb2.WorkspaceDetachOutput, _Mapping]] = ..., workspace_switch: _Optional[_Union[_runtime_workspace_pb2.WorkspaceSwitchOutput, _Mapping]] = ..., workspace_state: _Optional[_Union[_runtime_workspace_pb2.WorkspaceStateOutput, _Mapping]] = ..., worktree_create: _Optional[_Union[_runtime_workspace_pb2.WorktreeCreateOutput, _Mapping]] = ..., worktree_remove: _Optional[_Union[_runtime_workspace_pb2.WorktreeRemoveOutput, _Mapping]] = ..., work_item_change: _Optional[_Union[_runtime_work_item_pb2.WorkItemChangeOutput, _Mapping]] = ..., work_item_pick: _Optional[_Union[_runtime_work_item_pb2.WorkItemPickOutput, _Mapping]] = ..., work_item_get: _Optional[_Union[_runtime_work_item_pb2.WorkItemGetOutput, _Mapping]] = ..., work_item_list: _Optional[_Union[_runtime_work_item_pb2.WorkItemListOutput, _Mapping]] = ..., notify: _Optional[_Union[_runtime_notification_pb2.NotifyOutput, _Mapping]] = ..., enqueue: _Optional[_Union[_runtime_notification_pb2.EnqueueOutput, _Mapping]] = ..., sleep: _Optional[_Union[_runtime_notification_pb2.SleepOutput, _Mapping]] = ..., wait: _Optional[_Union[_runtime_notification_pb2.WaitOutput, _Mapping]] = ..., memory_search: _Optional[_Union[_runtime_memory_pb2.MemorySearchOutput, _Mapping]] = ..., memory_get: _Optional[_Union[_runtime_memory_pb2.MemoryGetOutput, _Mapping]] = ..., agent_spawn: _Optional[_Union[_runtime_agent_pb2.AgentSpawnOutput, _Mapping]] = ..., agent_status: _Optional[_Union[_runtime_agent_pb2.AgentStatusOutput, _Mapping]] = ..., agent_report: _Optional[_Union[_runtime_agent_pb2.AgentReportOutput, _Mapping]] = ...) -> None: ...

class CanonicalToolResult(_message.Message):
    __slots__ = ("tool_name", "status", "summary_text", "error", "text", "command", "command_batch", "file_read", "file_mutation", "search", "web_fetch", "web_search", "image_view", "image_generate", "external_mcp", "external_json", "custom", "task_output", "task_status", "task_list", "task_input", "task_stop", "workspace_attach", "workspace_detach", "workspace_switch", "workspace_state", "worktree_create", "worktree_remove", "work_item_change", "work_item_pick", "work_item_get", "work_item_list", "notify", "enqueue", "sleep", "wait", "memory_search", "memory_get", "agent_spawn", "agent_status", "agent_report")
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_TEXT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    COMMAND_BATCH_FIELD_NUMBER: _ClassVar[int]
    FILE_READ_FIELD_NUMBER: _ClassVar[int]
    FILE_MUTATION_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    WEB_FETCH_FIELD_NUMBER: _ClassVar[int]
    WEB_SEARCH_FIELD_NUMBER: _ClassVar[int]
    IMAGE_VIEW_FIELD_NUMBER: _ClassVar[int]
    IMAGE_GENERATE_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_MCP_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_JSON_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    TASK_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_STATUS_FIELD_NUMBER: _ClassVar[int]
    TASK_LIST_FIELD_NUMBER: _ClassVar[int]
    TASK_INPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_STOP_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ATTACH_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_DETACH_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_SWITCH_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_STATE_FIELD_NUMBER: _ClassVar[int]
    WORKTREE_CREATE_FIELD_NUMBER: _ClassVar[int]
    WORKTREE_REMOVE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_CHANGE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_PICK_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_GET_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_LIST_FIELD_NUMBER: _ClassVar[int]
    NOTIFY_FIELD_NUMBER: _ClassVar[int]
    ENQUEUE_FIELD_NUMBER: _ClassVar[int]
    SLEEP_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_SEARCH_FIELD_NUMBER: _ClassVar[int]
    MEMORY_GET_FIELD_NUMBER: _ClassVar[int]
    AGENT_SPAWN_FIELD_NUMBER: _ClassVar[int]
    AGENT_STATUS_FIELD_NUMBER: _ClassVar[int]
    AGENT_REPORT_FIELD_NUMBER: _ClassVar[int]
    tool_name: str
    status: ToolStatus
    summary_text: str
    error: _error_pb2.ToolError
    text: _text_pb2.TextResult
    command: _command_pb2.CommandResult
    command_batch: _command_pb2.CommandBatchResult
    file_read: _file_read_pb2.FileReadResult
    file_mutation: _file_mutation_pb2.FileMutationResult
    search: _search_pb2.SearchResult
    web_fetch: _web_pb2.WebFetchResult
    web_search: _web_pb2.WebSearchResult
    image_view: _image_pb2.ImageViewResult
    image_generate: _image_pb2.ImageGenerateResult
    external_mcp: _external_pb2.ExternalMcpResult
    external_json: _external_pb2.ExternalJsonResult
    custom: _custom_pb2.CustomResult
    task_output: _task_pb2.TaskOutputResult
    task_status: _task_pb2.TaskStatusResult
    task_list: _task_pb2.TaskListResult
    task_input: _task_pb2.TaskInputResult
    task_stop: _task_pb2.TaskStopResult
    workspace_attach: _runtime_workspace_pb2.WorkspaceAttachResult
    workspace_detach: _runtime_workspace_pb2.WorkspaceDetachResult
    workspace_switch: _runtime_workspace_pb2.WorkspaceSwitchResult
    workspace_state: _runtime_workspace_pb2.WorkspaceStateResult
    worktree_create: _runtime_workspace_pb2.WorktreeCreateResult
    worktree_remove: _runtime_workspace_pb2.WorktreeRemoveResult
    work_item_change: _runtime_work_item_pb2.WorkItemChangeResult
    work_item_pick: _runtime_work_item_pb2.WorkItemPickResult
    work_item_get: _runtime_work_item_pb2.WorkItemGetResult
    work_item_list: _runtime_work_item_pb2.WorkItemListResult
    notify: _runtime_notification_pb2.NotifyResult
    enqueue: _runtime_notification_pb2.EnqueueResult
    sleep: _runtime_notification_pb2.SleepResult
    wait: _runtime_notification_pb2.WaitResult
    memory_search: _runtime_memory_pb2.MemorySearchResult
    memory_get: _runtime_memory_pb2.MemoryGetResult
    agent_spawn: _runtime_agent_pb2.AgentSpawnResult
    agent_status: _runtime_agent_pb2.AgentStatusResult
    agent_report: _runtime_agent_pb2.AgentReportResult
    def __init__(self, tool_name: _Optional[str] = ..., status: _Optional[_Union[ToolStatus, str]] = ..., summary_text: _Optional[str] = ..., error: _Optional[_Union[_error_pb2.ToolError, _Mapping]] = ..., text: _Optional[_Union[_text_pb2.TextResult, _Mapping]] = ..., command: _Optional[_Union[_command_pb2.CommandResult, _Mapping]] = ..., command_batch: _Optional[_Union[_command_pb2.CommandBatchResult, _Mapping]] = ..., file_read: _Optional[_Union[_file_read_pb2.FileReadResult, _Mapping]] = ..., file_mutation: _Optional[_Union[_file_mutation_pb2.FileMutationResult, _Mapping]] = ..., search: _Optional[_Union[_search_pb2.SearchResult, _Mapping]] = ..., web_fetch: _Optional[_Union[_web_pb2.WebFetchResult, _Mapping]] = ..., web_search: _Optional[_Union[_web_pb2.WebSearchResult, _Mapping]] = ..., image_view: _Optional[_Union[_image_pb2.ImageViewResult, _Mapping]] = ..., image_generate: _Optional[_Union[_image_pb2.ImageGenerateResult, _Mapping]] = ..., external_mcp: _Optional[_Union[_external_pb2.ExternalMcpResult, _Mapping]] = ..., external_json: _Optional[_Union[_external_pb2.ExternalJsonResult, _Mapping]] = ..., custom: _Optional[_Union[_custom_pb2.CustomResult, _Mapping]] = ..., task_output: _Optional[_Union[_task_pb2.TaskOutputResult, _Mapping]] = ..., task_status: _Optional[_Union[_task_pb2.TaskStatusResult, _Mapping]] = ..., task_list: _Optional[_Union[_task_pb2.TaskListResult, _Mapping]] = ..., task_input: _Optional[_Union[_task_pb2.TaskInputResult, _Mapping]] = ..., task_stop: _Optional[_Union[_task_pb2.TaskStopResult, _Mapping]] = ..., workspace_attach: _Optional[_Union[_runtime_workspace_pb2.WorkspaceAttachResult, _Mapping]] = ..., workspace_detach: _Optional[_Union[_runtime_workspace_pb2.WorkspaceDetachResult, _Mapping]] = ..., workspace_switch: _Optional[_Union[_runtime_workspace_pb2.WorkspaceSwitchResult, _Mapping]] = ..., workspace_state: _Optional[_Union[_runtime_workspace_pb2.WorkspaceStateResult, _Mapping]] = ..., worktree_create: _Optional[_Union[_runtime_workspace_pb2.WorktreeCreateResult, _Mapping]] = ..., worktree_remove: _Optional[_Union[_runtime_workspace_pb2.WorktreeRemoveResult, _Mapping]] = ..., work_item_change: _Optional[_Union[_runtime_work_item_pb2.WorkItemChangeResult, _Mapping]] = ..., work_item_pick: _Optional[_Union[_runtime_work_item_pb2.WorkItemPickResult, _Mapping]] = ..., work_item_get: _Optional[_Union[_runtime_work_item_pb2.WorkItemGetResult, _Mapping]] = ..., work_item_list: _Optional[_Union[_runtime_work_item_pb2.WorkItemListResult, _Mapping]] = ..., notify: _Optional[_Union[_runtime_notification_pb2.NotifyResult, _Mapping]] = ..., enqueue: _Optional[_Union[_runtime_notification_pb2.EnqueueResult, _Mapping]] = ..., sleep: _Optional[_Union[_runtime_notification_pb2.SleepResult, _Mapping]] = ..., wait: _Optional[_Union[_runtime_notification_pb2.WaitResult, _Mapping]] = ..., memory_search: _Optional[_Union[_runtime_memory_pb2.MemorySearchResult, _Mapping]] = ..., memory_get: _Optional[_Union[_runtime_memory_pb2.MemoryGetResult, _Mapping]] = ..., agent_spawn: _Optional[_Union[_runtime_agent_pb2.AgentSpawnResult, _Mapping]] = ..., agent_status: _Optional[_Union[_runtime_agent_pb2.AgentStatusResult, _Mapping]] = ..., agent_report: _Optional[_Union[_runtime_agent_pb2.AgentReportResult, _Mapping]] = ...) -> None: ...
