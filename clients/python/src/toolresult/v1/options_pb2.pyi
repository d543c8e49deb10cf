from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class Retention(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETENTION_UNSPECIFIED: _ClassVar[Retention]
    RETENTION_KEEP: _ClassVar[Retention]
    RETENTION_TRIM: _ClassVar[Retention]
    RETENTION_DROP: _ClassVar[Retention]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_FACT: _ClassVar[Role]
    ROLE_HANDLE: _ClassVar[Role]
    ROLE_LARGE_TEXT: _ClassVar[Role]
    ROLE_LIST: _ClassVar[Role]
RETENTION_UNSPECIFIED: Retention
RETENTION_KEEP: Retention
RETENTION_TRIM: Retention
RETENTION_DROP: Retention
ROLE_UNSPECIFIED: Role
ROLE_FACT: Role
ROLE_HANDLE: Role
ROLE_LARGE_TEXT: Role
ROLE_LIST: Role
RETENTION_FIELD_NUMBER: _ClassVar[int]
retention: _descriptor.FieldDescriptor
NULL_BESIDE_FIELD_NUMBER: _ClassVar[int]
null_beside: _descriptor.FieldDescriptor
ROLE_FIELD_NUMBER: _ClassVar[int]
role: _descriptor.FieldDescriptor
LABEL_FIELD_NUMBER: _ClassVar[int]
label: _descriptor.FieldDescriptor
REQUIRED_FIELD_NUMBER: _ClassVar[int]
required: _descriptor.FieldDescriptor
MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
max_bytes: _descriptor.FieldDescriptor
MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
max_items: _descriptor.FieldDescriptor
MEANS_FAILURE_FIELD_NUMBER: _ClassVar[int]
means_failure: _descriptor.FieldDescriptor
MEANS_UNCERTAIN_FIELD_NUMBER: _ClassVar[int]
means_uncertain: _descriptor.FieldDescriptor
OUTCOME_FIELD_NUMBER: _ClassVar[int]
outcome: _descriptor.FieldDescriptor
LINE_FIELD_NUMBER: _ClassVar[int]
line: _descriptor.FieldDescriptor
COMPLETE_FIELD_NUMBER: _ClassVar[int]
complete: _descriptor.FieldDescriptor
DEFAULT_TOKENS_FIELD_NUMBER: _ClassVar[int]
default_tokens: _descriptor.FieldDescriptor
SUBJECT_FIELD_NUMBER: _ClassVar[int]
subject: _descriptor.FieldDescriptor
READS_FIELD_NUMBER: _ClassVar[int]
reads: _descriptor.FieldDescriptor
CHANGES_FIELD_NUMBER: _ClassVar[int]
changes: _descriptor.FieldDescriptor
WORDS_FIELD_NUMBER: _ClassVar[int]
words: _descriptor.FieldDescriptor
MEANS_NO_FAILURE_FIELD_NUMBER: _ClassVar[int]
means_no_failure: _descriptor.FieldDescriptor
UNCHANGED_PATH_FIELD_NUMBER: _ClassVar[int]
unchanged_path: _descriptor.FieldDescriptor
HINT_FIELD_NUMBER: _ClassVar[int]
hint: _descriptor.FieldDescriptor
