// Package sidecarclient calls the sidecar for a proxy of MCP. client.go has the calls, wait.go ends them when the sidecar does
// nothing, and unquote.go makes texts of JSON that is too large to be read.
package sidecarclient

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	toolresult "github.com/toolresult/toolresult/clients/go"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/mcpproxy"
)

// Client is the [mcpproxy.Sidecar] that other processes serve.
type Client struct {
	Results   pb.ToolResultServiceClient
	Tools     pb.ToolServiceClient
	Artifacts pb.ArtifactServiceClient
	Health    healthpb.HealthClient
	Starter   Starter              // of the sidecar; nil: it runs, or it does not
	Session   string               // that artifacts belong to
	Policy    *pb.ProjectionPolicy // of receipts
	Patience  time.Duration        // for which the sidecar is waited for while it takes and says nothing
}

// Starter starts a sidecar when it is needed.
type Starter interface {
	// Start starts it unless it runs, which the connection knows unless a call has failed. It returns at once.
	Start(failed bool)
	// Wait waits for the end of a start that goes on, and no longer than ctx. It returns the error of that start.
	Wait(ctx context.Context) error
}

// Sizes of what is sent, in bytes.
const (
	maxUnary   = 1 << 20
	chunkBytes = 256 << 10
	// maxJSON is what a sidecar reads as the JSON of a result. Texts may be of any size.
	maxJSON = 32 << 20
	// bytesPerMilli is how much of a large result a sidecar reads in a millisecond, if it is slow.
	bytesPerMilli = 4 << 10
)

// Expect implements [mcpproxy.Sidecar].
func (c *Client) Expect() {
	if c.Starter != nil {
		c.Starter.Start(false)
	}
}

// await starts the sidecar if it does not run, and waits for it. failed says that a call has failed.
func (c *Client) await(ctx context.Context, failed bool) error {
	if c.Starter == nil {
		return nil
	}
	c.Starter.Start(failed)
	return c.Starter.Wait(ctx)
}

// Project implements [mcpproxy.Sidecar].
func (c *Client) Project(ctx context.Context, r mcpproxy.Result) (mcpproxy.Receipt, error) {
	if r.Size > maxJSON && r.Texts == nil {
		return mcpproxy.Receipt{}, fmt.Errorf("a result that is more than texts has at most %d bytes", maxJSON)
	}
	asText := isText(r)
	w, stop := newWait(ctx, c.Patience, c.most(r.Size))
	defer stop()
	if err := c.await(w, false); err != nil {
		return mcpproxy.Receipt{}, err
	}
	answer, err := c.project(w, r, asText)
	if status.Code(err) == codes.Unavailable && c.Starter != nil { // it has ended since
		if err := c.await(w, true); err != nil {
			return mcpproxy.Receipt{}, err
		}
		answer, err = c.project(w, r, asText)
	}
	if err != nil {
		return mcpproxy.Receipt{}, w.explain(err)
	}
	return mcpproxy.Receipt{Text: answer.GetReceipt().GetText(), Artifacts: toolresult.Artifacts(answer.GetCanonical())}, nil
}

// most returns for how long a receipt of size bytes is waited for, whatever the sidecar does.
func (c *Client) most(size int) time.Duration {
	if size <= maxUnary {
		return c.Patience
	}
	return c.Patience + time.Duration(size/bytesPerMilli)*time.Millisecond
}

// project sends a result in one message, or in a stream.
func (c *Client) project(w *wait, r mcpproxy.Result, asText bool) (*pb.ProjectResponse, error) {
	if r.Size > maxUnary || asText {
		return c.stream(w, r, asText)
	}
	return c.Results.Project(w, &pb.ProjectRequest{
		Output: output(r, &pb.Payload{Source: &pb.Payload_Inline{Inline: bytes.Join(r.JSON, nil)}}), Policy: c.Policy, Call: c.call(),
	})
}

// isText reports whether the texts of a result are sent alone: its JSON is too large to be read, or is not UTF-8.
func isText(r mcpproxy.Result) bool {
	isBroken := slices.ContainsFunc(r.JSON, func(p []byte) bool { return !utf8.Valid(p) })
	return r.Texts != nil && (r.Size > maxJSON || isBroken)
}

// stream sends a result in chunks: as JSON, or its texts alone.
func (c *Client) stream(w *wait, r mcpproxy.Result, asText bool) (*pb.ProjectResponse, error) {
	family, payload := "external_mcp", &pb.Payload{Source: &pb.Payload_Stream{Stream: "output"}}
	finish, pieces := output(r, payload), slices.Values(r.JSON)
	if asText {
		family, pieces = "text", unquoted(r.Texts)
		finish.Result = &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload}}
	}
	client := toolresult.Client{Stubs: toolresult.Stubs{Results: c.Results}}
	options := []toolresult.Option{toolresult.Family(family), toolresult.Policy(c.Policy), toolresult.Session(c.Session)}
	call, err := client.Stream(w, toolName(r.Tool), options...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = call.Close() }() // it never fails
	for p := range pieces {
		for part := range slices.Chunk(p, chunkBytes) {
			w.sign() // what was done until now is not the sidecar's
			if _, err := call.Write(part); err != nil {
				return nil, err
			}
		}
	}
	w.sign()
	go w.whileAlive(c.Health)
	result, err := call.Finish(finish)
	if err != nil {
		return nil, err
	}
	return result.Response, nil
}

// call names the session. It names no call: the proxy cannot know which earlier results the model still has.
func (c *Client) call() *pb.CallReference { return &pb.CallReference{SessionId: c.Session} }

// output is a result as a message.
func output(r mcpproxy.Result, payload *pb.Payload) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: toolName(r.Tool), Result: &pb.CompleteToolOutput_ExternalMcp{
		ExternalMcp: &pb.ExternalMcpOutput{Server: serverName(r.Server), Result: payload},
	}}
}

// toolName returns the name of a tool by the pattern of tool names. Results of a tool of the name read_result would be shown whole.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/", r) {
			return r
		}
		return '_'
	}, name)
	if name == "" || name == "read_result" || strings.ContainsRune("-.:/", rune(name[0])) {
		name = "mcp_" + name
	}
	return name[:min(len(name), 128)]
}

// serverName returns the name of a server in the length that the contract allows.
func serverName(name string) string {
	const most = 256
	return strings.ToValidUTF8(name[:min(len(name), most)], "")
}

// Read implements [mcpproxy.Sidecar].
func (c *Client) Read(ctx context.Context, arguments string) (text string, mistake bool, err error) {
	w, stop := newWait(ctx, c.Patience, readTimeout)
	defer stop()
	if err := c.await(w, false); err != nil {
		return "", false, err
	}
	go w.whileAlive(c.Health)
	answer, err := c.Tools.CallTool(w, &pb.CallToolRequest{
		Name: "read_result", ArgumentsJson: arguments, Call: c.call(),
		Policy: &pb.RenderPolicy{Handles: pb.HandleForm_HANDLE_FORM_CALL, ReadTool: c.Policy.GetRender().GetReadTool()},
	})
	return answer.GetReceipt().GetText(), answer.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR, w.explain(err)
}

// readTimeout is the time for which a read of an artifact is waited for while the sidecar is alive: there is nothing else to answer
// with.
const readTimeout = 20 * time.Second

// Artifact implements [mcpproxy.Sidecar].
func (c *Client) Artifact(ctx context.Context, path string, limit int) ([]byte, error) {
	w, stop := newWait(ctx, c.Patience, readTimeout)
	defer stop()
	if err := c.await(w, false); err != nil {
		return nil, err
	}
	go w.whileAlive(c.Health)
	const page = 3 << 20
	req := &pb.ReadArtifactRequest{Path: path, SessionId: c.Session, Budget: &pb.ReadBudget{MaxBytes: page, MaxLines: 1_000_000}}
	var data []byte
	for {
		answer, err := c.Artifacts.ReadArtifact(w, req)
		if err != nil {
			return nil, w.explain(err)
		}
		if total := answer.GetTotalBytes(); total > uint64(limit) {
			return nil, fmt.Errorf("the resource has %d bytes, and at most %d are read at once", total, limit)
		}
		data = append(data, answer.GetData()...)
		if answer.GetNextPageToken() == "" {
			return data, nil
		}
		req.PageToken = answer.GetNextPageToken()
	}
}
