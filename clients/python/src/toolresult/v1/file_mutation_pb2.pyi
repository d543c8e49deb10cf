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

class FileChangeAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FILE_CHANGE_ACTION_UNSPECIFIED: _ClassVar[FileChangeAction]
    FILE_CHANGE_ACTION_ADD: _ClassVar[FileChangeAction]
    FILE_CHANGE_ACTION_MODIFY: _ClassVar[FileChangeAction]
    FILE_CHANGE_ACTION_DELETE: _ClassVar[FileChangeAction]
    FILE_CHANGE_ACTION_MOVE: _ClassVar[FileChangeAction]
    FILE_CHANGE_ACTION_COPY: _ClassVar[FileChangeAction]

class DiagnosticSeverity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DIAGNOSTIC_SEVERITY_UNSPECIFIED: _ClassVar[DiagnosticSeverity]
    DIAGNOSTIC_SEVERITY_ERROR: _ClassVar[DiagnosticSeverity]
    DIAGNOSTIC_SEVERITY_WARNING: _ClassVar[DiagnosticSeverity]
    DIAGNOSTIC_SEVERITY_INFORMATION: _ClassVar[DiagnosticSeverity]
FILE_CHANGE_ACTION_UNSPECIFIED: FileChangeAction
FILE_CHANGE_ACTION_ADD: FileChangeAction
FILE_CHANGE_ACTION_MODIFY: FileChangeAction
FILE_CHANGE_ACTION_DELETE: FileChangeAction
FILE_CHANGE_ACTION_MOVE: FileChangeAction
FILE_CHANGE_ACTION_COPY: FileChangeAction
DIAGNOSTIC_SEVERITY_UNSPECIFIED: DiagnosticSeverity
DIAGNOSTIC_SEVERITY_ERROR: DiagnosticSeverity
DIAGNOSTIC_SEVERITY_WARNING: DiagnosticSeverity
DIAGNOSTIC_SEVERITY_INFORMATION: DiagnosticSeverity

class FileChange(_message.Message):
    __slots__ = ("action", "path", "from_path", "hunks", "added_lines", "removed_lines", "note")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    FROM_PATH_FIELD_NUMBER: _ClassVar[int]
    HUNKS_FIELD_NUMBER: _ClassVar[int]
    ADDED_LINES_FIELD_NUMBER: _ClassVar[int]
    REMOVED_LINES_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    action: FileChangeAction
    path: str
    from_path: str
    hunks: int
    added_lines: int
    removed_lines: int
    note: str
    def __init__(self, action: _Optional[_Union[FileChangeAction, str]] = ..., path: _Optional[str] = ..., from_path: _Optional[str] = ..., hunks: _Optional[int] = ..., added_lines: _Optional[int] = ..., removed_lines: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...

class FileDiagnostic(_message.Message):
    __slots__ = ("path", "line", "kind", "severity", "message")
    PATH_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    path: str
    line: int
    kind: str
    severity: DiagnosticSeverity
    message: str
    def __init__(self, path: _Optional[str] = ..., line: _Optional[int] = ..., kind: _Optional[str] = ..., severity: _Optional[_Union[DiagnosticSeverity, str]] = ..., message: _Optional[str] = ...) -> None: ...

class IgnoredMetadata(_message.Message):
    __slots__ = ("path", "kind", "value")
    PATH_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    path: str
    kind: str
    value: str
    def __init__(self, path: _Optional[str] = ..., kind: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class FileMutationOutput(_message.Message):
    __slots__ = ("changes", "diff", "diagnostics", "ignored_metadata")
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    IGNORED_METADATA_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[FileChange]
    diff: _payload_pb2.Payload
    diagnostics: _containers.RepeatedCompositeFieldContainer[FileDiagnostic]
    ignored_metadata: _containers.RepeatedCompositeFieldContainer[IgnoredMetadata]
    def __init__(self, changes: _Optional[_Iterable[_Union[FileChange, _Mapping]]] = ..., diff: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., diagnostics: _Optional[_Iterable[_Union[FileDiagnostic, _Mapping]]] = ..., ignored_metadata: _Optional[_Iterable[_Union[IgnoredMetadata, _Mapping]]] = ...) -> None: ...

class FileMutationResult(_message.Message):
    __slots__ = ("changes_unknown", "diff_unreadable", "changes", "changes_total", "changes_truncated", "changes_artifact", "digest", "diagnostics", "diagnostics_total", "diagnostics_truncated", "diagnostics_artifact", "ignored_metadata", "ignored_metadata_total", "ignored_metadata_truncated", "ignored_metadata_artifact", "diff_preview", "diff_truncated", "diff_artifact", "diff_cuts", "diff_source", "artifacts", "compaction_level", "superseded")
    CHANGES_UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    DIFF_UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    CHANGES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CHANGES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CHANGES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    IGNORED_METADATA_FIELD_NUMBER: _ClassVar[int]
    IGNORED_METADATA_TOTAL_FIELD_NUMBER: _ClassVar[int]
    IGNORED_METADATA_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    IGNORED_METADATA_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    DIFF_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    DIFF_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    DIFF_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    DIFF_CUTS_FIELD_NUMBER: _ClassVar[int]
    DIFF_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    changes_unknown: bool
    diff_unreadable: bool
    changes: _containers.RepeatedCompositeFieldContainer[FileChange]
    changes_total: int
    changes_truncated: bool
    changes_artifact: int
    digest: str
    diagnostics: _containers.RepeatedCompositeFieldContainer[FileDiagnostic]
    diagnostics_total: int
    diagnostics_truncated: bool
    diagnostics_artifact: int
    ignored_metadata: _containers.RepeatedCompositeFieldContainer[IgnoredMetadata]
    ignored_metadata_total: int
    ignored_metadata_truncated: bool
    ignored_metadata_artifact: int
    diff_preview: str
    diff_truncated: bool
    diff_artifact: int
    diff_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    diff_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, changes_unknown: bool = ..., diff_unreadable: bool = ..., changes: _Optional[_Iterable[_Union[FileChange, _Mapping]]] = ..., changes_total: _Optional[int] = ..., changes_truncated: bool = ..., changes_artifact: _Optional[int] = ..., digest: _Optional[str] = ..., diagnostics: _Optional[_Iterable[_Union[FileDiagnostic, _Mapping]]] = ..., diagnostics_total: _Optional[int] = ..., diagnostics_truncated: bool = ..., diagnostics_artifact: _Optional[int] = ..., ignored_metadata: _Optional[_Iterable[_Union[IgnoredMetadata, _Mapping]]] = ..., ignored_metadata_total: _Optional[int] = ..., ignored_metadata_truncated: bool = ..., ignored_metadata_artifact: _Optional[int] = ..., diff_preview: _Optional[str] = ..., diff_truncated: bool = ..., diff_artifact: _Optional[int] = ..., diff_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., diff_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...
