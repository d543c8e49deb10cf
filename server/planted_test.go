package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server"
)

// planter puts a text into all fields of a message that take it.
type planter struct {
	text    string
	refused map[string]bool // fields that do not take it, by their path
	planted int
}

func (p *planter) message(path string, m protoreflect.Message) {
	if m.Descriptor().FullName() == "toolresult.v1.Payload" {
		if p.takes(path) {
			p.payload(path, m)
		}
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + "." + string(f.Name())
		switch {
		case f.IsMap():
		case f.IsList():
			for i := range v.List().Len() {
				p.value(fmt.Sprintf("%s[%d]", at, i), f, v.List().Get(i), func(v protoreflect.Value) { v2 := m.Mutable(f).List(); v2.Set(i, v) })
			}
		default:
			p.value(at, f, v, func(v protoreflect.Value) { m.Set(f, v) })
		}
		return true
	})
}

func (p *planter) value(at string, f protoreflect.FieldDescriptor, v protoreflect.Value, set func(protoreflect.Value)) {
	switch {
	case f.Kind() == protoreflect.MessageKind:
		p.message(at, v.Message())
	case f.Kind() != protoreflect.StringKind || f.Name() == "tool_name" || !p.takes(at):
	default:
		if most, _ := proto.GetExtension(f.Options(), pb.E_MaxBytes).(uint32); most == 0 || int(most) >= len(p.text)+8 {
			p.planted++
			set(protoreflect.ValueOfString(strings.ToValidUTF8("of "+p.text+" it", "?")))
		}
	}
}

// takes reports whether neither a field nor a message around it was refused.
func (p *planter) takes(at string) bool {
	for field := range p.refused {
		if strings.HasPrefix(at, field) {
			return false
		}
	}
	return true
}

// payload plants in a payload, in the form that its name says.
func (p *planter) payload(path string, m protoreflect.Message) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	text := "before\n" + p.text + "\nafter " + p.text + "\n"
	if quoted, err := json.Marshal(strings.ToValidUTF8(text, "?")); err == nil && strings.Contains(name, "json") {
		text = fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"structuredContent":{"a":%[1]s}}`, quoted)
	}
	switch {
	case name == "body" || strings.Contains(name, "html"):
		text = "<html><head><title>" + p.text + "</title></head><body><h1>" + p.text + "</h1><p>x " + p.text + " y</p><table><tr><td>" + p.text + "</td></tr></table></body></html>"
	case strings.Contains(name, "diff"):
		text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+" + strings.ReplaceAll(p.text, "\n", "\n+") + "\n"
	}
	p.planted++
	m.Set(m.Descriptor().Fields().ByName("inline"), protoreflect.ValueOfBytes([]byte(text)))
}

// TestNoFamilyShowsAHiddenSecret plants secrets with every seam in every text of the complete messages of every family, and looks
// for them in all that leaves: the answer, the records, the artifacts that may be read, and what Render, Compact and EncodeTurn make
// of a result that has them.
func TestNoFamilyShowsAHiddenSecret(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"value": "Tr0ub4dor&3<correct>horse", "token": "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"}
	h := servertest.NewArchive(t).With(t, func(o *servertest.Options) {
		if _, err := o.Secrets.Register("s", []redact.Secret{{Name: "db", Value: []byte(secrets["value"])}}); err != nil {
			t.Fatal(err)
		}
	})
	services := newServices(t, h)
	w := &watch{
		ToolResultServiceServer: services.Results, Harness: h, services: services, secrets: secrets, originals: map[string]bool{}, read: map[string]bool{},
	}
	planted, cases := 0, 0
	for i, f := range w.Families {
		base := w.OutputOf(f.Name).Example(i)
		for kind, secret := range secrets {
			k := 0
			for seam, text := range redacttest.Hidden(secret) {
				if k++; testing.Short() && (i+k)%9 != 0 || servertest.Race && (i+k)%40 != 0 {
					continue
				}
				cases++
				planted += w.plant(t, fmt.Sprintf("%s, %s, %s", f.Name, kind, seam), base, text)
			}
		}
	}
	for kind, secret := range secrets {
		for seam, text := range redacttest.Hidden(secret) {
			w.streams(t, "stream, "+kind+", "+seam, text)
			planted++
		}
	}
	t.Logf("%d secrets in %d outputs, %d turns encoded", planted, cases, w.encoded)
	if planted < 5000 && !testing.Short() && !servertest.Race {
		t.Errorf("%d secrets were planted", planted)
	}
	for name, at := range w.found {
		t.Errorf("%s: %s", name, at)
	}
}

// watch looks for secrets in what leaves.
type watch struct {
	pb.ToolResultServiceServer
	*servertest.Harness // without its ToolResultService
	services            *server.Services
	secrets             map[string]string
	originals           map[string]bool // artifacts as the tool wrote them, which nobody reads without raw
	read                map[string]bool
	found               map[string]string
	calls               int
	encoded             int
}

// plant projects an output with a text in all of its fields that take it, and returns how many these are.
func (w *watch) plant(t *testing.T, name string, base *pb.CompleteToolOutput, text string) int {
	p := &planter{text: text, refused: map[string]bool{}}
	for range 12 {
		w.calls++
		out := proto.CloneOf(base)
		p.planted = 0
		if own := w.Types[out.GetCustom().GetType()]; own != nil {
			m := own.Read(envelope.NewChecker(""), out.GetCustom())
			p.message("output.custom.message", m)
			encoded, err := proto.Marshal(m.Interface())
			if err != nil {
				t.Fatal(err)
			}
			out.GetCustom().Encoding = &pb.CustomOutput_Message{Message: encoded}
		} else {
			p.message("output", out.ProtoReflect())
		}
		req := &pb.ProjectRequest{
			Output: out, Call: &pb.CallReference{SessionId: "s", CallId: "c-" + strconv.Itoa(w.calls)},
			Policy: &pb.ProjectionPolicy{Segments: true, Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}}}, Audit: &pb.AuditDetails{ToolInput: strings.ToValidUTF8(text, "?")},
		}
		resp, err := w.Project(t.Context(), req)
		var invalid *envelope.InvalidError
		if errors.As(err, &invalid) {
			for _, v := range invalid.Violations {
				p.refused[v.Field] = true
			}
			continue
		}
		if err != nil {
			w.look(name, "error", []byte(err.Error()))
			return 0
		}
		w.everything(t, name, resp)
		p.planted += w.imported(t, name, resp.GetCanonical(), text)
		if w.calls%7 == 0 {
			turn := &pb.ProjectTurnRequest{TotalTokens: 30_000}
			for range 2 {
				w.calls++
				again := proto.CloneOf(req)
				again.Call.CallId = "c-" + strconv.Itoa(w.calls)
				turn.Outputs = append(turn.Outputs, again)
			}
			if resp, err := w.ProjectTurn(t.Context(), turn); err == nil {
				w.look(name, "turn", wireOf(t, resp))
			}
		}
		return p.planted
	}
	return 0
}

// imported gives Render, Compact and EncodeTurn a result that has a text in all of its fields that take it.
func (w *watch) imported(t *testing.T, name string, result *pb.CanonicalToolResult, text string) int {
	if w.Types[result.GetCustom().GetType()] != nil {
		return 0
	}
	p := &planter{text: text, refused: map[string]bool{"result.result.canonical.artifacts": true}}
	for range 12 {
		given := proto.CloneOf(result)
		p.planted = 0
		p.message("canonical", given.ProtoReflect())
		call := &pb.CallReference{SessionId: "s", CallId: "imported"}
		rendered, err := w.Render(t.Context(), &pb.RenderRequest{
			Result: &pb.RenderRequest_Canonical{Canonical: given}, Call: call, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 100_000}},
		})
		var invalid *envelope.InvalidError
		if errors.As(err, &invalid) {
			for _, v := range invalid.Violations {
				p.refused[v.Field] = true
			}
			continue
		}
		if err != nil {
			w.look(name, "error of Render", []byte(err.Error()))
			return 0
		}
		w.look(name, "Render", wireOf(t, rendered))
		w.look(name, "record of Render", wireOf(t, w.Last(t, 1)[0]))
		if compacted, err := w.Compact(t.Context(), &pb.CompactRequest{
			SessionId: "s", Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: given}}}, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES},
		}); err == nil {
			w.look(name, "Compact", wireOf(t, compacted))
		}
		req := turnOf(given, &pb.TurnResult{Content: &pb.TurnResult_Text{Text: strings.ToValidUTF8(text, "?")}})
		req.SessionId = "s"
		if encoded, err := w.services.Transport.EncodeTurn(t.Context(), req); err == nil {
			w.look(name, "EncodeTurn", wireOf(t, encoded))
			w.encoded++
		}
		return p.planted
	}
	return 0
}

// pages looks in what read_result shows of an artifact.
func (w *watch) pages(t *testing.T, name, artifact string) {
	answer, err := w.services.Tools.CallTool(t.Context(), &pb.CallToolRequest{
		Name: "read_result", ArgumentsJson: fmt.Sprintf(`{"result":%q}`, artifact), Call: &pb.CallReference{SessionId: "s"},
	})
	if err == nil {
		w.look(name, "page", wireOf(t, answer))
	}
}

// streams sends texts in small chunks, with snapshots between.
func (w *watch) streams(t *testing.T, name, text string) {
	w.calls++
	done := &pb.CompleteToolOutput{ToolName: "Run", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		ExitStatus: new(int32(0)), Stdout: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
	}}}
	messages := []*pb.ProjectStreamRequest{{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{
		Family: "command", Streams: []string{"stdout"}, Call: &pb.CallReference{SessionId: "s", CallId: "c-" + strconv.Itoa(w.calls)},
	}}}}
	for i, part := range slices.Collect(slices.Chunk([]byte("first line\n"+text+"\nlast line\n"), 7)) {
		if messages = append(messages, servertest.Chunk("stdout", part)); i%5 == 4 {
			messages = append(messages, servertest.Snapshot(done))
		}
	}
	wire := &servertest.Wire{Ctx: t.Context(), Requests: append(messages, servertest.Finish(done))}
	if err := w.ProjectStream(wire.Call()); err != nil {
		t.Fatal(err)
	}
	for _, answer := range wire.Answers {
		w.look(name, "answer of a stream", wireOf(t, answer))
	}
	w.look(name, "record of a stream", wireOf(t, w.Last(t, 1)[0]))
}

// everything looks in an answer, in its record, in new artifacts, and in what is made of the answer.
func (w *watch) everything(t *testing.T, name string, resp *pb.ProjectResponse) {
	w.look(name, "answer", wireOf(t, resp))
	w.look(name, "receipt", []byte(resp.GetReceipt().GetText()))
	if text, err := envelope.ToJSON(resp.GetCanonical()); err == nil {
		w.look(name, "JSON", text)
	}
	record := w.Last(t, 1)[0]
	w.look(name, "record", wireOf(t, record))
	for _, p := range record.GetPayloads() {
		if path := p.GetOriginalArtifact(); path != "" {
			w.originals[path] = true
		}
	}
	var artifacts []string
	err := w.Store.Walk(t.Context(), func(a artifactstore.StoredArtifact) error {
		if w.read[a.Name] {
			return nil
		}
		w.read[a.Name] = true
		for path := range w.originals {
			if strings.HasSuffix(path, a.Name) {
				return nil
			}
		}
		r, err := w.Store.Open(context.Background(), a.Name)
		if err != nil {
			return err
		}
		defer r.Close()
		content, err := io.ReadAll(r)
		w.look(name, "artifact", content)
		artifacts = append(artifacts, a.Name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, artifact := range artifacts {
		w.pages(t, name, artifact)
	}
}

// look looks in one text.
func (w *watch) look(name, where string, text []byte) {
	for _, secret := range w.secrets {
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(html.EscapeString(secret))) {
			if w.found == nil {
				w.found = map[string]string{}
			}
			at := bytes.Index(text, []byte(secret[:6]))
			w.found[name] = fmt.Sprintf("%s has it: %.300q", where, text[max(0, at-100):])
		}
	}
}

func wireOf(t *testing.T, m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
