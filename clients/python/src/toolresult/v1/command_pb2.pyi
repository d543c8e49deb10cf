from toolresult.v1 import error_pb2 as _error_pb2
from toolresult.v1 import ledger_pb2 as _ledger_pb2
from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from toolresult.v1 import task_handle_pb2 as _task_handle_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CommandDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMAND_DISPOSITION_UNSPECIFIED: _ClassVar[CommandDisposition]
    COMMAND_DISPOSITION_COMPLETED: _ClassVar[CommandDisposition]
    COMMAND_DISPOSITION_PROMOTED_TO_TASK: _ClassVar[CommandDisposition]
    COMMAND_DISPOSITION_ALREADY_RUNNING: _ClassVar[CommandDisposition]
    COMMAND_DISPOSITION_TIMED_OUT: _ClassVar[CommandDisposition]
    COMMAND_DISPOSITION_CANCELLED: _ClassVar[CommandDisposition]
    COMMAND_DISPOSITION_KILLED_BY_SIGNAL: _ClassVar[CommandDisposition]

class ExitClass(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXIT_CLASS_UNSPECIFIED: _ClassVar[ExitClass]
    EXIT_CLASS_ANSWER: _ClassVar[ExitClass]
    EXIT_CLASS_FAILURE: _ClassVar[ExitClass]

class CommandBatchItemStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMAND_BATCH_ITEM_STATUS_UNSPECIFIED: _ClassVar[CommandBatchItemStatus]
    COMMAND_BATCH_ITEM_STATUS_RAN: _ClassVar[CommandBatchItemStatus]
    COMMAND_BATCH_ITEM_STATUS_REJECTED: _ClassVar[CommandBatchItemStatus]
    COMMAND_BATCH_ITEM_STATUS_SKIPPED: _ClassVar[CommandBatchItemStatus]
COMMAND_DISPOSITION_UNSPECIFIED: CommandDisposition
COMMAND_DISPOSITION_COMPLETED: CommandDisposition
COMMAND_DISPOSITION_PROMOTED_TO_TASK: CommandDisposition
COMMAND_DISPOSITION_ALREADY_RUNNING: CommandDisposition
COMMAND_DISPOSITION_TIMED_OUT: CommandDisposition
COMMAND_DISPOSITION_CANCELLED: CommandDisposition
COMMAND_DISPOSITION_KILLED_BY_SIGNAL: CommandDisposition
EXIT_CLASS_UNSPECIFIED: ExitClass
EXIT_CLASS_ANSWER: ExitClass
EXIT_CLASS_FAILURE: ExitClass
COMMAND_BATCH_ITEM_STATUS_UNSPECIFIED: CommandBatchItemStatus
COMMAND_BATCH_ITEM_STATUS_RAN: CommandBatchItemStatus
COMMAND_BATCH_ITEM_STATUS_REJECTED: CommandBatchItemStatus
COMMAND_BATCH_ITEM_STATUS_SKIPPED: CommandBatchItemStatus

class CommandOutput(_message.Message):
    __slots__ = ("disposition", "exit_status", "stdout", "stderr", "combined_output", "task_handle", "initial_output", "command_line", "signal", "timeout_ms", "instructions")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    EXIT_STATUS_FIELD_NUMBER: _ClassVar[int]
    STDOUT_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    COMBINED_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_HANDLE_FIELD_NUMBER: _ClassVar[int]
    INITIAL_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_LINE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    disposition: CommandDisposition
    exit_status: int
    stdout: _payload_pb2.Payload
    stderr: _payload_pb2.Payload
    combined_output: _payload_pb2.Payload
    task_handle: _task_handle_pb2.TaskHandle
    initial_output: _payload_pb2.Payload
    command_line: str
    signal: int
    timeout_ms: int
    instructions: str
    def __init__(self, disposition: _Optional[_Union[CommandDisposition, str]] = ..., exit_status: _Optional[int] = ..., stdout: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., stderr: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., combined_output: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., task_handle: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ..., initial_output: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., command_line: _Optional[str] = ..., signal: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., instructions: _Optional[str] = ...) -> None: ...

class ExitMeaning(_message.Message):
    __slots__ = ("program", "text")
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    CLASS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    program: str
    text: str
    def __init__(self, program: _Optional[str] = ..., text: _Optional[str] = ..., **kwargs) -> None: ...

class OutputUnchanged(_message.Message):
    __slots__ = ("call_id", "calls_ago", "was_cut")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CALLS_AGO_FIELD_NUMBER: _ClassVar[int]
    WAS_CUT_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    calls_ago: int
    was_cut: bool
    def __init__(self, call_id: _Optional[str] = ..., calls_ago: _Optional[int] = ..., was_cut: bool = ...) -> None: ...

class CommandResult(_message.Message):
    __slots__ = ("disposition", "exit_status", "stdout_preview", "stderr_preview", "truncated", "task_handle", "initial_output_preview", "initial_output_truncated", "combined_output_preview", "stdout_truncated", "stderr_truncated", "combined_output_truncated", "artifacts", "stdout_artifact", "stderr_artifact", "combined_output_artifact", "initial_output_artifact", "stdout_cuts", "stderr_cuts", "combined_output_cuts", "initial_output_cuts", "stdout_source", "stderr_source", "combined_output_source", "initial_output_source", "exit_meaning", "signal", "timeout_ms", "command_preview", "instructions", "compaction_level", "in_order_artifact", "unchanged", "command_digest", "superseded", "status_uncertain")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    EXIT_STATUS_FIELD_NUMBER: _ClassVar[int]
    STDOUT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    STDERR_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TASK_HANDLE_FIELD_NUMBER: _ClassVar[int]
    INITIAL_OUTPUT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    INITIAL_OUTPUT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    COMBINED_OUTPUT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    STDOUT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    STDERR_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    COMBINED_OUTPUT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    STDOUT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    STDERR_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    COMBINED_OUTPUT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    INITIAL_OUTPUT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    STDOUT_CUTS_FIELD_NUMBER: _ClassVar[int]
    STDERR_CUTS_FIELD_NUMBER: _ClassVar[int]
    COMBINED_OUTPUT_CUTS_FIELD_NUMBER: _ClassVar[int]
    INITIAL_OUTPUT_CUTS_FIELD_NUMBER: _ClassVar[int]
    STDOUT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    STDERR_SOURCE_FIELD_NUMBER: _ClassVar[int]
    COMBINED_OUTPUT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    INITIAL_OUTPUT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    EXIT_MEANING_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    IN_ORDER_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    COMMAND_DIGEST_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    STATUS_UNCERTAIN_FIELD_NUMBER: _ClassVar[int]
    disposition: CommandDisposition
    exit_status: int
    stdout_preview: str
    stderr_preview: str
    truncated: bool
    task_handle: _task_handle_pb2.TaskHandle
    initial_output_preview: str
    initial_output_truncated: bool
    combined_output_preview: str
    stdout_truncated: bool
    stderr_truncated: bool
    combined_output_truncated: bool
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    stdout_artifact: int
    stderr_artifact: int
    combined_output_artifact: int
    initial_output_artifact: int
    stdout_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    stderr_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    combined_output_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    initial_output_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    stdout_source: _ledger_pb2.SourceFacts
    stderr_source: _ledger_pb2.SourceFacts
    combined_output_source: _ledger_pb2.SourceFacts
    initial_output_source: _ledger_pb2.SourceFacts
    exit_meaning: ExitMeaning
    signal: int
    timeout_ms: int
    command_preview: str
    instructions: str
    compaction_level: _policy_pb2.CompactionLevel
    in_order_artifact: int
    unchanged: OutputUnchanged
    command_digest: str
    superseded: _policy_pb2.Superseded
    status_uncertain: bool
    def __init__(self, disposition: _Optional[_Union[CommandDisposition, str]] = ..., exit_status: _Optional[int] = ..., stdout_preview: _Optional[str] = ..., stderr_preview: _Optional[str] = ..., truncated: bool = ..., task_handle: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ..., initial_output_preview: _Optional[str] = ..., initial_output_truncated: bool = ..., combined_output_preview: _Optional[str] = ..., stdout_truncated: bool = ..., stderr_truncated: bool = ..., combined_output_truncated: bool = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., stdout_artifact: _Optional[int] = ..., stderr_artifact: _Optional[int] = ..., combined_output_artifact: _Optional[int] = ..., initial_output_artifact: _Optional[int] = ..., stdout_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., stderr_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., combined_output_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., initial_output_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., stdout_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., stderr_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., combined_output_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., initial_output_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., exit_meaning: _Optional[_Union[ExitMeaning, _Mapping]] = ..., signal: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., command_preview: _Optional[str] = ..., instructions: _Optional[str] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., in_order_artifact: _Optional[int] = ..., unchanged: _Optional[_Union[OutputUnchanged, _Mapping]] = ..., command_digest: _Optional[str] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., status_uncertain: bool = ...) -> None: ...

class CommandBatchItemOutput(_message.Message):
    __slots__ = ("status", "command_line", "result", "error")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_LINE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    status: CommandBatchItemStatus
    command_line: str
    result: CommandOutput
    error: _error_pb2.CompleteToolError
    def __init__(self, status: _Optional[_Union[CommandBatchItemStatus, str]] = ..., command_line: _Optional[str] = ..., result: _Optional[_Union[CommandOutput, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.CompleteToolError, _Mapping]] = ...) -> None: ...

class CommandBatchOutput(_message.Message):
    __slots__ = ("items", "stop_on_error")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    STOP_ON_ERROR_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[CommandBatchItemOutput]
    stop_on_error: bool
    def __init__(self, items: _Optional[_Iterable[_Union[CommandBatchItemOutput, _Mapping]]] = ..., stop_on_error: bool = ...) -> None: ...

class CommandBatchItem(_message.Message):
    __slots__ = ("status", "command_preview", "result", "error")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    status: CommandBatchItemStatus
    command_preview: str
    result: CommandResult
    error: _error_pb2.ToolError
    def __init__(self, status: _Optional[_Union[CommandBatchItemStatus, str]] = ..., command_preview: _Optional[str] = ..., result: _Optional[_Union[CommandResult, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.ToolError, _Mapping]] = ...) -> None: ...

class CommandBatchOmitted(_message.Message):
    __slots__ = ("succeeded", "otherwise", "rejected", "skipped", "artifact", "digest")
    SUCCEEDED_FIELD_NUMBER: _ClassVar[int]
    OTHERWISE_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    succeeded: int
    otherwise: int
    rejected: int
    skipped: int
    artifact: _payload_pb2.ArtifactReference
    digest: str
    def __init__(self, succeeded: _Optional[int] = ..., otherwise: _Optional[int] = ..., rejected: _Optional[int] = ..., skipped: _Optional[int] = ..., artifact: _Optional[_Union[_payload_pb2.ArtifactReference, _Mapping]] = ..., digest: _Optional[str] = ...) -> None: ...

class CommandBatchResult(_message.Message):
    __slots__ = ("items", "stop_on_error", "compaction_level", "superseded", "items_omitted")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    STOP_ON_ERROR_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    ITEMS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[CommandBatchItem]
    stop_on_error: bool
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    items_omitted: CommandBatchOmitted
    def __init__(self, items: _Optional[_Iterable[_Union[CommandBatchItem, _Mapping]]] = ..., stop_on_error: bool = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., items_omitted: _Optional[_Union[CommandBatchOmitted, _Mapping]] = ...) -> None: ...
