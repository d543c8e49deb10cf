from toolresult.v1 import ledger_pb2 as _ledger_pb2
from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from toolresult.v1 import task_pb2 as _task_pb2
from toolresult.v1 import task_handle_pb2 as _task_handle_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ModelResolutionStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MODEL_RESOLUTION_STATUS_UNSPECIFIED: _ClassVar[ModelResolutionStatus]
    MODEL_RESOLUTION_STATUS_INHERITED: _ClassVar[ModelResolutionStatus]
    MODEL_RESOLUTION_STATUS_ACCEPTED: _ClassVar[ModelResolutionStatus]
    MODEL_RESOLUTION_STATUS_NORMALIZED: _ClassVar[ModelResolutionStatus]
    MODEL_RESOLUTION_STATUS_FALLBACK_USED: _ClassVar[ModelResolutionStatus]
    MODEL_RESOLUTION_STATUS_REJECTED: _ClassVar[ModelResolutionStatus]

class AgentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AGENT_STATE_UNSPECIFIED: _ClassVar[AgentState]
    AGENT_STATE_IDLE: _ClassVar[AgentState]
    AGENT_STATE_WORKING: _ClassVar[AgentState]
    AGENT_STATE_WAITING: _ClassVar[AgentState]
    AGENT_STATE_NEEDS_INPUT: _ClassVar[AgentState]
    AGENT_STATE_COMPLETED: _ClassVar[AgentState]
    AGENT_STATE_FAILED: _ClassVar[AgentState]
    AGENT_STATE_STOPPED: _ClassVar[AgentState]

class ChildOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHILD_OUTCOME_UNSPECIFIED: _ClassVar[ChildOutcome]
    CHILD_OUTCOME_COMPLETED: _ClassVar[ChildOutcome]
    CHILD_OUTCOME_FAILED: _ClassVar[ChildOutcome]
    CHILD_OUTCOME_STOPPED: _ClassVar[ChildOutcome]
    CHILD_OUTCOME_NEEDS_INPUT: _ClassVar[ChildOutcome]
MODEL_RESOLUTION_STATUS_UNSPECIFIED: ModelResolutionStatus
MODEL_RESOLUTION_STATUS_INHERITED: ModelResolutionStatus
MODEL_RESOLUTION_STATUS_ACCEPTED: ModelResolutionStatus
MODEL_RESOLUTION_STATUS_NORMALIZED: ModelResolutionStatus
MODEL_RESOLUTION_STATUS_FALLBACK_USED: ModelResolutionStatus
MODEL_RESOLUTION_STATUS_REJECTED: ModelResolutionStatus
AGENT_STATE_UNSPECIFIED: AgentState
AGENT_STATE_IDLE: AgentState
AGENT_STATE_WORKING: AgentState
AGENT_STATE_WAITING: AgentState
AGENT_STATE_NEEDS_INPUT: AgentState
AGENT_STATE_COMPLETED: AgentState
AGENT_STATE_FAILED: AgentState
AGENT_STATE_STOPPED: AgentState
CHILD_OUTCOME_UNSPECIFIED: ChildOutcome
CHILD_OUTCOME_COMPLETED: ChildOutcome
CHILD_OUTCOME_FAILED: ChildOutcome
CHILD_OUTCOME_STOPPED: ChildOutcome
CHILD_OUTCOME_NEEDS_INPUT: ChildOutcome

class ModelResolution(_message.Message):
    __slots__ = ("requested", "resolved_provider", "resolved_model", "resolution_status", "policy_notes")
    REQUESTED_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_PROVIDER_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_MODEL_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_STATUS_FIELD_NUMBER: _ClassVar[int]
    POLICY_NOTES_FIELD_NUMBER: _ClassVar[int]
    requested: str
    resolved_provider: str
    resolved_model: str
    resolution_status: ModelResolutionStatus
    policy_notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, requested: _Optional[str] = ..., resolved_provider: _Optional[str] = ..., resolved_model: _Optional[str] = ..., resolution_status: _Optional[_Union[ModelResolutionStatus, str]] = ..., policy_notes: _Optional[_Iterable[str]] = ...) -> None: ...

class AgentSpawnOutput(_message.Message):
    __slots__ = ("child_agent_id", "task", "child_work_item_id", "model_resolution")
    CHILD_AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    CHILD_WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    MODEL_RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    child_agent_id: str
    task: _task_handle_pb2.TaskHandle
    child_work_item_id: str
    model_resolution: ModelResolution
    def __init__(self, child_agent_id: _Optional[str] = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ..., child_work_item_id: _Optional[str] = ..., model_resolution: _Optional[_Union[ModelResolution, _Mapping]] = ...) -> None: ...

class AgentSpawnResult(_message.Message):
    __slots__ = ("child_agent_id", "task", "child_work_item_id", "model_resolution", "model_difference")
    CHILD_AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    CHILD_WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    MODEL_RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    MODEL_DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    child_agent_id: str
    task: _task_handle_pb2.TaskHandle
    child_work_item_id: str
    model_resolution: ModelResolution
    model_difference: str
    def __init__(self, child_agent_id: _Optional[str] = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ..., child_work_item_id: _Optional[str] = ..., model_resolution: _Optional[_Union[ModelResolution, _Mapping]] = ..., model_difference: _Optional[str] = ...) -> None: ...

class AgentStatusOutput(_message.Message):
    __slots__ = ("agent_id", "state", "waiting_for", "working_on", "task", "work_item_id", "last_activity", "last_activity_at", "tokens_used", "active_children", "model")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WAITING_FOR_FIELD_NUMBER: _ClassVar[int]
    WORKING_ON_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    LAST_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    LAST_ACTIVITY_AT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_USED_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    state: AgentState
    waiting_for: str
    working_on: str
    task: _task_handle_pb2.TaskHandle
    work_item_id: str
    last_activity: str
    last_activity_at: str
    tokens_used: int
    active_children: int
    model: str
    def __init__(self, agent_id: _Optional[str] = ..., state: _Optional[_Union[AgentState, str]] = ..., waiting_for: _Optional[str] = ..., working_on: _Optional[str] = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ..., work_item_id: _Optional[str] = ..., last_activity: _Optional[str] = ..., last_activity_at: _Optional[str] = ..., tokens_used: _Optional[int] = ..., active_children: _Optional[int] = ..., model: _Optional[str] = ...) -> None: ...

class AgentStatusResult(_message.Message):
    __slots__ = ("agent_id", "state", "waiting_for", "working_on", "task", "work_item_id", "last_activity", "last_activity_at", "tokens_used", "active_children", "model")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WAITING_FOR_FIELD_NUMBER: _ClassVar[int]
    WORKING_ON_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    LAST_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    LAST_ACTIVITY_AT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_USED_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    state: AgentState
    waiting_for: str
    working_on: str
    task: _task_handle_pb2.TaskHandle
    work_item_id: str
    last_activity: str
    last_activity_at: str
    tokens_used: int
    active_children: int
    model: str
    def __init__(self, agent_id: _Optional[str] = ..., state: _Optional[_Union[AgentState, str]] = ..., waiting_for: _Optional[str] = ..., working_on: _Optional[str] = ..., task: _Optional[_Union[_task_handle_pb2.TaskHandle, _Mapping]] = ..., work_item_id: _Optional[str] = ..., last_activity: _Optional[str] = ..., last_activity_at: _Optional[str] = ..., tokens_used: _Optional[int] = ..., active_children: _Optional[int] = ..., model: _Optional[str] = ...) -> None: ...

class ChildFile(_message.Message):
    __slots__ = ("path", "description")
    PATH_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    path: str
    description: str
    def __init__(self, path: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class AgentReportOutput(_message.Message):
    __slots__ = ("child_agent_id", "child_outcome", "task_id", "failure", "tokens_used", "open_questions", "files", "report")
    CHILD_AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHILD_OUTCOME_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_USED_FIELD_NUMBER: _ClassVar[int]
    OPEN_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    child_agent_id: str
    child_outcome: ChildOutcome
    task_id: str
    failure: _task_pb2.TaskFailure
    tokens_used: int
    open_questions: _containers.RepeatedScalarFieldContainer[str]
    files: _containers.RepeatedCompositeFieldContainer[ChildFile]
    report: _payload_pb2.Payload
    def __init__(self, child_agent_id: _Optional[str] = ..., child_outcome: _Optional[_Union[ChildOutcome, str]] = ..., task_id: _Optional[str] = ..., failure: _Optional[_Union[_task_pb2.TaskFailure, _Mapping]] = ..., tokens_used: _Optional[int] = ..., open_questions: _Optional[_Iterable[str]] = ..., files: _Optional[_Iterable[_Union[ChildFile, _Mapping]]] = ..., report: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ...) -> None: ...

class AgentReportResult(_message.Message):
    __slots__ = ("child_agent_id", "child_outcome", "task_id", "failure", "tokens_used", "open_questions", "open_questions_total", "open_questions_truncated", "open_questions_artifact", "files", "files_total", "files_truncated", "files_artifact", "report_preview", "report_truncated", "report_artifact", "report_cuts", "report_source", "artifacts", "compaction_level", "superseded")
    CHILD_AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHILD_OUTCOME_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_USED_FIELD_NUMBER: _ClassVar[int]
    OPEN_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    OPEN_QUESTIONS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    OPEN_QUESTIONS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OPEN_QUESTIONS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    FILES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    FILES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    FILES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    REPORT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    REPORT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    REPORT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    REPORT_CUTS_FIELD_NUMBER: _ClassVar[int]
    REPORT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    child_agent_id: str
    child_outcome: ChildOutcome
    task_id: str
    failure: _task_pb2.TaskFailure
    tokens_used: int
    open_questions: _containers.RepeatedScalarFieldContainer[str]
    open_questions_total: int
    open_questions_truncated: bool
    open_questions_artifact: int
    files: _containers.RepeatedCompositeFieldContainer[ChildFile]
    files_total: int
    files_truncated: bool
    files_artifact: int
    report_preview: str
    report_truncated: bool
    report_artifact: int
    report_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    report_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, child_agent_id: _Optional[str] = ..., child_outcome: _Optional[_Union[ChildOutcome, str]] = ..., task_id: _Optional[str] = ..., failure: _Optional[_Union[_task_pb2.TaskFailure, _Mapping]] = ..., tokens_used: _Optional[int] = ..., open_questions: _Optional[_Iterable[str]] = ..., open_questions_total: _Optional[int] = ..., open_questions_truncated: bool = ..., open_questions_artifact: _Optional[int] = ..., files: _Optional[_Iterable[_Union[ChildFile, _Mapping]]] = ..., files_total: _Optional[int] = ..., files_truncated: bool = ..., files_artifact: _Optional[int] = ..., report_preview: _Optional[str] = ..., report_truncated: bool = ..., report_artifact: _Optional[int] = ..., report_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., report_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...
