package integration_test

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// invalidProject is a request that Project refuses, and the first field at
// fault.
type invalidProject struct {
	req   *pb.ProjectRequest
	field string
}

// invalidProjects has one request for every reason of INVALID_ARGUMENT.
func invalidProjects() map[string]invalidProject {
	good := func(change func(*pb.ProjectRequest)) *pb.ProjectRequest {
		req := completed(1, canary)
		req.Output.GetCommand().CommandLine = canary
		change(req)
		return req
	}
	return map[string]invalidProject{
		"ENVELOPE_EXCLUSIVITY": {good(func(r *pb.ProjectRequest) {
			r.Output.Error = &pb.CompleteToolError{Kind: "internal", Message: payloadOf(canary)}
		}), "output.error"},
		"FIELD_MISSING": {good(func(r *pb.ProjectRequest) {
			r.Output.ToolName = ""
		}), "output.tool_name"},
		"FIELD_TOO_LONG": {good(func(r *pb.ProjectRequest) {
			r.RequestId = strings.Repeat(canary, 100)
		}), "request_id"},
		"FIELD_OUT_OF_BOUNDS": {good(func(r *pb.ProjectRequest) {
			r.Output.GetCommand().GetStdout().SourceLoss = &pb.SourceLoss{AtByte: 1000}
		}), "output.command.stdout.source_loss.at_byte"},
		"NAME_INVALID": {good(func(r *pb.ProjectRequest) { r.Output.ToolName = canary + "\n" }), "output.tool_name"},
		"ENUM_UNKNOWN": {good(func(r *pb.ProjectRequest) {
			r.Policy = &pb.ProjectionPolicy{ArtifactPolicy: 99}
		}), "policy.artifact_policy"},
		"MESSAGE_INVALID": {good(func(r *pb.ProjectRequest) {
			r.Output.Result = &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{
				Type: "acme.v1.DeployResult", Encoding: &pb.CustomOutput_MessageJson{MessageJson: canary},
			}}
		}), "output.custom.message_json"},
		"BUDGET_TOO_SMALL": {within(&pb.Budget{MaxTokens: 16},
			failedTool(&pb.CompleteToolError{Kind: "internal", Message: payloadOf(strings.Repeat(canary+" ", 20))})), ""},
	}
}

// invalidStreams are streams that ProjectStream refuses, by the field at fault.
func invalidStreams() map[string][][]*pb.ProjectStreamRequest {
	header, unnamed := headerOf(&pb.StreamHeader{Family: "command"}), exited(0)
	var many []*pb.ProjectStreamRequest
	for i := range 65 {
		many = append(many, chunkOf(fmt.Sprintf("s%d", i), canary))
	}
	return map[string][][]*pb.ProjectStreamRequest{
		"message": {
			{},
			{chunkOf("stdout", canary)},
			{header, header},
			{header, chunkOf("stdout", canary)},
			{header, &pb.ProjectStreamRequest{}},
		},
		"output.command.stdout.stream": {{header, chunkOf("stderr", canary), finishOf(unnamed)}},
		"chunk.stream":                 {append([]*pb.ProjectStreamRequest{header}, many...)},
	}
}

// withGap is a stream of which a piece was lost.
func withGap() []*pb.ProjectStreamRequest {
	after := chunkOf("stdout", canary)
	after.GetChunk().Offset = new(uint64(len(canary) + 1))
	return []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command"}), chunkOf("stdout", canary), after, finishOf(exited(0))}
}

// withoutItsEnd is a stream whose end was lost.
func withoutItsEnd() []*pb.ProjectStreamRequest {
	finish := finishOf(exited(0))
	finish.GetFinish().StreamBytes = map[string]uint64{"stdout": uint64(len(canary)) + 1}
	return []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command"}), chunkOf("stdout", canary), finish}
}

// invalidCanonical is a canonical result, or a policy for it, that Render and
// Compact refuse. The field is below the result.
type invalidCanonical struct {
	result *pb.CanonicalToolResult
	policy *pb.RenderPolicy
	field  string
}

// canonicalCommand is a canonical result as Project answers it.
func canonicalCommand(change func(*pb.CommandResult)) *pb.CanonicalToolResult {
	c := &pb.CommandResult{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
		StdoutPreview: new(canary + "\n"), Truncated: new(false),
	}
	change(c)
	return &pb.CanonicalToolResult{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "command exited with status 0",
		Result: &pb.CanonicalToolResult_Command{Command: c},
	}
}

func unchanged(*pb.CommandResult) {}

// invalidCanonicals has one result for every reason of INVALID_ARGUMENT.
func invalidCanonicals() map[string]invalidCanonical {
	good := canonicalCommand(unchanged)
	envelope := func(change func(*pb.CanonicalToolResult)) *pb.CanonicalToolResult {
		r := proto.CloneOf(good)
		change(r)
		return r
	}
	details := func(json string) *pb.CanonicalToolResult {
		return &pb.CanonicalToolResult{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: canary,
			Error: &pb.ToolError{Kind: "internal", Message: canary, DetailsJson: &json},
		}
	}
	return map[string]invalidCanonical{
		"ENVELOPE_EXCLUSIVITY": {envelope(func(r *pb.CanonicalToolResult) {
			r.Error = &pb.ToolError{Kind: "internal", Message: canary}
		}), nil, "error"},
		"FIELD_MISSING":  {envelope(func(r *pb.CanonicalToolResult) { r.SummaryText = "" }), nil, "summary_text"},
		"FIELD_TOO_LONG": {envelope(func(r *pb.CanonicalToolResult) { r.SummaryText = strings.Repeat(canary, 100) }), nil, "summary_text"},
		"FIELD_OUT_OF_BOUNDS": {good, &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 15}},
			"policy.budget.max_tokens"},
		"NAME_INVALID": {envelope(func(r *pb.CanonicalToolResult) { r.ToolName = "-" + canary }), nil, "tool_name"},
		"ENUM_UNKNOWN": {envelope(func(r *pb.CanonicalToolResult) { r.Status = 99 }), nil, "status"},
		"JSON_INVALID": {details(canary), nil, "error.details_json"},
		"JSON_TOO_DEEP": {details(strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)), nil,
			"error.details_json"},
		"JSON_DUPLICATE_KEY": {details(`{"a":{"` + canary + `":1,"` + canary + `":1}}`), nil, "error.details_json"},
		"ARTIFACT_INDEX_INVALID": {canonicalCommand(func(c *pb.CommandResult) { c.StdoutArtifact = new(uint32(7)) }), nil,
			"command.stdout_artifact"},
		"LEDGER_INVALID": {canonicalCommand(func(c *pb.CommandResult) { c.StdoutTruncated = true }), nil,
			"command.stdout_cuts"},
		"FAMILY_UNKNOWN": {envelope(func(r *pb.CanonicalToolResult) {
			r.Result = &pb.CanonicalToolResult_Custom{Custom: &pb.CustomResult{Type: canary, PayloadJson: "{}"}}
		}), nil, "custom.type"},
		"TEXT_NOT_SANITISED": {canonicalCommand(func(c *pb.CommandResult) { c.StdoutPreview = new("\x1b[31m" + canary) }), nil, ""},
		"BUDGET_TOO_SMALL": {canonicalCommand(func(c *pb.CommandResult) { c.StdoutPreview = new(numbered(100)) }),
			&pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 50}}, ""},
	}
}
