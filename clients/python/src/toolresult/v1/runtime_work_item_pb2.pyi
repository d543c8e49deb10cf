from toolresult.v1 import ledger_pb2 as _ledger_pb2
from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WorkItemState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_STATE_UNSPECIFIED: _ClassVar[WorkItemState]
    WORK_ITEM_STATE_OPEN: _ClassVar[WorkItemState]
    WORK_ITEM_STATE_COMPLETED: _ClassVar[WorkItemState]
    WORK_ITEM_STATE_CANCELLED: _ClassVar[WorkItemState]

class WorkItemReadiness(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_READINESS_UNSPECIFIED: _ClassVar[WorkItemReadiness]
    WORK_ITEM_READINESS_RUNNABLE: _ClassVar[WorkItemReadiness]
    WORK_ITEM_READINESS_WAITING: _ClassVar[WorkItemReadiness]
    WORK_ITEM_READINESS_BLOCKED: _ClassVar[WorkItemReadiness]

class WorkItemPlanStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_PLAN_STATUS_UNSPECIFIED: _ClassVar[WorkItemPlanStatus]
    WORK_ITEM_PLAN_STATUS_DRAFT: _ClassVar[WorkItemPlanStatus]
    WORK_ITEM_PLAN_STATUS_READY: _ClassVar[WorkItemPlanStatus]
    WORK_ITEM_PLAN_STATUS_NEEDS_INPUT: _ClassVar[WorkItemPlanStatus]

class WorkItemAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_ACTION_UNSPECIFIED: _ClassVar[WorkItemAction]
    WORK_ITEM_ACTION_CREATED: _ClassVar[WorkItemAction]
    WORK_ITEM_ACTION_UPDATED: _ClassVar[WorkItemAction]
    WORK_ITEM_ACTION_COMPLETED: _ClassVar[WorkItemAction]
    WORK_ITEM_ACTION_UNCHANGED: _ClassVar[WorkItemAction]

class WorkItemReportSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_REPORT_SOURCE_UNSPECIFIED: _ClassVar[WorkItemReportSource]
    WORK_ITEM_REPORT_SOURCE_CALL: _ClassVar[WorkItemReportSource]
    WORK_ITEM_REPORT_SOURCE_LAST_MESSAGE: _ClassVar[WorkItemReportSource]
    WORK_ITEM_REPORT_SOURCE_WORK_ITEM: _ClassVar[WorkItemReportSource]

class WorkItemPick(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_PICK_UNSPECIFIED: _ClassVar[WorkItemPick]
    WORK_ITEM_PICK_PICKED: _ClassVar[WorkItemPick]
    WORK_ITEM_PICK_RESUMED: _ClassVar[WorkItemPick]
    WORK_ITEM_PICK_ALREADY_CURRENT: _ClassVar[WorkItemPick]

class WorkItemTodoStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_ITEM_TODO_STATUS_UNSPECIFIED: _ClassVar[WorkItemTodoStatus]
    WORK_ITEM_TODO_STATUS_PENDING: _ClassVar[WorkItemTodoStatus]
    WORK_ITEM_TODO_STATUS_IN_PROGRESS: _ClassVar[WorkItemTodoStatus]
    WORK_ITEM_TODO_STATUS_COMPLETED: _ClassVar[WorkItemTodoStatus]
WORK_ITEM_STATE_UNSPECIFIED: WorkItemState
WORK_ITEM_STATE_OPEN: WorkItemState
WORK_ITEM_STATE_COMPLETED: WorkItemState
WORK_ITEM_STATE_CANCELLED: WorkItemState
WORK_ITEM_READINESS_UNSPECIFIED: WorkItemReadiness
WORK_ITEM_READINESS_RUNNABLE: WorkItemReadiness
WORK_ITEM_READINESS_WAITING: WorkItemReadiness
WORK_ITEM_READINESS_BLOCKED: WorkItemReadiness
WORK_ITEM_PLAN_STATUS_UNSPECIFIED: WorkItemPlanStatus
WORK_ITEM_PLAN_STATUS_DRAFT: WorkItemPlanStatus
WORK_ITEM_PLAN_STATUS_READY: WorkItemPlanStatus
WORK_ITEM_PLAN_STATUS_NEEDS_INPUT: WorkItemPlanStatus
WORK_ITEM_ACTION_UNSPECIFIED: WorkItemAction
WORK_ITEM_ACTION_CREATED: WorkItemAction
WORK_ITEM_ACTION_UPDATED: WorkItemAction
WORK_ITEM_ACTION_COMPLETED: WorkItemAction
WORK_ITEM_ACTION_UNCHANGED: WorkItemAction
WORK_ITEM_REPORT_SOURCE_UNSPECIFIED: WorkItemReportSource
WORK_ITEM_REPORT_SOURCE_CALL: WorkItemReportSource
WORK_ITEM_REPORT_SOURCE_LAST_MESSAGE: WorkItemReportSource
WORK_ITEM_REPORT_SOURCE_WORK_ITEM: WorkItemReportSource
WORK_ITEM_PICK_UNSPECIFIED: WorkItemPick
WORK_ITEM_PICK_PICKED: WorkItemPick
WORK_ITEM_PICK_RESUMED: WorkItemPick
WORK_ITEM_PICK_ALREADY_CURRENT: WorkItemPick
WORK_ITEM_TODO_STATUS_UNSPECIFIED: WorkItemTodoStatus
WORK_ITEM_TODO_STATUS_PENDING: WorkItemTodoStatus
WORK_ITEM_TODO_STATUS_IN_PROGRESS: WorkItemTodoStatus
WORK_ITEM_TODO_STATUS_COMPLETED: WorkItemTodoStatus

class WorkItem(_message.Message):
    __slots__ = ("work_item_id", "objective", "state", "readiness", "is_current", "blocked_by", "recheck_at", "recheck_consumed_at", "plan_status", "plan_path", "agent_id", "workspace_id", "focus", "scheduling_state", "candidate_class", "reason_code", "created_at", "updated_at")
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    READINESS_FIELD_NUMBER: _ClassVar[int]
    IS_CURRENT_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AT_FIELD_NUMBER: _ClassVar[int]
    RECHECK_CONSUMED_AT_FIELD_NUMBER: _ClassVar[int]
    PLAN_STATUS_FIELD_NUMBER: _ClassVar[int]
    PLAN_PATH_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    FOCUS_FIELD_NUMBER: _ClassVar[int]
    SCHEDULING_STATE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_CLASS_FIELD_NUMBER: _ClassVar[int]
    REASON_CODE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    work_item_id: str
    objective: str
    state: WorkItemState
    readiness: WorkItemReadiness
    is_current: bool
    blocked_by: str
    recheck_at: str
    recheck_consumed_at: str
    plan_status: WorkItemPlanStatus
    plan_path: str
    agent_id: str
    workspace_id: str
    focus: str
    scheduling_state: str
    candidate_class: str
    reason_code: str
    created_at: str
    updated_at: str
    def __init__(self, work_item_id: _Optional[str] = ..., objective: _Optional[str] = ..., state: _Optional[_Union[WorkItemState, str]] = ..., readiness: _Optional[_Union[WorkItemReadiness, str]] = ..., is_current: bool = ..., blocked_by: _Optional[str] = ..., recheck_at: _Optional[str] = ..., recheck_consumed_at: _Optional[str] = ..., plan_status: _Optional[_Union[WorkItemPlanStatus, str]] = ..., plan_path: _Optional[str] = ..., agent_id: _Optional[str] = ..., workspace_id: _Optional[str] = ..., focus: _Optional[str] = ..., scheduling_state: _Optional[str] = ..., candidate_class: _Optional[str] = ..., reason_code: _Optional[str] = ..., created_at: _Optional[str] = ..., updated_at: _Optional[str] = ...) -> None: ...

class WorkItemHandle(_message.Message):
    __slots__ = ("work_item_id", "state", "readiness", "is_current", "blocked_by", "recheck_at", "plan_status", "updated_at")
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    READINESS_FIELD_NUMBER: _ClassVar[int]
    IS_CURRENT_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AT_FIELD_NUMBER: _ClassVar[int]
    PLAN_STATUS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    work_item_id: str
    state: WorkItemState
    readiness: WorkItemReadiness
    is_current: bool
    blocked_by: str
    recheck_at: str
    plan_status: WorkItemPlanStatus
    updated_at: str
    def __init__(self, work_item_id: _Optional[str] = ..., state: _Optional[_Union[WorkItemState, str]] = ..., readiness: _Optional[_Union[WorkItemReadiness, str]] = ..., is_current: bool = ..., blocked_by: _Optional[str] = ..., recheck_at: _Optional[str] = ..., plan_status: _Optional[_Union[WorkItemPlanStatus, str]] = ..., updated_at: _Optional[str] = ...) -> None: ...

class WorkItemChangeOutput(_message.Message):
    __slots__ = ("action", "work_item", "previous_state", "completion_report_source", "completion_report_promoted", "continuation_resumed", "warnings")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_STATE_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_PROMOTED_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_RESUMED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    action: WorkItemAction
    work_item: WorkItemHandle
    previous_state: WorkItemState
    completion_report_source: WorkItemReportSource
    completion_report_promoted: bool
    continuation_resumed: str
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, action: _Optional[_Union[WorkItemAction, str]] = ..., work_item: _Optional[_Union[WorkItemHandle, _Mapping]] = ..., previous_state: _Optional[_Union[WorkItemState, str]] = ..., completion_report_source: _Optional[_Union[WorkItemReportSource, str]] = ..., completion_report_promoted: bool = ..., continuation_resumed: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkItemChangeResult(_message.Message):
    __slots__ = ("action", "work_item", "previous_state", "completion_report_source", "completion_report_promoted", "continuation_resumed", "warnings")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_STATE_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_PROMOTED_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_RESUMED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    action: WorkItemAction
    work_item: WorkItemHandle
    previous_state: WorkItemState
    completion_report_source: WorkItemReportSource
    completion_report_promoted: bool
    continuation_resumed: str
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, action: _Optional[_Union[WorkItemAction, str]] = ..., work_item: _Optional[_Union[WorkItemHandle, _Mapping]] = ..., previous_state: _Optional[_Union[WorkItemState, str]] = ..., completion_report_source: _Optional[_Union[WorkItemReportSource, str]] = ..., completion_report_promoted: bool = ..., continuation_resumed: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkItemPickOutput(_message.Message):
    __slots__ = ("transition", "current_work_item", "objective", "previous_work_item", "continuation_created", "continuation_resolved", "binding_note")
    TRANSITION_FIELD_NUMBER: _ClassVar[int]
    CURRENT_WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_CREATED_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    BINDING_NOTE_FIELD_NUMBER: _ClassVar[int]
    transition: WorkItemPick
    current_work_item: WorkItemHandle
    objective: str
    previous_work_item: WorkItemPrevious
    continuation_created: str
    continuation_resolved: str
    binding_note: str
    def __init__(self, transition: _Optional[_Union[WorkItemPick, str]] = ..., current_work_item: _Optional[_Union[WorkItemHandle, _Mapping]] = ..., objective: _Optional[str] = ..., previous_work_item: _Optional[_Union[WorkItemPrevious, _Mapping]] = ..., continuation_created: _Optional[str] = ..., continuation_resolved: _Optional[str] = ..., binding_note: _Optional[str] = ...) -> None: ...

class WorkItemPickResult(_message.Message):
    __slots__ = ("transition", "current_work_item", "objective", "previous_work_item", "continuation_created", "continuation_resolved", "binding_note")
    TRANSITION_FIELD_NUMBER: _ClassVar[int]
    CURRENT_WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_CREATED_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    BINDING_NOTE_FIELD_NUMBER: _ClassVar[int]
    transition: WorkItemPick
    current_work_item: WorkItemHandle
    objective: str
    previous_work_item: WorkItemPrevious
    continuation_created: str
    continuation_resolved: str
    binding_note: str
    def __init__(self, transition: _Optional[_Union[WorkItemPick, str]] = ..., current_work_item: _Optional[_Union[WorkItemHandle, _Mapping]] = ..., objective: _Optional[str] = ..., previous_work_item: _Optional[_Union[WorkItemPrevious, _Mapping]] = ..., continuation_created: _Optional[str] = ..., continuation_resolved: _Optional[str] = ..., binding_note: _Optional[str] = ...) -> None: ...

class WorkItemPrevious(_message.Message):
    __slots__ = ("work_item_id", "state", "readiness")
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    READINESS_FIELD_NUMBER: _ClassVar[int]
    work_item_id: str
    state: WorkItemState
    readiness: WorkItemReadiness
    def __init__(self, work_item_id: _Optional[str] = ..., state: _Optional[_Union[WorkItemState, str]] = ..., readiness: _Optional[_Union[WorkItemReadiness, str]] = ...) -> None: ...

class WorkItemTodo(_message.Message):
    __slots__ = ("text", "status")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    text: str
    status: WorkItemTodoStatus
    def __init__(self, text: _Optional[str] = ..., status: _Optional[_Union[WorkItemTodoStatus, str]] = ...) -> None: ...

class WorkItemReference(_message.Message):
    __slots__ = ("reference", "kind", "title")
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    reference: str
    kind: str
    title: str
    def __init__(self, reference: _Optional[str] = ..., kind: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class WorkItemWait(_message.Message):
    __slots__ = ("wait_condition_id", "wake", "resource", "recheck_at", "reason")
    WAIT_CONDITION_ID_FIELD_NUMBER: _ClassVar[int]
    WAKE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    wait_condition_id: str
    wake: str
    resource: str
    recheck_at: str
    reason: str
    def __init__(self, wait_condition_id: _Optional[str] = ..., wake: _Optional[str] = ..., resource: _Optional[str] = ..., recheck_at: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class WorkItemGetOutput(_message.Message):
    __slots__ = ("work_item", "active_wait_conditions", "diagnostics", "todo_list", "work_refs", "plan", "completion_report")
    WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_WAIT_CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    TODO_LIST_FIELD_NUMBER: _ClassVar[int]
    WORK_REFS_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_FIELD_NUMBER: _ClassVar[int]
    work_item: WorkItem
    active_wait_conditions: _containers.RepeatedCompositeFieldContainer[WorkItemWait]
    diagnostics: _containers.RepeatedScalarFieldContainer[str]
    todo_list: _containers.RepeatedCompositeFieldContainer[WorkItemTodo]
    work_refs: _containers.RepeatedCompositeFieldContainer[WorkItemReference]
    plan: _payload_pb2.Payload
    completion_report: _payload_pb2.Payload
    def __init__(self, work_item: _Optional[_Union[WorkItem, _Mapping]] = ..., active_wait_conditions: _Optional[_Iterable[_Union[WorkItemWait, _Mapping]]] = ..., diagnostics: _Optional[_Iterable[str]] = ..., todo_list: _Optional[_Iterable[_Union[WorkItemTodo, _Mapping]]] = ..., work_refs: _Optional[_Iterable[_Union[WorkItemReference, _Mapping]]] = ..., plan: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., completion_report: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ...) -> None: ...

class WorkItemGetResult(_message.Message):
    __slots__ = ("work_item", "active_wait_conditions", "active_wait_conditions_total", "active_wait_conditions_truncated", "active_wait_conditions_artifact", "diagnostics", "diagnostics_total", "diagnostics_truncated", "diagnostics_artifact", "todo_list", "todo_list_total", "todo_list_truncated", "todo_list_artifact", "work_refs", "work_refs_total", "work_refs_truncated", "work_refs_artifact", "plan_preview", "plan_truncated", "plan_artifact", "plan_cuts", "plan_source", "completion_report_preview", "completion_report_truncated", "completion_report_artifact", "completion_report_cuts", "completion_report_source", "artifacts", "compaction_level", "superseded")
    WORK_ITEM_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_WAIT_CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_WAIT_CONDITIONS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_WAIT_CONDITIONS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_WAIT_CONDITIONS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TODO_LIST_FIELD_NUMBER: _ClassVar[int]
    TODO_LIST_TOTAL_FIELD_NUMBER: _ClassVar[int]
    TODO_LIST_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TODO_LIST_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    WORK_REFS_FIELD_NUMBER: _ClassVar[int]
    WORK_REFS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    WORK_REFS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    WORK_REFS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    PLAN_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    PLAN_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    PLAN_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    PLAN_CUTS_FIELD_NUMBER: _ClassVar[int]
    PLAN_SOURCE_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_CUTS_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_REPORT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    work_item: WorkItem
    active_wait_conditions: _containers.RepeatedCompositeFieldContainer[WorkItemWait]
    active_wait_conditions_total: int
    active_wait_conditions_truncated: bool
    active_wait_conditions_artifact: int
    diagnostics: _containers.RepeatedScalarFieldContainer[str]
    diagnostics_total: int
    diagnostics_truncated: bool
    diagnostics_artifact: int
    todo_list: _containers.RepeatedCompositeFieldContainer[WorkItemTodo]
    todo_list_total: int
    todo_list_truncated: bool
    todo_list_artifact: int
    work_refs: _containers.RepeatedCompositeFieldContainer[WorkItemReference]
    work_refs_total: int
    work_refs_truncated: bool
    work_refs_artifact: int
    plan_preview: str
    plan_truncated: bool
    plan_artifact: int
    plan_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    plan_source: _ledger_pb2.SourceFacts
    completion_report_preview: str
    completion_report_truncated: bool
    completion_report_artifact: int
    completion_report_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    completion_report_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, work_item: _Optional[_Union[WorkItem, _Mapping]] = ..., active_wait_conditions: _Optional[_Iterable[_Union[WorkItemWait, _Mapping]]] = ..., active_wait_conditions_total: _Optional[int] = ..., active_wait_conditions_truncated: bool = ..., active_wait_conditions_artifact: _Optional[int] = ..., diagnostics: _Optional[_Iterable[str]] = ..., diagnostics_total: _Optional[int] = ..., diagnostics_truncated: bool = ..., diagnostics_artifact: _Optional[int] = ..., todo_list: _Optional[_Iterable[_Union[WorkItemTodo, _Mapping]]] = ..., todo_list_total: _Optional[int] = ..., todo_list_truncated: bool = ..., todo_list_artifact: _Optional[int] = ..., work_refs: _Optional[_Iterable[_Union[WorkItemReference, _Mapping]]] = ..., work_refs_total: _Optional[int] = ..., work_refs_truncated: bool = ..., work_refs_artifact: _Optional[int] = ..., plan_preview: _Optional[str] = ..., plan_truncated: bool = ..., plan_artifact: _Optional[int] = ..., plan_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., plan_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., completion_report_preview: _Optional[str] = ..., completion_report_truncated: bool = ..., completion_report_artifact: _Optional[int] = ..., completion_report_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., completion_report_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class WorkItemListOutput(_message.Message):
    __slots__ = ("work_items", "total_matching", "filter", "limit")
    WORK_ITEMS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MATCHING_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    work_items: _containers.RepeatedCompositeFieldContainer[WorkItem]
    total_matching: int
    filter: str
    limit: int
    def __init__(self, work_items: _Optional[_Iterable[_Union[WorkItem, _Mapping]]] = ..., total_matching: _Optional[int] = ..., filter: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class WorkItemListResult(_message.Message):
    __slots__ = ("work_items", "work_items_total", "work_items_truncated", "work_items_artifact", "total_matching", "filter", "limit", "artifacts", "compaction_level", "superseded")
    WORK_ITEMS_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEMS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEMS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEMS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MATCHING_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    work_items: _containers.RepeatedCompositeFieldContainer[WorkItem]
    work_items_total: int
    work_items_truncated: bool
    work_items_artifact: int
    total_matching: int
    filter: str
    limit: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, work_items: _Optional[_Iterable[_Union[WorkItem, _Mapping]]] = ..., work_items_total: _Optional[int] = ..., work_items_truncated: bool = ..., work_items_artifact: _Optional[int] = ..., total_matching: _Optional[int] = ..., filter: _Optional[str] = ..., limit: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...
