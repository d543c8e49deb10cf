package toolresult

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Client calls a sidecar. Make one with [Connect].
type Client struct {
	Stubs
	conn    *grpc.ClientConn
	address string
	session string       // of calls that name none
	task    atomic.Value // string
	noIDs   atomic.Bool  // the sidecar keeps no audit log, and takes no request ids
}

// Stubs are the generated clients, for calls that [Client] has no method of. They share its connection, deadlines, retries and
// errors.
type Stubs struct {
	Results   pb.ToolResultServiceClient
	Artifacts pb.ArtifactServiceClient
	Transport pb.TransportServiceClient
	Tools     pb.ToolServiceClient
	Audit     pb.AuditServiceClient
	Access    pb.AccessServiceClient
	Health    healthpb.HealthClient
}

// Address returns the address of the sidecar: unix:///PATH or HOST:PORT.
func (c *Client) Address() string { return c.address }

// Conn returns the connection.
func (c *Client) Conn() *grpc.ClientConn { return c.conn }

// Close ends the connection. The sidecar goes on.
func (c *Client) Close() error { return c.conn.Close() }

// Info says what the sidecar is and what it accepts.
func (c *Client) Info(ctx context.Context) (*pb.GetServerInfoResponse, error) {
	return c.Results.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
}

// Healthy reports whether the sidecar serves. An error says that it did not answer.
func (c *Client) Healthy(ctx context.Context) (bool, error) {
	answer, err := c.Health.Check(ctx, &healthpb.HealthCheckRequest{})
	return answer.GetStatus() == healthpb.HealthCheckResponse_SERVING, err
}

// SetTask sets what the agent looks for in the outputs that are projected from now on: its task,
// its question, its last message. Each call has it before a [Focus] of its own, on lines of their
// own. Of a long task the beginning counts: both have at most 8 KiB. "" is none.
func (c *Client) SetTask(task string) { c.task.Store(task) }

// RegisterSecrets says which values must not be in anything that is made of a tool's output: those of one session, or with "" of
// all. Names replace values, as "[redacted:NAME]". The list takes the place of an earlier one. It returns the id of the list, which a
// policy can require ([pb.RedactionPolicy]).
func (c *Client) RegisterSecrets(ctx context.Context, session string, values map[string]string) (setID string, err error) {
	req := &pb.RegisterSecretsRequest{SessionId: session}
	for name, value := range values {
		req.Secrets = append(req.Secrets, &pb.RegisteredSecret{Name: name, Value: []byte(value)})
	}
	answer, err := c.Access.RegisterSecrets(ctx, req)
	return answer.GetSetId(), err
}
