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

class TaskStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_STATUS_UNSPECIFIED: _ClassVar[TaskStatus]
    TASK_STATUS_QUEUED: _ClassVar[TaskStatus]
    TASK_STATUS_RUNNING: _ClassVar[TaskStatus]
    TASK_STATUS_CANCELLING: _ClassVar[TaskStatus]
    TASK_STATUS_COMPLETED: _ClassVar[TaskStatus]
    TASK_STATUS_FAILED: _ClassVar[TaskStatus]
    TASK_STATUS_CANCELLED: _ClassVar[TaskStatus]
    TASK_STATUS_INTERRUPTED: _ClassVar[TaskStatus]

class TaskRetrieval(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_RETRIEVAL_UNSPECIFIED: _ClassVar[TaskRetrieval]
    TASK_RETRIEVAL_SUCCESS: _ClassVar[TaskRetrieval]
    TASK_RETRIEVAL_TIMEOUT: _ClassVar[TaskRetrieval]
    TASK_RETRIEVAL_NOT_READY: _ClassVar[TaskRetrieval]

class TaskInputDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_INPUT_DISPOSITION_UNSPECIFIED: _ClassVar[TaskInputDisposition]
    TASK_INPUT_DISPOSITION_ACCEPTED: _ClassVar[TaskInputDisposition]
    TASK_INPUT_DISPOSITION_NOT_ACCEPTED: _ClassVar[TaskInputDisposition]
TASK_STATUS_UNSPECIFIED: TaskStatus
TASK_STATUS_QUEUED: TaskStatus
TASK_STATUS_RUNNING: TaskStatus
TASK_STATUS_CANCELLING: TaskStatus
TASK_STATUS_COMPLETED: TaskStatus
TASK_STATUS_FAILED: TaskStatus
TASK_STATUS_CANCELLED: TaskStatus
TASK_STATUS_INTERRUPTED: TaskStatus
TASK_RETRIEVAL_UNSPECIFIED: TaskRetrieval
TASK_RETRIEVAL_SUCCESS: TaskRetrieval
TASK_RETRIEVAL_TIMEOUT: TaskRetrieval
TASK_RETRIEVAL_NOT_READY: TaskRetrieval
TASK_INPUT_DISPOSITION_UNSPECIFIED: TaskInputDisposition
TASK_INPUT_DISPOSITION_ACCEPTED: TaskInputDisposition
TASK_INPUT_DISPOSITION_NOT_ACCEPTED: TaskInputDisposition

class TaskSnapshot(_message.Message):
    __slots__ = ("task_id", "status", "kind", "exit_status", "summary", "command", "workdir", "accepts_input", "wait_policy", "child_agent_id", "created_at", "updated_at", "tokens_used")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    EXIT_STATUS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    WORKDIR_FIELD_NUMBER: _ClassVar[int]
    ACCEPTS_INPUT_FIELD_NUMBER: _ClassVar[int]
    WAIT_POLICY_FIELD_NUMBER: _ClassVar[int]
    CHILD_AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_USED_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    status: TaskStatus
    kind: str
    exit_status: int
    summary: str
    command: str
    workdir: str
    accepts_input: bool
    wait_policy: str
    child_agent_id: str
    created_at: str
    updated_at: str
    tokens_used: int
    def __init__(self, task_id: _Optional[str] = ..., status: _Optional[_Union[TaskStatus, str]] = ..., kind: _Optional[str] = ..., exit_status: _Optional[int] = ..., summary: _Optional[str] = ..., command: _Optional[str] = ..., workdir: _Optional[str] = ..., accepts_input: bool = ..., wait_policy: _Optional[str] = ..., child_agent_id: _Optional[str] = ..., created_at: _Optional[str] = ..., updated_at: _Optional[str] = ..., tokens_used: _Optional[int] = ...) -> None: ...

class TaskFailure(_message.Message):
    __slots__ = ("kind", "message", "recovery_hint", "retryable", "source_chain")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RECOVERY_HINT_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_CHAIN_FIELD_NUMBER: _ClassVar[int]
    kind: str
    message: str
    recovery_hint: str
    retryable: bool
    source_chain: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, kind: _Optional[str] = ..., message: _Optional[str] = ..., recovery_hint: _Optional[str] = ..., retryable: bool = ..., source_chain: _Optional[_Iterable[str]] = ...) -> None: ...

class TaskOutputOutput(_message.Message):
    __slots__ = ("retrieval_status", "task", "output", "failure", "task_result", "waited_ms")
    RETRIEVAL_STATUS_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    TASK_RESULT_FIELD_NUMBER: _ClassVar[int]
    WAITED_MS_FIELD_NUMBER: _ClassVar[int]
    retrieval_status: TaskRetrieval
    task: TaskSnapshot
    output: _payload_pb2.Payload
    failure: TaskFailure
    task_result: _payload_pb2.Payload
    waited_ms: int
    def __init__(self, retrieval_status: _Optional[_Union[TaskRetrieval, str]] = ..., task: _Optional[_Union[TaskSnapshot, _Mapping]] = ..., output: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., failure: _Optional[_Union[TaskFailure, _Mapping]] = ..., task_result: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., waited_ms: _Optional[int] = ...) -> None: ...

class TaskOutputResult(_message.Message):
    __slots__ = ("retrieval_status", "task", "failure", "waited_ms", "task_result_preview", "task_result_truncated", "task_result_artifact", "task_result_cuts", "task_result_source", "output_preview", "output_truncated", "output_artifact", "output_cuts", "output_source", "artifacts", "compaction_level", "output_has_task_result", "superseded")
    RETRIEVAL_STATUS_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    WAITED_MS_FIELD_NUMBER: _ClassVar[int]
    TASK_RESULT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TASK_RESULT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TASK_RESULT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TASK_RESULT_CUTS_FIELD_NUMBER: _ClassVar[int]
    TASK_RESULT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_CUTS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_HAS_TASK_RESULT_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    retrieval_status: TaskRetrieval
    task: TaskSnapshot
    failure: TaskFailure
    waited_ms: int
    task_result_preview: str
    task_result_truncated: bool
    task_result_artifact: int
    task_result_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    task_result_source: _ledger_pb2.SourceFacts
    output_preview: str
    output_truncated: bool
    output_artifact: int
    output_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    output_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    output_has_task_result: bool
    superseded: _policy_pb2.Superseded
    def __init__(self, retrieval_status: _Optional[_Union[TaskRetrieval, str]] = ..., task: _Optional[_Union[TaskSnapshot, _Mapping]] = ..., failure: _Optional[_Union[TaskFailure, _Mapping]] = ..., waited_ms: _Optional[int] = ..., task_result_preview: _Optional[str] = ..., task_result_truncated: bool = ..., task_result_artifact: _Optional[int] = ..., task_result_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., task_result_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., output_preview: _Optional[str] = ..., output_truncated: bool = ..., output_artifact: _Optional[int] = ..., output_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., output_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., output_has_task_result: bool = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class TaskStatusOutput(_message.Message):
    __slots__ = ("task", "failure")
    TASK_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    task: TaskSnapshot
    failure: TaskFailure
    def __init__(self, task: _Optional[_Union[TaskSnapshot, _Mapping]] = ..., failure: _Optional[_Union[TaskFailure, _Mapping]] = ...) -> None: ...

class TaskStatusResult(_message.Message):
    __slots__ = ("task", "failure")
    TASK_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    task: TaskSnapshot
    failure: TaskFailure
    def __init__(self, task: _Optional[_Union[TaskSnapshot, _Mapping]] = ..., failure: _Optional[_Union[TaskFailure, _Mapping]] = ...) -> None: ...

class TaskListOutput(_message.Message):
    __slots__ = ("tasks", "total_active")
    TASKS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[TaskSnapshot]
    total_active: int
    def __init__(self, tasks: _Optional[_Iterable[_Union[TaskSnapshot, _Mapping]]] = ..., total_active: _Optional[int] = ...) -> None: ...

class TaskListResult(_message.Message):
    __slots__ = ("tasks", "tasks_total", "tasks_truncated", "tasks_artifact", "total_active", "artifacts", "compaction_level", "superseded")
    TASKS_FIELD_NUMBER: _ClassVar[int]
    TASKS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    TASKS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TASKS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[TaskSnapshot]
    tasks_total: int
    tasks_truncated: bool
    tasks_artifact: int
    total_active: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, tasks: _Optional[_Iterable[_Union[TaskSnapshot, _Mapping]]] = ..., tasks_total: _Optional[int] = ..., tasks_truncated: bool = ..., tasks_artifact: _Optional[int] = ..., total_active: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class TaskInputOutput(_message.Message):
    __slots__ = ("disposition", "bytes_written", "input_target", "task")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    BYTES_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    INPUT_TARGET_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    disposition: TaskInputDisposition
    bytes_written: int
    input_target: str
    task: _task_handle_pb2.TaskHandle
    def __init__(self, disposition: _Optional[_Union[TaskInputDisposition, str]] = ..., bytes_written: _Optional[int] = ..., input_target: _Optional[str] = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ...) -> None: ...

class TaskInputResult(_message.Message):
    __slots__ = ("disposition", "bytes_written", "input_target", "task")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    BYTES_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    INPUT_TARGET_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    disposition: TaskInputDisposition
    bytes_written: int
    input_target: str
    task: _task_handle_pb2.TaskHandle
    def __init__(self, disposition: _Optional[_Union[TaskInputDisposition, str]] = ..., bytes_written: _Optional[int] = ..., input_target: _Optional[str] = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ...) -> None: ...

class TaskStopOutput(_message.Message):
    __slots__ = ("forced", "task")
    FORCED_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    forced: bool
    task: _task_handle_pb2.TaskHandle
    def __init__(self, forced: bool = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ...) -> None: ...

class TaskStopResult(_message.Message):
    __slots__ = ("forced", "task")
    FORCED_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    forced: bool
    task: _task_handle_pb2.TaskHandle
    def __init__(self, forced: bool = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ...) -> None: ...
