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

class WebTextForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WEB_TEXT_FORM_UNSPECIFIED: _ClassVar[WebTextForm]
    WEB_TEXT_FORM_AS_RECEIVED: _ClassVar[WebTextForm]
    WEB_TEXT_FORM_DECODED: _ClassVar[WebTextForm]
    WEB_TEXT_FORM_MARKDOWN: _ClassVar[WebTextForm]
    WEB_TEXT_FORM_PLAIN: _ClassVar[WebTextForm]
WEB_TEXT_FORM_UNSPECIFIED: WebTextForm
WEB_TEXT_FORM_AS_RECEIVED: WebTextForm
WEB_TEXT_FORM_DECODED: WebTextForm
WEB_TEXT_FORM_MARKDOWN: WebTextForm
WEB_TEXT_FORM_PLAIN: WebTextForm

class WebFetchOutput(_message.Message):
    __slots__ = ("url", "final_url", "status", "content_type", "charset", "fetched_at", "redirects", "body")
    URL_FIELD_NUMBER: _ClassVar[int]
    FINAL_URL_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    CHARSET_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_FIELD_NUMBER: _ClassVar[int]
    REDIRECTS_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    url: str
    final_url: str
    status: int
    content_type: str
    charset: str
    fetched_at: str
    redirects: int
    body: _payload_pb2.Payload
    def __init__(self, url: _Optional[str] = ..., final_url: _Optional[str] = ..., status: _Optional[int] = ..., content_type: _Optional[str] = ..., charset: _Optional[str] = ..., fetched_at: _Optional[str] = ..., redirects: _Optional[int] = ..., body: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ...) -> None: ...

class WebFetchResult(_message.Message):
    __slots__ = ("url", "final_url", "status", "content_type", "media_type", "charset", "fetched_at", "redirects", "title", "bytes_read", "digest", "body_loss", "body_incomplete", "text_form", "body_artifact", "text_preview", "text_truncated", "text_artifact", "text_cuts", "text_source", "artifacts", "compaction_level", "superseded")
    URL_FIELD_NUMBER: _ClassVar[int]
    FINAL_URL_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    CHARSET_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_FIELD_NUMBER: _ClassVar[int]
    REDIRECTS_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    BYTES_READ_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    BODY_LOSS_FIELD_NUMBER: _ClassVar[int]
    BODY_INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FORM_FIELD_NUMBER: _ClassVar[int]
    BODY_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TEXT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TEXT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TEXT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TEXT_CUTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    url: str
    final_url: str
    status: int
    content_type: str
    media_type: str
    charset: str
    fetched_at: str
    redirects: int
    title: str
    bytes_read: int
    digest: str
    body_loss: _payload_pb2.SourceLoss
    body_incomplete: bool
    text_form: WebTextForm
    body_artifact: int
    text_preview: str
    text_truncated: bool
    text_artifact: int
    text_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    text_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, url: _Optional[str] = ..., final_url: _Optional[str] = ..., status: _Optional[int] = ..., content_type: _Optional[str] = ..., media_type: _Optional[str] = ..., charset: _Optional[str] = ..., fetched_at: _Optional[str] = ..., redirects: _Optional[int] = ..., title: _Optional[str] = ..., bytes_read: _Optional[int] = ..., digest: _Optional[str] = ..., body_loss: _Optional[_Union[_payload_pb2.SourceLoss, _Mapping]] = ..., body_incomplete: bool = ..., text_form: _Optional[_Union[WebTextForm, str]] = ..., body_artifact: _Optional[int] = ..., text_preview: _Optional[str] = ..., text_truncated: bool = ..., text_artifact: _Optional[int] = ..., text_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., text_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class WebSearchHit(_message.Message):
    __slots__ = ("title", "url", "snippet", "source", "published_at")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    title: str
    url: str
    snippet: str
    source: str
    published_at: str
    def __init__(self, title: _Optional[str] = ..., url: _Optional[str] = ..., snippet: _Optional[str] = ..., source: _Optional[str] = ..., published_at: _Optional[str] = ...) -> None: ...

class WebCitation(_message.Message):
    __slots__ = ("title", "url")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    title: str
    url: str
    def __init__(self, title: _Optional[str] = ..., url: _Optional[str] = ...) -> None: ...

class WebSearchFailure(_message.Message):
    __slots__ = ("provider", "error_kind", "error_message")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    ERROR_KIND_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    provider: str
    error_kind: str
    error_message: str
    def __init__(self, provider: _Optional[str] = ..., error_kind: _Optional[str] = ..., error_message: _Optional[str] = ...) -> None: ...

class WebSearchOutput(_message.Message):
    __slots__ = ("query", "provider", "mode", "fetched_at", "failed_attempts", "results", "citations")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    query: str
    provider: str
    mode: str
    fetched_at: str
    failed_attempts: _containers.RepeatedCompositeFieldContainer[WebSearchFailure]
    results: _containers.RepeatedCompositeFieldContainer[WebSearchHit]
    citations: _containers.RepeatedCompositeFieldContainer[WebCitation]
    def __init__(self, query: _Optional[str] = ..., provider: _Optional[str] = ..., mode: _Optional[str] = ..., fetched_at: _Optional[str] = ..., failed_attempts: _Optional[_Iterable[_Union[WebSearchFailure, _Mapping]]] = ..., results: _Optional[_Iterable[_Union[WebSearchHit, _Mapping]]] = ..., citations: _Optional[_Iterable[_Union[WebCitation, _Mapping]]] = ...) -> None: ...

class WebSearchResult(_message.Message):
    __slots__ = ("query", "provider", "mode", "fetched_at", "failed_attempts", "results", "results_total", "results_truncated", "results_artifact", "citations", "citations_total", "citations_truncated", "citations_artifact", "artifacts", "compaction_level", "superseded", "failed_attempts_total", "failed_attempts_truncated", "failed_attempts_artifact")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    RESULTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    RESULTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    query: str
    provider: str
    mode: str
    fetched_at: str
    failed_attempts: _containers.RepeatedCompositeFieldContainer[WebSearchFailure]
    results: _containers.RepeatedCompositeFieldContainer[WebSearchHit]
    results_total: int
    results_truncated: bool
    results_artifact: int
    citations: _containers.RepeatedCompositeFieldContainer[WebCitation]
    citations_total: int
    citations_truncated: bool
    citations_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    failed_attempts_total: int
    failed_attempts_truncated: bool
    failed_attempts_artifact: int
    def __init__(self, query: _Optional[str] = ..., provider: _Optional[str] = ..., mode: _Optional[str] = ..., fetched_at: _Optional[str] = ..., failed_attempts: _Optional[_Iterable[_Union[WebSearchFailure, _Mapping]]] = ..., results: _Optional[_Iterable[_Union[WebSearchHit, _Mapping]]] = ..., results_total: _Optional[int] = ..., results_truncated: bool = ..., results_artifact: _Optional[int] = ..., citations: _Optional[_Iterable[_Union[WebCitation, _Mapping]]] = ..., citations_total: _Optional[int] = ..., citations_truncated: bool = ..., citations_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., failed_attempts_total: _Optional[int] = ..., failed_attempts_truncated: bool = ..., failed_attempts_artifact: _Optional[int] = ...) -> None: ...
