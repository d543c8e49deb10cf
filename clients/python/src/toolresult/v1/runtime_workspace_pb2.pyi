from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WorkspaceProjection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKSPACE_PROJECTION_UNSPECIFIED: _ClassVar[WorkspaceProjection]
    WORKSPACE_PROJECTION_CANONICAL_ROOT: _ClassVar[WorkspaceProjection]
    WORKSPACE_PROJECTION_GIT_WORKTREE: _ClassVar[WorkspaceProjection]

class WorkspaceAccess(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKSPACE_ACCESS_UNSPECIFIED: _ClassVar[WorkspaceAccess]
    WORKSPACE_ACCESS_SHARED_READ: _ClassVar[WorkspaceAccess]
    WORKSPACE_ACCESS_EXCLUSIVE_WRITE: _ClassVar[WorkspaceAccess]

class WorkspaceAttachDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKSPACE_ATTACH_DISPOSITION_UNSPECIFIED: _ClassVar[WorkspaceAttachDisposition]
    WORKSPACE_ATTACH_DISPOSITION_ATTACHED: _ClassVar[WorkspaceAttachDisposition]
    WORKSPACE_ATTACH_DISPOSITION_ALREADY_ATTACHED: _ClassVar[WorkspaceAttachDisposition]

class WorkspaceDetachDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKSPACE_DETACH_DISPOSITION_UNSPECIFIED: _ClassVar[WorkspaceDetachDisposition]
    WORKSPACE_DETACH_DISPOSITION_DETACHED: _ClassVar[WorkspaceDetachDisposition]
    WORKSPACE_DETACH_DISPOSITION_NOT_ATTACHED: _ClassVar[WorkspaceDetachDisposition]

class WorkspaceSwitchDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKSPACE_SWITCH_DISPOSITION_UNSPECIFIED: _ClassVar[WorkspaceSwitchDisposition]
    WORKSPACE_SWITCH_DISPOSITION_SWITCHED: _ClassVar[WorkspaceSwitchDisposition]
    WORKSPACE_SWITCH_DISPOSITION_ALREADY_ACTIVE: _ClassVar[WorkspaceSwitchDisposition]

class WorkspaceStanding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKSPACE_STANDING_UNSPECIFIED: _ClassVar[WorkspaceStanding]
    WORKSPACE_STANDING_ACTIVE: _ClassVar[WorkspaceStanding]
    WORKSPACE_STANDING_ATTACHED: _ClassVar[WorkspaceStanding]
    WORKSPACE_STANDING_NOT_ATTACHED: _ClassVar[WorkspaceStanding]

class WorktreeCreateDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKTREE_CREATE_DISPOSITION_UNSPECIFIED: _ClassVar[WorktreeCreateDisposition]
    WORKTREE_CREATE_DISPOSITION_CREATED: _ClassVar[WorktreeCreateDisposition]
    WORKTREE_CREATE_DISPOSITION_REUSED: _ClassVar[WorktreeCreateDisposition]
    WORKTREE_CREATE_DISPOSITION_CONFLICT: _ClassVar[WorktreeCreateDisposition]
    WORKTREE_CREATE_DISPOSITION_AMBIGUOUS: _ClassVar[WorktreeCreateDisposition]

class WorktreeBase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKTREE_BASE_UNSPECIFIED: _ClassVar[WorktreeBase]
    WORKTREE_BASE_APPLIED: _ClassVar[WorktreeBase]
    WORKTREE_BASE_NOT_APPLIED: _ClassVar[WorktreeBase]

class WorktreeRemoveDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKTREE_REMOVE_DISPOSITION_UNSPECIFIED: _ClassVar[WorktreeRemoveDisposition]
    WORKTREE_REMOVE_DISPOSITION_REMOVED: _ClassVar[WorktreeRemoveDisposition]
    WORKTREE_REMOVE_DISPOSITION_ALREADY_REMOVED: _ClassVar[WorktreeRemoveDisposition]
    WORKTREE_REMOVE_DISPOSITION_HAS_CHANGES: _ClassVar[WorktreeRemoveDisposition]
    WORKTREE_REMOVE_DISPOSITION_FAILED: _ClassVar[WorktreeRemoveDisposition]

class WorktreeBranchDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKTREE_BRANCH_DISPOSITION_UNSPECIFIED: _ClassVar[WorktreeBranchDisposition]
    WORKTREE_BRANCH_DISPOSITION_DELETED: _ClassVar[WorktreeBranchDisposition]
    WORKTREE_BRANCH_DISPOSITION_KEPT: _ClassVar[WorktreeBranchDisposition]
WORKSPACE_PROJECTION_UNSPECIFIED: WorkspaceProjection
WORKSPACE_PROJECTION_CANONICAL_ROOT: WorkspaceProjection
WORKSPACE_PROJECTION_GIT_WORKTREE: WorkspaceProjection
WORKSPACE_ACCESS_UNSPECIFIED: WorkspaceAccess
WORKSPACE_ACCESS_SHARED_READ: WorkspaceAccess
WORKSPACE_ACCESS_EXCLUSIVE_WRITE: WorkspaceAccess
WORKSPACE_ATTACH_DISPOSITION_UNSPECIFIED: WorkspaceAttachDisposition
WORKSPACE_ATTACH_DISPOSITION_ATTACHED: WorkspaceAttachDisposition
WORKSPACE_ATTACH_DISPOSITION_ALREADY_ATTACHED: WorkspaceAttachDisposition
WORKSPACE_DETACH_DISPOSITION_UNSPECIFIED: WorkspaceDetachDisposition
WORKSPACE_DETACH_DISPOSITION_DETACHED: WorkspaceDetachDisposition
WORKSPACE_DETACH_DISPOSITION_NOT_ATTACHED: WorkspaceDetachDisposition
WORKSPACE_SWITCH_DISPOSITION_UNSPECIFIED: WorkspaceSwitchDisposition
WORKSPACE_SWITCH_DISPOSITION_SWITCHED: WorkspaceSwitchDisposition
WORKSPACE_SWITCH_DISPOSITION_ALREADY_ACTIVE: WorkspaceSwitchDisposition
WORKSPACE_STANDING_UNSPECIFIED: WorkspaceStanding
WORKSPACE_STANDING_ACTIVE: WorkspaceStanding
WORKSPACE_STANDING_ATTACHED: WorkspaceStanding
WORKSPACE_STANDING_NOT_ATTACHED: WorkspaceStanding
WORKTREE_CREATE_DISPOSITION_UNSPECIFIED: WorktreeCreateDisposition
WORKTREE_CREATE_DISPOSITION_CREATED: WorktreeCreateDisposition
WORKTREE_CREATE_DISPOSITION_REUSED: WorktreeCreateDisposition
WORKTREE_CREATE_DISPOSITION_CONFLICT: WorktreeCreateDisposition
WORKTREE_CREATE_DISPOSITION_AMBIGUOUS: WorktreeCreateDisposition
WORKTREE_BASE_UNSPECIFIED: WorktreeBase
WORKTREE_BASE_APPLIED: WorktreeBase
WORKTREE_BASE_NOT_APPLIED: WorktreeBase
WORKTREE_REMOVE_DISPOSITION_UNSPECIFIED: WorktreeRemoveDisposition
WORKTREE_REMOVE_DISPOSITION_REMOVED: WorktreeRemoveDisposition
WORKTREE_REMOVE_DISPOSITION_ALREADY_REMOVED: WorktreeRemoveDisposition
WORKTREE_REMOVE_DISPOSITION_HAS_CHANGES: WorktreeRemoveDisposition
WORKTREE_REMOVE_DISPOSITION_FAILED: WorktreeRemoveDisposition
WORKTREE_BRANCH_DISPOSITION_UNSPECIFIED: WorktreeBranchDisposition
WORKTREE_BRANCH_DISPOSITION_DELETED: WorktreeBranchDisposition
WORKTREE_BRANCH_DISPOSITION_KEPT: WorktreeBranchDisposition

class ActiveWorkspace(_message.Message):
    __slots__ = ("workspace_id", "workspace_anchor", "execution_root", "execution_root_id", "cwd", "projection_kind", "access_mode")
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    CWD_FIELD_NUMBER: _ClassVar[int]
    PROJECTION_KIND_FIELD_NUMBER: _ClassVar[int]
    ACCESS_MODE_FIELD_NUMBER: _ClassVar[int]
    workspace_id: str
    workspace_anchor: str
    execution_root: str
    execution_root_id: str
    cwd: str
    projection_kind: WorkspaceProjection
    access_mode: WorkspaceAccess
    def __init__(self, workspace_id: _Optional[str] = ..., workspace_anchor: _Optional[str] = ..., execution_root: _Optional[str] = ..., execution_root_id: _Optional[str] = ..., cwd: _Optional[str] = ..., projection_kind: _Optional[_Union[WorkspaceProjection, str]] = ..., access_mode: _Optional[_Union[WorkspaceAccess, str]] = ...) -> None: ...

class WorkspaceAttachOutput(_message.Message):
    __slots__ = ("disposition", "workspace_id", "workspace_anchor", "active_unchanged", "discovered_projection_kind", "discovered_execution_root")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    DISCOVERED_PROJECTION_KIND_FIELD_NUMBER: _ClassVar[int]
    DISCOVERED_EXECUTION_ROOT_FIELD_NUMBER: _ClassVar[int]
    disposition: WorkspaceAttachDisposition
    workspace_id: str
    workspace_anchor: str
    active_unchanged: bool
    discovered_projection_kind: WorkspaceProjection
    discovered_execution_root: str
    def __init__(self, disposition: _Optional[_Union[WorkspaceAttachDisposition, str]] = ..., workspace_id: _Optional[str] = ..., workspace_anchor: _Optional[str] = ..., active_unchanged: bool = ..., discovered_projection_kind: _Optional[_Union[WorkspaceProjection, str]] = ..., discovered_execution_root: _Optional[str] = ...) -> None: ...

class WorkspaceAttachResult(_message.Message):
    __slots__ = ("disposition", "workspace_id", "workspace_anchor", "active_unchanged", "discovered_projection_kind", "discovered_execution_root")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    DISCOVERED_PROJECTION_KIND_FIELD_NUMBER: _ClassVar[int]
    DISCOVERED_EXECUTION_ROOT_FIELD_NUMBER: _ClassVar[int]
    disposition: WorkspaceAttachDisposition
    workspace_id: str
    workspace_anchor: str
    active_unchanged: bool
    discovered_projection_kind: WorkspaceProjection
    discovered_execution_root: str
    def __init__(self, disposition: _Optional[_Union[WorkspaceAttachDisposition, str]] = ..., workspace_id: _Optional[str] = ..., workspace_anchor: _Optional[str] = ..., active_unchanged: bool = ..., discovered_projection_kind: _Optional[_Union[WorkspaceProjection, str]] = ..., discovered_execution_root: _Optional[str] = ...) -> None: ...

class WorkspaceDetachOutput(_message.Message):
    __slots__ = ("disposition", "workspace_id", "switched_to_agent_home", "retained_execution_roots")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    SWITCHED_TO_AGENT_HOME_FIELD_NUMBER: _ClassVar[int]
    RETAINED_EXECUTION_ROOTS_FIELD_NUMBER: _ClassVar[int]
    disposition: WorkspaceDetachDisposition
    workspace_id: str
    switched_to_agent_home: bool
    retained_execution_roots: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, disposition: _Optional[_Union[WorkspaceDetachDisposition, str]] = ..., workspace_id: _Optional[str] = ..., switched_to_agent_home: bool = ..., retained_execution_roots: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkspaceDetachResult(_message.Message):
    __slots__ = ("disposition", "workspace_id", "switched_to_agent_home", "retained_execution_roots")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    SWITCHED_TO_AGENT_HOME_FIELD_NUMBER: _ClassVar[int]
    RETAINED_EXECUTION_ROOTS_FIELD_NUMBER: _ClassVar[int]
    disposition: WorkspaceDetachDisposition
    workspace_id: str
    switched_to_agent_home: bool
    retained_execution_roots: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, disposition: _Optional[_Union[WorkspaceDetachDisposition, str]] = ..., workspace_id: _Optional[str] = ..., switched_to_agent_home: bool = ..., retained_execution_roots: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkspaceSwitchOutput(_message.Message):
    __slots__ = ("disposition", "active", "mode")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    disposition: WorkspaceSwitchDisposition
    active: ActiveWorkspace
    mode: str
    def __init__(self, disposition: _Optional[_Union[WorkspaceSwitchDisposition, str]] = ..., active: _Optional[_Union[ActiveWorkspace, _Mapping]] = ..., mode: _Optional[str] = ...) -> None: ...

class WorkspaceSwitchResult(_message.Message):
    __slots__ = ("disposition", "active", "mode")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    disposition: WorkspaceSwitchDisposition
    active: ActiveWorkspace
    mode: str
    def __init__(self, disposition: _Optional[_Union[WorkspaceSwitchDisposition, str]] = ..., active: _Optional[_Union[ActiveWorkspace, _Mapping]] = ..., mode: _Optional[str] = ...) -> None: ...

class Workspace(_message.Message):
    __slots__ = ("workspace_id", "standing", "workspace_anchor", "title")
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    workspace_id: str
    standing: WorkspaceStanding
    workspace_anchor: str
    title: str
    def __init__(self, workspace_id: _Optional[str] = ..., standing: _Optional[_Union[WorkspaceStanding, str]] = ..., workspace_anchor: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class ExecutionRoot(_message.Message):
    __slots__ = ("execution_root_id", "workspace_id", "projection_kind", "path", "branch", "active")
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECTION_KIND_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    execution_root_id: str
    workspace_id: str
    projection_kind: WorkspaceProjection
    path: str
    branch: str
    active: bool
    def __init__(self, execution_root_id: _Optional[str] = ..., workspace_id: _Optional[str] = ..., projection_kind: _Optional[_Union[WorkspaceProjection, str]] = ..., path: _Optional[str] = ..., branch: _Optional[str] = ..., active: bool = ...) -> None: ...

class WorkspaceOccupancy(_message.Message):
    __slots__ = ("execution_root_id", "agent_id", "access_mode", "work_item_id", "acquired_at")
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCESS_MODE_FIELD_NUMBER: _ClassVar[int]
    WORK_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    ACQUIRED_AT_FIELD_NUMBER: _ClassVar[int]
    execution_root_id: str
    agent_id: str
    access_mode: WorkspaceAccess
    work_item_id: str
    acquired_at: str
    def __init__(self, execution_root_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., access_mode: _Optional[_Union[WorkspaceAccess, str]] = ..., work_item_id: _Optional[str] = ..., acquired_at: _Optional[str] = ...) -> None: ...

class WorkspaceStateOutput(_message.Message):
    __slots__ = ("agent_id", "active", "workspaces", "execution_roots", "occupancies")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    WORKSPACES_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOTS_FIELD_NUMBER: _ClassVar[int]
    OCCUPANCIES_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    active: ActiveWorkspace
    workspaces: _containers.RepeatedCompositeFieldContainer[Workspace]
    execution_roots: _containers.RepeatedCompositeFieldContainer[ExecutionRoot]
    occupancies: _containers.RepeatedCompositeFieldContainer[WorkspaceOccupancy]
    def __init__(self, agent_id: _Optional[str] = ..., active: _Optional[_Union[ActiveWorkspace, _Mapping]] = ..., workspaces: _Optional[_Iterable[_Union[Workspace, _Mapping]]] = ..., execution_roots: _Optional[_Iterable[_Union[ExecutionRoot, _Mapping]]] = ..., occupancies: _Optional[_Iterable[_Union[WorkspaceOccupancy, _Mapping]]] = ...) -> None: ...

class WorkspaceStateResult(_message.Message):
    __slots__ = ("agent_id", "active", "workspaces", "workspaces_total", "workspaces_truncated", "workspaces_artifact", "execution_roots", "execution_roots_total", "execution_roots_truncated", "execution_roots_artifact", "occupancies", "occupancies_total", "occupancies_truncated", "occupancies_artifact", "artifacts", "compaction_level", "superseded")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    WORKSPACES_FIELD_NUMBER: _ClassVar[int]
    WORKSPACES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    WORKSPACES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    WORKSPACES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOTS_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    OCCUPANCIES_FIELD_NUMBER: _ClassVar[int]
    OCCUPANCIES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    OCCUPANCIES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OCCUPANCIES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    active: ActiveWorkspace
    workspaces: _containers.RepeatedCompositeFieldContainer[Workspace]
    workspaces_total: int
    workspaces_truncated: bool
    workspaces_artifact: int
    execution_roots: _containers.RepeatedCompositeFieldContainer[ExecutionRoot]
    execution_roots_total: int
    execution_roots_truncated: bool
    execution_roots_artifact: int
    occupancies: _containers.RepeatedCompositeFieldContainer[WorkspaceOccupancy]
    occupancies_total: int
    occupancies_truncated: bool
    occupancies_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, agent_id: _Optional[str] = ..., active: _Optional[_Union[ActiveWorkspace, _Mapping]] = ..., workspaces: _Optional[_Iterable[_Union[Workspace, _Mapping]]] = ..., workspaces_total: _Optional[int] = ..., workspaces_truncated: bool = ..., workspaces_artifact: _Optional[int] = ..., execution_roots: _Optional[_Iterable[_Union[ExecutionRoot, _Mapping]]] = ..., execution_roots_total: _Optional[int] = ..., execution_roots_truncated: bool = ..., execution_roots_artifact: _Optional[int] = ..., occupancies: _Optional[_Iterable[_Union[WorkspaceOccupancy, _Mapping]]] = ..., occupancies_total: _Optional[int] = ..., occupancies_truncated: bool = ..., occupancies_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class WorktreeConflict(_message.Message):
    __slots__ = ("kind", "message", "execution_root_id", "path")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    kind: str
    message: str
    execution_root_id: str
    path: str
    def __init__(self, kind: _Optional[str] = ..., message: _Optional[str] = ..., execution_root_id: _Optional[str] = ..., path: _Optional[str] = ...) -> None: ...

class WorktreeCreateOutput(_message.Message):
    __slots__ = ("disposition", "activated", "worktree_path", "execution_root_id", "branch", "branch_ref", "branch_tip", "requested_base_ref", "base", "resolved_base_commit", "activation_error", "conflict", "candidates")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    ACTIVATED_FIELD_NUMBER: _ClassVar[int]
    WORKTREE_PATH_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    BRANCH_REF_FIELD_NUMBER: _ClassVar[int]
    BRANCH_TIP_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BASE_REF_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_BASE_COMMIT_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_ERROR_FIELD_NUMBER: _ClassVar[int]
    CONFLICT_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    disposition: WorktreeCreateDisposition
    activated: bool
    worktree_path: str
    execution_root_id: str
    branch: str
    branch_ref: str
    branch_tip: str
    requested_base_ref: str
    base: WorktreeBase
    resolved_base_commit: str
    activation_error: str
    conflict: WorktreeConflict
    candidates: _containers.RepeatedCompositeFieldContainer[ExecutionRoot]
    def __init__(self, disposition: _Optional[_Union[WorktreeCreateDisposition, str]] = ..., activated: bool = ..., worktree_path: _Optional[str] = ..., execution_root_id: _Optional[str] = ..., branch: _Optional[str] = ..., branch_ref: _Optional[str] = ..., branch_tip: _Optional[str] = ..., requested_base_ref: _Optional[str] = ..., base: _Optional[_Union[WorktreeBase, str]] = ..., resolved_base_commit: _Optional[str] = ..., activation_error: _Optional[str] = ..., conflict: _Optional[_Union[WorktreeConflict, _Mapping]] = ..., candidates: _Optional[_Iterable[_Union[ExecutionRoot, _Mapping]]] = ...) -> None: ...

class WorktreeCreateResult(_message.Message):
    __slots__ = ("disposition", "activated", "worktree_path", "execution_root_id", "branch", "branch_ref", "branch_tip", "requested_base_ref", "base", "resolved_base_commit", "activation_error", "conflict", "candidates", "candidates_total", "candidates_truncated", "candidates_artifact", "artifacts")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    ACTIVATED_FIELD_NUMBER: _ClassVar[int]
    WORKTREE_PATH_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    BRANCH_REF_FIELD_NUMBER: _ClassVar[int]
    BRANCH_TIP_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BASE_REF_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_BASE_COMMIT_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_ERROR_FIELD_NUMBER: _ClassVar[int]
    CONFLICT_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    disposition: WorktreeCreateDisposition
    activated: bool
    worktree_path: str
    execution_root_id: str
    branch: str
    branch_ref: str
    branch_tip: str
    requested_base_ref: str
    base: WorktreeBase
    resolved_base_commit: str
    activation_error: str
    conflict: WorktreeConflict
    candidates: _containers.RepeatedCompositeFieldContainer[ExecutionRoot]
    candidates_total: int
    candidates_truncated: bool
    candidates_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    def __init__(self, disposition: _Optional[_Union[WorktreeCreateDisposition, str]] = ..., activated: bool = ..., worktree_path: _Optional[str] = ..., execution_root_id: _Optional[str] = ..., branch: _Optional[str] = ..., branch_ref: _Optional[str] = ..., branch_tip: _Optional[str] = ..., requested_base_ref: _Optional[str] = ..., base: _Optional[_Union[WorktreeBase, str]] = ..., resolved_base_commit: _Optional[str] = ..., activation_error: _Optional[str] = ..., conflict: _Optional[_Union[WorktreeConflict, _Mapping]] = ..., candidates: _Optional[_Iterable[_Union[ExecutionRoot, _Mapping]]] = ..., candidates_total: _Optional[int] = ..., candidates_truncated: bool = ..., candidates_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ...) -> None: ...

class WorktreeRemoveOutput(_message.Message):
    __slots__ = ("disposition", "execution_root_id", "switched", "execution_root", "branch", "branch_disposition", "branch_tip", "changed_files", "error")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    SWITCHED_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    BRANCH_DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    BRANCH_TIP_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FILES_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    disposition: WorktreeRemoveDisposition
    execution_root_id: str
    switched: bool
    execution_root: str
    branch: str
    branch_disposition: WorktreeBranchDisposition
    branch_tip: str
    changed_files: _containers.RepeatedScalarFieldContainer[str]
    error: str
    def __init__(self, disposition: _Optional[_Union[WorktreeRemoveDisposition, str]] = ..., execution_root_id: _Optional[str] = ..., switched: bool = ..., execution_root: _Optional[str] = ..., branch: _Optional[str] = ..., branch_disposition: _Optional[_Union[WorktreeBranchDisposition, str]] = ..., branch_tip: _Optional[str] = ..., changed_files: _Optional[_Iterable[str]] = ..., error: _Optional[str] = ...) -> None: ...

class WorktreeRemoveResult(_message.Message):
    __slots__ = ("disposition", "execution_root_id", "switched", "execution_root", "branch", "branch_disposition", "branch_tip", "error", "changed_files", "changed_files_total", "changed_files_truncated", "changed_files_artifact", "artifacts", "compaction_level", "superseded")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    SWITCHED_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ROOT_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    BRANCH_DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    BRANCH_TIP_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FILES_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FILES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FILES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FILES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    disposition: WorktreeRemoveDisposition
    execution_root_id: str
    switched: bool
    execution_root: str
    branch: str
    branch_disposition: WorktreeBranchDisposition
    branch_tip: str
    error: str
    changed_files: _containers.RepeatedScalarFieldContainer[str]
    changed_files_total: int
    changed_files_truncated: bool
    changed_files_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, disposition: _Optional[_Union[WorktreeRemoveDisposition, str]] = ..., execution_root_id: _Optional[str] = ..., switched: bool = ..., execution_root: _Optional[str] = ..., branch: _Optional[str] = ..., branch_disposition: _Optional[_Union[WorktreeBranchDisposition, str]] = ..., branch_tip: _Optional[str] = ..., error: _Optional[str] = ..., changed_files: _Optional[_Iterable[str]] = ..., changed_files_total: _Optional[int] = ..., changed_files_truncated: bool = ..., changed_files_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...
