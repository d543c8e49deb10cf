from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NotifyDelivery(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NOTIFY_DELIVERY_UNSPECIFIED: _ClassVar[NotifyDelivery]
    NOTIFY_DELIVERY_DELIVERED: _ClassVar[NotifyDelivery]
    NOTIFY_DELIVERY_QUEUED: _ClassVar[NotifyDelivery]
    NOTIFY_DELIVERY_SUPPRESSED: _ClassVar[NotifyDelivery]
    NOTIFY_DELIVERY_FAILED: _ClassVar[NotifyDelivery]

class EnqueueDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENQUEUE_DISPOSITION_UNSPECIFIED: _ClassVar[EnqueueDisposition]
    ENQUEUE_DISPOSITION_ENQUEUED: _ClassVar[EnqueueDisposition]
    ENQUEUE_DISPOSITION_ALREADY_ENQUEUED: _ClassVar[EnqueueDisposition]
    ENQUEUE_DISPOSITION_NOT_ENQUEUED: _ClassVar[EnqueueDisposition]

class SleepDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SLEEP_DISPOSITION_UNSPECIFIED: _ClassVar[SleepDisposition]
    SLEEP_DISPOSITION_SCHEDULED: _ClassVar[SleepDisposition]
    SLEEP_DISPOSITION_COMPLETED: _ClassVar[SleepDisposition]
    SLEEP_DISPOSITION_INTERRUPTED: _ClassVar[SleepDisposition]

class WaitDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAIT_DISPOSITION_UNSPECIFIED: _ClassVar[WaitDisposition]
    WAIT_DISPOSITION_REGISTERED: _ClassVar[WaitDisposition]
    WAIT_DISPOSITION_SATISFIED: _ClassVar[WaitDisposition]
    WAIT_DISPOSITION_TIMED_OUT: _ClassVar[WaitDisposition]
    WAIT_DISPOSITION_CANCELLED: _ClassVar[WaitDisposition]

class WaitScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAIT_SCOPE_UNSPECIFIED: _ClassVar[WaitScope]
    WAIT_SCOPE_AGENT: _ClassVar[WaitScope]
    WAIT_SCOPE_WORK_ITEM: _ClassVar[WaitScope]
NOTIFY_DELIVERY_UNSPECIFIED: NotifyDelivery
NOTIFY_DELIVERY_DELIVERED: NotifyDelivery
NOTIFY_DELIVERY_QUEUED: NotifyDelivery
NOTIFY_DELIVERY_SUPPRESSED: NotifyDelivery
NOTIFY_DELIVERY_FAILED: NotifyDelivery
ENQUEUE_DISPOSITION_UNSPECIFIED: EnqueueDisposition
ENQUEUE_DISPOSITION_ENQUEUED: EnqueueDisposition
ENQUEUE_DISPOSITION_ALREADY_ENQUEUED: EnqueueDisposition
ENQUEUE_DISPOSITION_NOT_ENQUEUED: EnqueueDisposition
SLEEP_DISPOSITION_UNSPECIFIED: SleepDisposition
SLEEP_DISPOSITION_SCHEDULED: SleepDisposition
SLEEP_DISPOSITION_COMPLETED: SleepDisposition
SLEEP_DISPOSITION_INTERRUPTED: SleepDisposition
WAIT_DISPOSITION_UNSPECIFIED: WaitDisposition
WAIT_DISPOSITION_REGISTERED: WaitDisposition
WAIT_DISPOSITION_SATISFIED: WaitDisposition
WAIT_DISPOSITION_TIMED_OUT: WaitDisposition
WAIT_DISPOSITION_CANCELLED: WaitDisposition
WAIT_SCOPE_UNSPECIFIED: WaitScope
WAIT_SCOPE_AGENT: WaitScope
WAIT_SCOPE_WORK_ITEM: WaitScope

class NotifyOutput(_message.Message):
    __slots__ = ("delivery", "notification_id", "recipient", "channel", "reason", "deliver_at")
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DELIVER_AT_FIELD_NUMBER: _ClassVar[int]
    delivery: NotifyDelivery
    notification_id: str
    recipient: str
    channel: str
    reason: str
    deliver_at: str
    def __init__(self, delivery: _Optional[_Union[NotifyDelivery, str]] = ..., notification_id: _Optional[str] = ..., recipient: _Optional[str] = ..., channel: _Optional[str] = ..., reason: _Optional[str] = ..., deliver_at: _Optional[str] = ...) -> None: ...

class NotifyResult(_message.Message):
    __slots__ = ("delivery", "notification_id", "recipient", "channel", "reason", "deliver_at")
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DELIVER_AT_FIELD_NUMBER: _ClassVar[int]
    delivery: NotifyDelivery
    notification_id: str
    recipient: str
    channel: str
    reason: str
    deliver_at: str
    def __init__(self, delivery: _Optional[_Union[NotifyDelivery, str]] = ..., notification_id: _Optional[str] = ..., recipient: _Optional[str] = ..., channel: _Optional[str] = ..., reason: _Optional[str] = ..., deliver_at: _Optional[str] = ...) -> None: ...

class EnqueueOutput(_message.Message):
    __slots__ = ("disposition", "message_id", "priority", "queued_before", "reason")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    QUEUED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    disposition: EnqueueDisposition
    message_id: str
    priority: str
    queued_before: int
    reason: str
    def __init__(self, disposition: _Optional[_Union[EnqueueDisposition, str]] = ..., message_id: _Optional[str] = ..., priority: _Optional[str] = ..., queued_before: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class EnqueueResult(_message.Message):
    __slots__ = ("disposition", "message_id", "priority", "queued_before", "reason")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    QUEUED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    disposition: EnqueueDisposition
    message_id: str
    priority: str
    queued_before: int
    reason: str
    def __init__(self, disposition: _Optional[_Union[EnqueueDisposition, str]] = ..., message_id: _Optional[str] = ..., priority: _Optional[str] = ..., queued_before: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class SleepOutput(_message.Message):
    __slots__ = ("disposition", "duration_ms", "slept_ms", "wake_at", "woken_by", "reason")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    SLEPT_MS_FIELD_NUMBER: _ClassVar[int]
    WAKE_AT_FIELD_NUMBER: _ClassVar[int]
    WOKEN_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    disposition: SleepDisposition
    duration_ms: int
    slept_ms: int
    wake_at: str
    woken_by: str
    reason: str
    def __init__(self, disposition: _Optional[_Union[SleepDisposition, str]] = ..., duration_ms: _Optional[int] = ..., slept_ms: _Optional[int] = ..., wake_at: _Optional[str] = ..., woken_by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SleepResult(_message.Message):
    __slots__ = ("disposition", "duration_ms", "slept_ms", "wake_at", "woken_by", "reason")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    SLEPT_MS_FIELD_NUMBER: _ClassVar[int]
    WAKE_AT_FIELD_NUMBER: _ClassVar[int]
    WOKEN_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    disposition: SleepDisposition
    duration_ms: int
    slept_ms: int
    wake_at: str
    woken_by: str
    reason: str
    def __init__(self, disposition: _Optional[_Union[SleepDisposition, str]] = ..., duration_ms: _Optional[int] = ..., slept_ms: _Optional[int] = ..., wake_at: _Optional[str] = ..., woken_by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class WaitOutput(_message.Message):
    __slots__ = ("disposition", "wait_condition_id", "scope", "owner", "wake", "resource", "work_item_id", "recheck_after_ms", "recheck_at", "reason", "cancelled_wait_conditions")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    WAIT_CONDITION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    WAKE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_WAIT_CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    disposition: WaitDisposition
    wait_condition_id: str
    scope: WaitScope
    owner: str
    wake: str
    resource: str
    work_item_id: str
    recheck_after_ms: int
    recheck_at: str
    reason: str
    cancelled_wait_conditions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, disposition: _Optional[_Union[WaitDisposition, str]] = ..., wait_condition_id: _Optional[str] = ..., scope: _Optional[_Union[WaitScope, str]] = ..., owner: _Optional[str] = ..., wake: _Optional[str] = ..., resource: _Optional[str] = ..., work_item_id: _Optional[str] = ..., recheck_after_ms: _Optional[int] = ..., recheck_at: _Optional[str] = ..., reason: _Optional[str] = ..., cancelled_wait_conditions: _Optional[_Iterable[str]] = ...) -> None: ...

class WaitResult(_message.Message):
    __slots__ = ("disposition", "wait_condition_id", "scope", "owner", "wake", "resource", "work_item_id", "recheck_after_ms", "recheck_at", "reason", "cancelled_wait_conditions", "cancelled_wait_conditions_total", "cancelled_wait_conditions_truncated", "cancelled_wait_conditions_artifact", "artifacts", "compaction_level", "superseded")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    WAIT_CONDITION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    WAKE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    RECHECK_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_WAIT_CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_WAIT_CONDITIONS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_WAIT_CONDITIONS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_WAIT_CONDITIONS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    disposition: WaitDisposition
    wait_condition_id: str
    scope: WaitScope
    owner: str
    wake: str
    resource: str
    work_item_id: str
    recheck_after_ms: int
    recheck_at: str
    reason: str
    cancelled_wait_conditions: _containers.RepeatedScalarFieldContainer[str]
    cancelled_wait_conditions_total: int
    cancelled_wait_conditions_truncated: bool
    cancelled_wait_conditions_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, disposition: _Optional[_Union[WaitDisposition, str]] = ..., wait_condition_id: _Optional[str] = ..., scope: _Optional[_Union[WaitScope, str]] = ..., owner: _Optional[str] = ..., wake: _Optional[str] = ..., resource: _Optional[str] = ..., work_item_id: _Optional[str] = ..., recheck_after_ms: _Optional[int] = ..., recheck_at: _Optional[str] = ..., reason: _Optional[str] = ..., cancelled_wait_conditions: _Optional[_Iterable[str]] = ..., cancelled_wait_conditions_total: _Optional[int] = ..., cancelled_wait_conditions_truncated: bool = ..., cancelled_wait_conditions_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...
