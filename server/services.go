package server

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/artifactapi"
	"github.com/toolresult/toolresult/server/auditapi"
	"github.com/toolresult/toolresult/server/compaction"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/pipeline"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/server/rpc"
	"github.com/toolresult/toolresult/server/session"
	"github.com/toolresult/toolresult/server/toolapi"
	"github.com/toolresult/toolresult/server/transportapi"
)

// Services are the services of one sidecar, without a transport: who can call a method can do everything that it does.
// Their methods return the errors of the packages below; package rpc makes statuses of these.
type Services struct {
	Results   pb.ToolResultServiceServer
	Audit     pb.AuditServiceServer
	Artifacts pb.ArtifactServiceServer
	Tools     pb.ToolServiceServer
	Access    pb.AccessServiceServer
	Transport pb.TransportServiceServer
}

// Parts are what Services are made of.
type Parts struct {
	Registry     *families.Registry
	Catalog      *catalog.Catalog
	Objects      *objectstore.Store // nil: artifacts are in the directory of the store alone
	Roots        []ingest.Root      // whose files may be payloads
	Durability   pb.StoreDurability
	Secrets      *redaction.Secrets
	Patterns     *redact.Patterns   // of what looks like a secret; nil: off
	Recorder     *recorder.Recorder // nil: no audit log is kept
	Metrics      metrics.Reporter   // nil: nothing is measured
	Sessions     *identity.SessionTokens
	Info         *pb.GetServerInfoResponse
	Budgets      []config.Budget   // of the operator
	Memory       *admission.Memory // that calls may take at once; nil when it is not bounded
	Calls        *rpc.Interceptors // that each call of a session passes; nil: there is no transport
	CallDeadline time.Duration     // of each call of a session; 0: none
	StreamIdle   time.Duration     // that a stream may be without a message
	StreamMemory int               // bytes of a history that a stream keeps in memory; 0: the default, negative: none
	LogSync      time.Duration     // how often live logs are made durable
	Draining     <-chan struct{}   // closed when calls that would last are to end
	MaxAnswer    int               // bytes of a message
	Logger       *slog.Logger
}

// NewServices assembles services.
func NewServices(p Parts) (*Services, error) {
	compact, err := compactor.New(p.Registry.Types(), func(payload []byte) (path, digest string) {
		ref := p.Catalog.RefFor(payload)
		return ref.Path, ref.Digest
	})
	if err != nil {
		return nil, err
	}
	store, policies := measured(p.Catalog, p.Metrics), policy.NewResolver(p.Catalog.Resolve, p.Budgets...)
	project := pipeline.New(pipeline.Options{
		Registry: p.Registry, Policies: policies, Compactor: compact, Store: store, Roots: p.Roots, Durability: p.Durability,
		Secrets: p.Secrets, Patterns: p.Patterns, Recorder: p.Recorder, Metrics: p.Metrics, Memory: p.Memory,
		StreamIdle: p.StreamIdle, Logger: p.Logger,
	})
	return &Services{
		Results: &results{
			Pipeline: project,
			Service: compaction.New(compaction.Options{
				Registry: p.Registry, Policies: policies, Compactor: compact, Store: store, Screen: project.Screen(), Recorder: p.Recorder, Metrics: p.Metrics,
				StreamIdle: p.StreamIdle, Memory: p.Memory, StreamMemory: p.StreamMemory, Forget: project.Forget,
			}),
			sessions: session.New(session.Options{
				Project: project.Project, Calls: p.Calls, Idle: p.StreamIdle, Deadline: p.CallDeadline, Draining: p.Draining,
			}),
			info: p.Info, catalog: p.Catalog, objects: p.Objects,
		},
		Audit: auditapi.New(auditapi.Options{Registry: p.Registry, Policies: policies, Store: p.Catalog, Patterns: p.Patterns, Recorder: p.Recorder}),
		Artifacts: artifactapi.New(artifactapi.Options{
			Catalog: p.Catalog, Metrics: p.Metrics, Idle: p.StreamIdle, LogSync: p.LogSync, Draining: p.Draining,
			Secrets: p.Secrets, Patterns: p.Patterns, Logger: p.Logger,
		}),
		Tools: toolapi.New(toolapi.Options{
			Registry: p.Registry, Policies: policies, Catalog: p.Catalog, Sink: store.SinkFor, Secrets: p.Secrets, Patterns: p.Patterns,
			Recorder: p.Recorder, Metrics: p.Metrics,
		}),
		Access: &accessService{tokens: p.Sessions, secrets: p.Secrets},
		Transport: transportapi.New(transportapi.Options{
			Registry: p.Registry, Policies: policies, Catalog: p.Catalog, Screen: project.Screen(), StreamIdle: p.StreamIdle, MaxAnswer: p.MaxAnswer,
		}),
	}, nil
}

// Register registers all services.
func (s *Services) Register(r grpc.ServiceRegistrar) {
	pb.RegisterToolResultServiceServer(r, s.Results)
	pb.RegisterAuditServiceServer(r, s.Audit)
	pb.RegisterArtifactServiceServer(r, s.Artifacts)
	pb.RegisterToolServiceServer(r, s.Tools)
	pb.RegisterAccessServiceServer(r, s.Access)
	pb.RegisterTransportServiceServer(r, s.Transport)
}

// results is ToolResultService. The compiler sees that it has every method: it embeds no unimplemented ones.
type results struct {
	pb.UnsafeToolResultServiceServer
	*pipeline.Pipeline
	*compaction.Service
	sessions *session.Service
	info     *pb.GetServerInfoResponse
	catalog  *catalog.Catalog
	objects  *objectstore.Store // nil: there is none
}

// ProjectSession serves calls of Project that come in one stream.
func (s *results) ProjectSession(stream grpc.BidiStreamingServer[pb.ProjectSessionRequest, pb.ProjectSessionResponse]) error {
	return s.sessions.ProjectSession(stream)
}

// GetServerInfo says what this server is. A caller that is confined to a session does not learn what all sessions store.
func (s *results) GetServerInfo(ctx context.Context, _ *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
	info := proto.CloneOf(s.info)
	if identity.FromContext(ctx).Session != "" {
		return info, nil
	}
	status := s.catalog.Status()
	info.Store.Artifacts, info.Store.Bytes = uint64(status.Artifacts), uint64(status.Bytes)
	if s.objects != nil {
		o := s.objects.Status()
		info.Store.ObjectStore = &pb.ObjectStoreStatus{
			Url: o.URL, PendingArtifacts: uint64(o.PendingArtifacts), PendingBytes: uint64(o.PendingBytes), LastError: o.LastError,
		}
	}
	return info, nil
}

// accessService is AccessService.
type accessService struct {
	pb.UnimplementedAccessServiceServer
	tokens  *identity.SessionTokens
	secrets *redaction.Secrets
}

// RegisterSecrets registers values that must not be in anything that is made of an output.
func (a *accessService) RegisterSecrets(ctx context.Context, req *pb.RegisterSecretsRequest) (*pb.RegisterSecretsResponse, error) {
	return a.secrets.RegisterSecrets(ctx, req)
}

// IssueSessionToken makes a token that confines its bearer to a session.
func (a *accessService) IssueSessionToken(_ context.Context, req *pb.IssueSessionTokenRequest) (*pb.IssueSessionTokenResponse, error) {
	check := envelope.NewChecker("")
	check.Name("session_id", req.GetSessionId(), true)
	lifetime := req.GetLifetime()
	if lifetime != nil && (lifetime.CheckValid() != nil || lifetime.AsDuration() < minLifetime || lifetime.AsDuration() > maxLifetime) {
		check.Fail("lifetime", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is less than a second, or more than a year")
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	var answer pb.IssueSessionTokenResponse
	answer.Token, answer.TokenId = a.tokens.IssueFor(req.GetSessionId(), lifetime.AsDuration())
	if lifetime != nil {
		answer.ExpiresAt = timestamppb.New(time.Now().Add(lifetime.AsDuration()))
	}
	return &answer, nil
}

// Bounds of the lifetime of a token.
const (
	minLifetime = time.Second
	maxLifetime = 366 * 24 * time.Hour
)

// maxTokenID bounds the id of a token, in bytes.
const maxTokenID = 64

// RevokeSessionTokens takes back the tokens of a session, a token, or both. An id that is unknown takes nothing back.
func (a *accessService) RevokeSessionTokens(_ context.Context, req *pb.RevokeSessionTokensRequest) (*pb.RevokeSessionTokensResponse, error) {
	check := envelope.NewChecker("")
	check.Name("session_id", req.GetSessionId(), req.GetTokenId() == "")
	check.Length("token_id", req.GetTokenId(), maxTokenID)
	if err := check.Err(); err != nil {
		return nil, err
	}
	if id := req.GetTokenId(); id != "" {
		if err := a.tokens.RevokeToken(id); err != nil {
			return nil, revokeError(err)
		}
	}
	if session := req.GetSessionId(); session != "" {
		if err := a.tokens.RevokeSession(session); err != nil {
			return nil, revokeError(err)
		}
	}
	return &pb.RevokeSessionTokensResponse{}, nil
}

// revokeError returns the status of a token that cannot be taken back.
func revokeError(err error) error {
	if errors.Is(err, identity.ErrRevokedFull) {
		return &apierror.StatusError{
			Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_QUOTA_SESSION,
			Message:  "more tokens were taken back than are remembered; a start ends all of them",
			Metadata: map[string]string{"limit": strconv.Itoa(identity.MaxRevoked), "of": "revoked tokens"},
		}
	}
	return apierror.New(codes.NotFound, pb.ErrorReason_ERROR_REASON_TOKEN_UNKNOWN, "no token with this id was issued since the start")
}

// measured returns the part of a catalog that the services write to; m learns of every put.
func measured(c *catalog.Catalog, m metrics.Reporter) pipeline.Store {
	if m == nil {
		return plainStore{c}
	}
	return measuredStore{plainStore{c}, m}
}

// plainStore is a catalog as a pipeline uses it.
type plainStore struct{ *catalog.Catalog }

// Begin begins what one call puts.
func (s plainStore) Begin() pipeline.Transaction { return s.Catalog.Begin() }

type measuredStore struct {
	pipeline.Store
	metrics metrics.Reporter
}

// SinkFor returns the sink of an owner.
func (s measuredStore) SinkFor(o catalog.Owner) artifactstore.Sink {
	return measuredSink{s.Store.SinkFor(o), s.metrics}
}

// Begin begins what one call puts.
func (s measuredStore) Begin() pipeline.Transaction {
	return measuredTransaction{s.Store.Begin(), s.metrics}
}

type measuredTransaction struct {
	pipeline.Transaction
	metrics metrics.Reporter
}

// SinkFor returns the sink of an owner.
func (t measuredTransaction) SinkFor(o catalog.Owner) artifactstore.Sink {
	return measuredSink{t.Transaction.SinkFor(o), t.metrics}
}

type measuredSink struct {
	artifactstore.Sink
	metrics metrics.Reporter
}

// Put puts a blob, and reports its size and time.
func (s measuredSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	began := time.Now()
	ref, err := s.Sink.Put(ctx, b)
	s.metrics.Put(ctx, b.Size(), began, err)
	return ref, err
}
