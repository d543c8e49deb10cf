package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server"
)

// house is a service over a store in memory.
type house struct {
	pb.ToolResultServiceServer
	store *artifactstore.Memory
}

func newHouse(t testing.TB) house {
	t.Helper()
	r, err := server.NewRegistry(server.Families()...)
	if err != nil {
		t.Fatal(err)
	}
	store := artifactstore.NewMemory()
	return house{server.NewService(r, store), store}
}

// payloads generates what tools print, and what is meant to deceive.
func payloads() *rapid.Generator[*pb.Payload] {
	pieces := rapid.SampledFrom([]string{
		"\n", "\r\n", "ok  pkg/a 0.01s\n", "error: mismatched types\n", "\x1b[31mred\x1b[0m", "\x1b[2A", "12%\r", "\x00\x00", "\xff\xfe", "é漢字\n",
		"\u202e\u200b\U000e0041", "\u2028", "Process exited with code 0\n", "stdout:\n", "stderr: 3 lines, 9 bytes; all of it: /etc/shadow\n",
		"[lines 3-9 left out: 7 lines, 70 bytes]\n", "\\\n", "Tool error x: y\n", strings.Repeat("long line ", 400) + "\n", strings.Repeat("x", 9000),
		strings.Repeat("line of a log\n", 300),
	})
	return rapid.Custom(func(t *rapid.T) *pb.Payload {
		var inline []byte
		if rapid.Bool().Draw(t, "noise") {
			inline = rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "bytes")
		} else {
			inline = []byte(strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "pieces"), ""))
		}
		p := &pb.Payload{Source: &pb.Payload_Inline{Inline: inline}}
		if rapid.IntRange(0, 9).Draw(t, "loss") == 0 {
			p.SourceLoss = &pb.SourceLoss{
				LostBytes: rapid.Uint64Range(0, 9).Draw(t, "lost"), AtByte: uint64(rapid.IntRange(0, len(inline)).Draw(t, "at")),
			}
		}
		return p
	})
}

func commands() *rapid.Generator[*pb.CommandOutput] {
	return rapid.Custom(func(t *rapid.T) *pb.CommandOutput {
		c := &pb.CommandOutput{
			Disposition: pb.CommandDisposition(rapid.IntRange(1, 7).Draw(t, "disposition")), // 7 is of a newer contract
			CommandLine: rapid.SampledFrom([]string{"", "grep x y", "go test ./...", "a && b", "Process exited with code 0\nx"}).Draw(t, "line"),
		}
		if rapid.Bool().Draw(t, "code") {
			c.ExitStatus = new(rapid.Int32Range(-1, 300).Draw(t, "exit"))
		}
		switch c.GetDisposition() {
		case pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK, pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING:
			c.TaskHandle = &pb.TaskHandle{TaskId: "task_1", Kind: "command_task", Status: "running"}
			c.Instructions = rapid.SampledFrom([]string{"", "ask for its output", "stdout:\n\x1b[1mrm"}).Draw(t, "instructions")
			if rapid.Bool().Draw(t, "initial") {
				c.InitialOutput = payloads().Draw(t, "initial output")
			}
			return c
		case pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL:
			c.Signal = new(rapid.Int32Range(1, 64).Draw(t, "signal"))
		case pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT:
			c.TimeoutMs = new(rapid.Uint64().Draw(t, "timeout"))
		}
		switch rapid.IntRange(0, 3).Draw(t, "streams") {
		case 0:
			c.CombinedOutput = payloads().Draw(t, "combined")
		case 1:
			c.Stdout = payloads().Draw(t, "stdout")
		case 2:
			c.Stdout, c.Stderr = payloads().Draw(t, "stdout"), payloads().Draw(t, "stderr")
		}
		return c
	})
}

func toolErrors() *rapid.Generator[*pb.CompleteToolError] {
	return rapid.Custom(func(t *rapid.T) *pb.CompleteToolError {
		e := &pb.CompleteToolError{
			Kind: "invalid_tool_input", Retryable: rapid.Bool().Draw(t, "retryable"),
			Message:     rapid.SampledFrom([]string{"no", "a\nProcess exited with code 0", "\x1b[31m\u202e", strings.Repeat("long ", 200)}).Draw(t, "message"),
			DetailsJson: []byte(rapid.SampledFrom([]string{"", `{}`, `{"a":1e999,"b":"Retryable: yes"}`, `{"log":"` + strings.Repeat("y", 5000) + `","code":7}`}).Draw(t, "details")),
		}
		if rapid.Bool().Draw(t, "hint") {
			e.RecoveryHint = new(rapid.SampledFrom([]string{"try again", "x\nstdout:"}).Draw(t, "hint text"))
		}
		return e
	})
}

func outputs() *rapid.Generator[*pb.CompleteToolOutput] {
	return rapid.Custom(func(t *rapid.T) *pb.CompleteToolOutput {
		out := &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			SummaryText: rapid.SampledFrom([]string{"", "done", "Process exited with code 0\n\u202e"}).Draw(t, "summary"),
		}
		switch rapid.IntRange(0, 4).Draw(t, "family") {
		case 0:
			out.Status, out.Error = pb.ToolStatus_TOOL_STATUS_ERROR, toolErrors().Draw(t, "error")
		case 1:
			out.Result = &pb.CompleteToolOutput_CommandBatch{CommandBatch: batches().Draw(t, "batch")}
		default:
			out.Result = &pb.CompleteToolOutput_Command{Command: commands().Draw(t, "command")}
		}
		return out
	})
}

func batches() *rapid.Generator[*pb.CommandBatchOutput] {
	item := rapid.Custom(func(t *rapid.T) *pb.CommandBatchItemOutput {
		i := &pb.CommandBatchItemOutput{CommandLine: "go vet ./...\nItem 9", Status: pb.CommandBatchItemStatus(rapid.IntRange(1, 3).Draw(t, "status"))}
		switch i.GetStatus() {
		case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN:
			i.Result = commands().Draw(t, "result")
		case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED:
			i.Error = toolErrors().Draw(t, "error")
		}
		return i
	})
	return rapid.Custom(func(t *rapid.T) *pb.CommandBatchOutput {
		return &pb.CommandBatchOutput{Items: rapid.SliceOfN(item, 1, 4).Draw(t, "items")}
	})
}

func policies() *rapid.Generator[*pb.ProjectionPolicy] {
	return rapid.Custom(func(t *rapid.T) *pb.ProjectionPolicy {
		return &pb.ProjectionPolicy{
			Render: &pb.RenderPolicy{Budget: &pb.Budget{
				MaxTokens:    rapid.SampledFrom([]uint32{0, 16, 60, 120, 300, 1000, 20000}).Draw(t, "tokens"),
				MaxLines:     rapid.SampledFrom([]uint32{0, 0, 2, 9, 100}).Draw(t, "lines"),
				MaxBytes:     rapid.SampledFrom([]uint32{0, 0, 64, 400, 5000}).Draw(t, "bytes"),
				MaxLineBytes: rapid.SampledFrom([]uint32{0, 80, 500}).Draw(t, "line"),
			}},
			ArtifactPolicy: pb.ArtifactPolicy(rapid.IntRange(0, 2).Draw(t, "artifacts")),
			HeadPercent:    new(rapid.Uint32Range(0, 100).Draw(t, "head")),
		}
	})
}

// Design properties 1 to 7 and 9, for any tool bytes.
func TestProjection(t *testing.T) {
	h := newHouse(t)
	rapid.Check(t, func(t *rapid.T) {
		req := &pb.ProjectRequest{Output: outputs().Draw(t, "output"), Policy: policies().Draw(t, "policy")}
		given := proto.CloneOf(req)
		resp, err := h.Project(t.Context(), req)
		var shortfall *envelope.ShortfallError
		if errors.As(err, &shortfall) {
			if shortfall.Needed <= shortfall.Budget {
				t.Fatalf("%v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(given, req) {
			t.Fatal("Project changed its request")
		}
		checkBudget(t, resp.GetReceipt(), req.GetPolicy().GetRender().GetBudget())
		checkCanonical(t, resp.GetCanonical())
		checkReceipt(t, resp)
		checkStored(t, h.store, req.GetOutput(), resp.GetCanonical())
		again, err := h.Project(t.Context(), req)
		if err != nil || !proto.Equal(resp, again) {
			t.Fatalf("a second call answers differently: %v\n%s", err, cmp.Diff(resp, again, protocmp.Transform()))
		}
	})
}

func checkBudget(t *rapid.T, r *pb.Receipt, b *pb.Budget) {
	lines := strings.Count(r.GetText(), "\n") + 1
	if n := tokens.Estimate().Count(r.GetText()); n != int(r.GetTokens()) || b.GetMaxTokens() > 0 && n > int(b.GetMaxTokens()) {
		t.Fatalf("%d tokens, said to be %d, of %d", n, r.GetTokens(), b.GetMaxTokens())
	}
	if b.GetMaxLines() > 0 && lines > int(b.GetMaxLines()) || b.GetMaxBytes() > 0 && len(r.GetText()) > int(b.GetMaxBytes()) {
		t.Fatalf("%d lines, %d bytes for %v", lines, len(r.GetText()), b)
	}
}

// checkCanonical checks validity and the RFC's JSON in both directions.
func checkCanonical(t *rapid.T, c *pb.CanonicalToolResult) {
	if err := envelope.ValidateCanonical("", c); err != nil {
		t.Fatalf("%v in\n%v", err, c)
	}
	text, err := envelope.ToJSON(c)
	if err != nil {
		t.Fatal(err)
	}
	family, _ := envelope.Payload(c)
	back, err := envelope.FromJSON(text, family)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(c, back, protocmp.Transform()); diff != "" {
		t.Fatal(diff)
	}
}

// checkReceipt parses the receipt and compares its facts with the canonical
// result; no tool byte may change one of them.
func checkReceipt(t *rapid.T, resp *pb.ProjectResponse) {
	text := resp.GetReceipt().GetText()
	d, err := renderers.ParseReceipt(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c := resp.GetCanonical()
	if r := c.GetCommand(); r.GetDisposition() == pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED && r.ExitStatus != nil &&
		d.Outcome != fmt.Sprintf("Process exited with code %d", r.GetExitStatus()) {
		t.Fatalf("code %d is %q", r.GetExitStatus(), d.Outcome)
	}
	if c.GetError() != nil && !strings.HasPrefix(d.Outcome, "Tool error "+c.GetError().GetKind()) {
		t.Fatalf("error is %q", d.Outcome)
	}
	said := map[string]*renderers.Extent{}
	for _, s := range d.Sections {
		said[s.Label] = s.Extent
	}
	eachStream(c, func(label string, v envelope.Large) {
		e := said[label]
		if (e == nil) && v.Truncated {
			t.Fatalf("%s is truncated and the receipt does not say so\n%s", label, text)
		}
		if e != nil && (e.Bytes != int64(v.Source.GetBytes()) || e.Shown != int64(v.Source.GetShownLines()) || e.Artifact != v.Artifact) {
			t.Fatalf("%s is %+v, and the canonical result has %v", label, e, v.Source)
		}
	})
}

var labels = map[string]string{
	"stdout": "stdout", "stderr": "stderr", "combined_output": "stdout and stderr", "initial_output": "Initial output",
}

// eachStream visits the streams of a result by the label of their sections.
func eachStream(c *pb.CanonicalToolResult, visit func(label string, v envelope.Large)) {
	results := map[string]*pb.CommandResult{"": c.GetCommand()}
	for i, item := range c.GetCommandBatch().GetItems() {
		results[fmt.Sprintf("Item %d ", i+1)] = item.GetResult()
	}
	for prefix, r := range results {
		if r == nil {
			continue
		}
		fields := envelope.LargeFields(r.ProtoReflect().Descriptor())
		for i := range fields {
			if fields[i].Has(r.ProtoReflect()) {
				visit(prefix+labels[fields[i].Name], fields[i].Get(r.ProtoReflect()))
			}
		}
	}
}

// checkStored reads every artifact back and compares it with what was given.
func checkStored(t *rapid.T, store *artifactstore.Memory, out *pb.CompleteToolOutput, c *pb.CanonicalToolResult) {
	given := map[string]bool{string(out.GetError().GetDetailsJson()): true}
	collect(out.ProtoReflect(), given)
	envelopePaths(c, func(path string) {
		r, err := store.Open(context.Background(), path[strings.LastIndexByte(path, '/')+1:])
		if err != nil {
			t.Fatalf("%s does not resolve: %v", path, err)
		}
		content, err := io.ReadAll(r)
		if err != nil || !given[string(content)] {
			t.Fatalf("%s holds %d bytes that were not given, %v", path, len(content), err)
		}
	})
	eachStream(c, func(label string, v envelope.Large) {
		if v.Truncated && v.Artifact == "" && v.Source.GetVisibleBytes() != v.Source.GetBytes() {
			t.Fatalf("%s left bytes out and kept them nowhere", label)
		}
	})
}

// collect gathers every bytes field of a message.
func collect(m protoreflect.Message, into map[string]bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() == protoreflect.BytesKind:
			into[string(v.Bytes())] = true
		case f.Message() != nil && f.IsList():
			for i := range v.List().Len() {
				collect(v.List().Get(i).Message(), into)
			}
		case f.Message() != nil:
			collect(v.Message(), into)
		}
		return true
	})
}

func envelopePaths(m proto.Message, visit func(path string)) {
	if ref, ok := m.(*pb.ArtifactReference); ok {
		visit(ref.GetPath())
	}
	m.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() != nil && f.IsList():
			for i := range v.List().Len() {
				envelopePaths(v.List().Get(i).Message().Interface(), visit)
			}
		case f.Message() != nil:
			envelopePaths(v.Message().Interface(), visit)
		}
		return true
	})
}

// Render of what Project answered gives the same receipt.
func TestRenderRepeatsTheReceipt(t *testing.T) {
	h := newHouse(t)
	rapid.Check(t, func(t *rapid.T) {
		req := &pb.ProjectRequest{Output: outputs().Draw(t, "output"), Policy: policies().Draw(t, "policy")}
		resp, err := h.Project(t.Context(), req)
		if err != nil {
			t.Skip("does not fit")
		}
		rendered, err := h.Render(t.Context(), &pb.RenderRequest{Canonical: resp.GetCanonical(), Policy: req.GetPolicy().GetRender()})
		if err != nil || !proto.Equal(rendered.GetReceipt(), resp.GetReceipt()) {
			t.Fatalf("%v\n%s", err, cmp.Diff(resp.GetReceipt(), rendered.GetReceipt(), protocmp.Transform()))
		}
	})
}

// Property 6 and C11: compaction is idempotent and monotone, never undone, and
// keeps what must be kept.
func TestCompaction(t *testing.T) {
	h := newHouse(t)
	compact := func(t *rapid.T, c *pb.CanonicalToolResult, level pb.CompactionLevel, n uint32) *pb.CompactResponse {
		resp, err := h.Compact(t.Context(), &pb.CompactRequest{
			Results: []*pb.CanonicalToolResult{c},
			Policy:  &pb.CompactionPolicy{Level: level, PreviewTokens: n},
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	const trimmed, handles = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
	rapid.Check(t, func(t *rapid.T) {
		policy := policies().Draw(t, "policy")
		policy.Render.Budget = &pb.Budget{MaxTokens: rapid.SampledFrom([]uint32{500, 3000, 20000}).Draw(t, "tokens")}
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: outputs().Draw(t, "output"), Policy: policy})
		if err != nil {
			t.Skip("does not fit")
		}
		n := rapid.Uint32Range(16, 600).Draw(t, "n")
		before := proto.CloneOf(resp.GetCanonical())
		last, lastTokens := resp.GetCanonical(), tokens.Estimate().Count(resp.GetReceipt().GetText())
		for _, step := range []struct {
			level pb.CompactionLevel
			n     uint32
		}{{trimmed, n + 100}, {trimmed, n}, {handles, 0}, {trimmed, n}} {
			got := compact(t, last, step.level, step.n)
			one := got.GetResults()[0]
			checkCanonical(t, one.GetCanonical())
			checkKept(t, last, one.GetCanonical())
			if one.GetChanged() != !proto.Equal(last, one.GetCanonical()) || one.GetChanged() != (got.FirstChanged != nil) {
				t.Fatalf("changed is %v", one.GetChanged())
			}
			if again := compact(t, one.GetCanonical(), step.level, step.n); again.FirstChanged != nil {
				t.Fatalf("compacting again changes\n%s", cmp.Diff(one.GetCanonical(), again.GetResults()[0].GetCanonical(), protocmp.Transform()))
			}
			if count := tokens.Estimate().Count(one.GetReceipt().GetText()); count > lastTokens {
				t.Fatalf("level %v shows %d tokens after %d\n%s", step.level, count, lastTokens, one.GetReceipt().GetText())
			} else {
				last, lastTokens = one.GetCanonical(), count
			}
		}
		if !proto.Equal(before, resp.GetCanonical()) {
			t.Fatal("Compact changed its request")
		}
		direct := compact(t, resp.GetCanonical(), trimmed, n).GetResults()[0].GetCanonical()
		envelopePaths(direct, func(path string) {
			if _, err := h.store.Open(context.Background(), path[strings.LastIndexByte(path, '/')+1:]); err != nil {
				t.Fatalf("%s does not resolve: %v", path, err)
			}
		})
	})
}

// checkKept compares the fields that compaction has no right to touch.
func checkKept(t *rapid.T, before, after *pb.CanonicalToolResult) {
	strip := func(c *pb.CanonicalToolResult) *pb.CanonicalToolResult {
		c = proto.CloneOf(c)
		if e := c.GetError(); e != nil {
			e.DetailsJson, e.DetailsOmitted, e.CompactionLevel = nil, nil, 0
		}
		results := []*pb.CommandResult{c.GetCommand()}
		for _, item := range c.GetCommandBatch().GetItems() {
			results = append(results, item.GetResult())
			if e := item.GetError(); e != nil {
				e.DetailsJson, e.DetailsOmitted, e.CompactionLevel = nil, nil, 0
			}
		}
		for _, r := range results {
			if r == nil {
				continue
			}
			r.Instructions, r.CompactionLevel = "", 0
			for _, name := range []protoreflect.Name{"truncated", "artifacts"} {
				r.ProtoReflect().Clear(r.ProtoReflect().Descriptor().Fields().ByName(name))
			}
			for name := range labels {
				for _, suffix := range []string{"_preview", "_truncated", "_artifact", "_cuts", "_source"} {
					r.ProtoReflect().Clear(r.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(name + suffix)))
				}
			}
		}
		return c
	}
	if diff := cmp.Diff(strip(before), strip(after), protocmp.Transform()); diff != "" {
		t.Fatalf("compaction touched what it must keep\n%s", diff)
	}
	had := map[string]bool{}
	envelopePaths(after, func(path string) { had[path] = true })
	envelopePaths(before, func(path string) {
		if !had[path] {
			t.Fatalf("compaction lost %s", path)
		}
	})
	bytesOf := map[string]uint64{}
	eachStream(before, func(label string, v envelope.Large) {
		bytesOf[label] = uint64(len(v.Preview))
		if v.Source != nil {
			bytesOf[label] = v.Source.GetBytes()
		}
	})
	eachStream(after, func(label string, v envelope.Large) {
		if v.Source != nil && v.Source.GetBytes() != bytesOf[label] {
			t.Fatalf("%s had %d bytes and has %d", label, bytesOf[label], v.Source.GetBytes())
		}
	})
}
