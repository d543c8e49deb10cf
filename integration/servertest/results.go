package servertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/tokens"
)

// Exact is the counter of every policy that names none.
var Exact = func() tokens.Counter {
	c, err := tokens.O200k()
	if err != nil {
		panic(err)
	}
	return c
}()

// CheckBudget checks the tokens of a receipt, and that it fits its budget.
func CheckBudget(t *rapid.T, r *pb.Receipt, b *pb.Budget) {
	lines := strings.Count(r.GetText(), "\n") + 1
	if n := Exact.Count(r.GetText()); n != int(r.GetTokens()) || b.GetMaxTokens() > 0 && n > int(b.GetMaxTokens()) {
		t.Fatalf("%d tokens, said to be %d, of %d", n, r.GetTokens(), b.GetMaxTokens())
	}
	if b.GetMaxLines() > 0 && lines > int(b.GetMaxLines()) || b.GetMaxBytes() > 0 && len(r.GetText()) > int(b.GetMaxBytes()) {
		t.Fatalf("%d lines, %d bytes for %v", lines, len(r.GetText()), b)
	}
}

// CheckCanonical checks validity and the RFC's JSON in both directions.
func (h *Generator) CheckCanonical(t *rapid.T, c *pb.CanonicalToolResult) {
	if err := envelope.ValidateCanonical("", c, h.Types); err != nil {
		t.Fatalf("%v in\n%v", err, c)
	}
	text, err := envelope.ToJSON(c)
	if err != nil {
		t.Fatal(err)
	}
	family, _ := h.Types.Open(c)
	back, err := envelope.FromJSON(text, family)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(c, back, protocmp.Transform()); diff != "" {
		t.Fatal(diff)
	}
}

// CheckReceipt parses the receipt: no tool byte may change what the renderer
// said, and each cut names the artifact with the whole.
func (h *Generator) CheckReceipt(t *rapid.T, resp *pb.ProjectResponse) {
	text := resp.GetReceipt().GetText()
	family, payload := h.Types.Open(resp.GetCanonical())
	renderer := h.Renderer(t, family)
	parsed, err := renderer.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	byLabel := cmpopts.SortSlices(func(a, b renderers.Section) bool { return a.Label < b.Label })
	if diff := cmp.Diff(Said(renderer.Document(resp.GetCanonical())), Said(parsed), byLabel, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the receipt reads differently:\n%s\n%s", diff, text)
	}
	if payload == nil {
		return
	}
	EachLarge(payload, func(at string, truncated bool, artifact, original string) {
		if truncated && !strings.Contains(text, artifact) && (original == "" || !strings.Contains(text, original)) {
			t.Fatalf("%s is truncated, and the receipt does not say where all of it is\n%s", at, text)
		}
	})
}

// A Describing is a renderer whose receipts can be compared with what they say.
type Describing interface {
	Document(*pb.CanonicalToolResult) renderers.Document
	Parse(text string) (renderers.Document, error)
}

// Renderer returns the renderer of a family; that of errors for an empty name.
func (h *Generator) Renderer(t interface{ Fatalf(string, ...any) }, family string) Describing {
	renderer := renderers.Error()
	for _, f := range h.Families {
		if f.Name == family {
			renderer = f.Renderer
		}
	}
	describe, ok := renderer.(Describing)
	if !ok {
		t.Fatalf("the renderer of %s does not describe", family)
	}
	return describe
}

// Said returns a document with its lines as a receipt has them.
func Said(d renderers.Document) renderers.Document {
	d.Outcome = strings.ReplaceAll(textscan.OneLine(d.Outcome), "\t", " ")
	for i := range d.Facts {
		d.Facts[i].Value = textscan.OneLine(d.Facts[i].Value)
	}
	return d
}

// EachLarge visits the large fields and lists of a payload. artifact is the path of the whole field, and original that of
// the payload behind it, if the field is a readable form.
func EachLarge(payload protoreflect.Message, visit func(at string, truncated bool, artifact, original string)) {
	envelope.Walk("", payload, func(path string, m protoreflect.Message) {
		fields, lists := envelope.LargeFields(m.Descriptor()), envelope.LargeLists(m.Descriptor())
		for i := range fields {
			v := fields[i].Get(m)
			visit(path+"."+fields[i].Name, v.Truncated, v.Artifact, v.Original)
			if v.Truncated && v.Artifact == "" && v.Source.GetVisibleBytes() != v.Source.GetBytes() {
				panic(path + "." + fields[i].Name + " left bytes out and kept them nowhere")
			}
		}
		for i := range lists {
			v := lists[i].Get(m)
			visit(path+"."+lists[i].Name, v.Truncated, v.Artifact, "")
			if v.Truncated && v.Artifact == "" {
				panic(path + "." + lists[i].Name + " left elements out and kept them nowhere")
			}
		}
	})
}

// Opened returns the payload and the error of a result, whichever it has.
func (h *Generator) Opened(c *pb.CanonicalToolResult) (list []protoreflect.Message) {
	if c.GetError() != nil {
		list = append(list, c.GetError().ProtoReflect())
	}
	if _, payload := h.Types.Open(c); payload != nil {
		list = append(list, payload)
	}
	return list
}

// ReadBack returns the content of an artifact.
func ReadBack(t *rapid.T, store *memory.Store, path string) []byte {
	r, err := store.Open(context.Background(), path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		t.Fatalf("%s does not resolve: %v", path, err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// EachPath visits the paths of the artifacts that a message names.
func EachPath(m protoreflect.Message, visit func(path string)) {
	if m.Descriptor().FullName() == "toolresult.v1.ArtifactReference" {
		visit(m.Get(m.Descriptor().Fields().ByName("path")).String())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() != nil && f.IsList():
			for i := range v.List().Len() {
				EachPath(v.List().Get(i).Message(), visit)
			}
		case f.Message() != nil:
			EachPath(v.Message(), visit)
		}
		return true
	})
}

// IsMasked reports whether a result is masked when it is given again: a cut can leave of a text that is no secret, such as a value of
// many kilobytes, what looks like one. Then it reads differently from there on, without a compaction.
func (h *Generator) IsMasked(r *pb.CanonicalToolResult) bool {
	clean := proto.CloneOf(r)
	redaction.NewPass(h.Redacting).Mask(clean.ProtoReflect())
	return !proto.Equal(clean, r)
}

// Only returns the one result of a compaction, also if it stayed as it was.
func (h *Harness) Only(t *rapid.T, given *pb.CanonicalToolResult, resp *pb.CompactResponse) *pb.CompactedResult {
	if len(resp.GetResults()) > 0 {
		return resp.GetResults()[0]
	}
	rendered, err := h.Render(t.Context(), &pb.RenderRequest{
		Result: &pb.RenderRequest_Canonical{Canonical: given}, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &pb.CompactedResult{Canonical: given, Receipt: rendered.GetReceipt()}
}

// CompactOne compacts one result.
func (h *Harness) CompactOne(t *rapid.T, c *pb.CanonicalToolResult, level pb.CompactionLevel, n uint32) *pb.CompactResponse {
	resp, err := h.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: c}}},
		Policy:  &pb.CompactionPolicy{Level: level, PreviewTokens: n},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// CheckKept compares what compaction has no right to touch: by the retention of
// the contract.
func (h *Generator) CheckKept(t *rapid.T, before, after *pb.CanonicalToolResult) {
	if diff := cmp.Diff(h.kept(before), h.kept(after), protocmp.Transform()); diff != "" {
		t.Fatalf("compaction touched what it must keep\n%s", diff)
	}
	had := map[string]bool{}
	for _, m := range h.Opened(after) {
		EachPath(m, func(path string) { had[path] = true })
	}
	for _, m := range h.Opened(before) {
		EachPath(m, func(path string) {
			if !had[path] {
				t.Fatalf("compaction lost %s", path)
			}
		})
	}
	if a, b := h.sizes(before), h.sizes(after); !cmp.Equal(a, b) {
		t.Fatalf("compaction forgot how much there was\n%s", cmp.Diff(a, b))
	}
}

// kept is a result without what may be shortened or removed, and without what
// says that this was done.
func (h *Generator) kept(c *pb.CanonicalToolResult) []proto.Message {
	c = proto.CloneOf(c)
	strip := func(m protoreflect.Message) {
		for name := range envelope.DerivedFields(m.Descriptor()) {
			if f := m.Descriptor().Fields().ByName(name); f != nil {
				m.Clear(f)
			}
		}
		for i := range m.Descriptor().Fields().Len() {
			if f := m.Descriptor().Fields().Get(i); envelope.Retention(f) != pb.Retention_RETENTION_KEEP {
				m.Clear(f)
			}
		}
		if e, ok := m.Interface().(*pb.ToolError); ok {
			e.DetailsOmitted = nil
		}
	}
	envelopeOnly := &pb.CanonicalToolResult{ToolName: c.GetToolName(), Status: c.GetStatus(), SummaryText: c.GetSummaryText()}
	stripped := []proto.Message{envelopeOnly}
	for _, payload := range h.Opened(c) {
		var all []protoreflect.Message
		envelope.Walk("", payload, func(_ string, m protoreflect.Message) { all = append(all, m) })
		for _, m := range all {
			strip(m)
		}
		stripped = append(stripped, payload.Interface())
	}
	return stripped
}

// sizes are how much there was of everything large.
func (h *Generator) sizes(c *pb.CanonicalToolResult) map[string]uint64 {
	all := map[string]uint64{}
	_, payload := h.Types.Open(c)
	if payload == nil {
		return all
	}
	trimmedList := map[string]bool{} // its elements are gone, with what was large in them
	envelope.Walk("", payload, func(path string, m protoreflect.Message) {
		fields, lists := envelope.LargeFields(m.Descriptor()), envelope.LargeLists(m.Descriptor())
		for i := range fields {
			v := fields[i].Get(m)
			all[path+"."+fields[i].Name] = uint64(len(v.Preview))
			if v.Source != nil {
				all[path+"."+fields[i].Name] = v.Source.GetBytes()
			}
		}
		for i := range lists {
			trimmedList[lists[i].Name] = true
			all[path+"."+lists[i].Name] = uint64(lists[i].Get(m).Total)
		}
	})
	for at := range all {
		for name := range trimmedList {
			if strings.Contains(at, name+"[") {
				delete(all, at)
			}
		}
	}
	return all
}

// ProjectAny projects a generated output. Some outputs break a rule between fields
// that the generator does not find out, and some budgets are too small.
func (h *Harness) ProjectAny(t *rapid.T, family string, policy *pb.ProjectionPolicy) (*pb.ProjectRequest, *pb.ProjectResponse) {
	req := &pb.ProjectRequest{Output: h.OutputOf(family).Draw(t, "output"), Policy: policy}
	given := proto.CloneOf(req)
	resp, err := h.Project(t.Context(), req)
	if !proto.Equal(given, req) {
		t.Fatal("Project changed its request")
	}
	var shortfall *envelope.ShortfallError
	var invalid *envelope.InvalidError
	switch {
	case errors.As(err, &shortfall):
		if shortfall.Needed <= shortfall.Budget {
			t.Fatalf("%v", err)
		}
		t.Skip("does not fit")
	case errors.As(err, &invalid):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return req, resp
}

// EachMessage visits a message and all that are in it.
func EachMessage(m protoreflect.Message, visit func(protoreflect.Message)) {
	visit(m)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				EachMessage(v.List().Get(i).Message(), visit)
			}
		case f.IsMap():
		default:
			EachMessage(v.Message(), visit)
		}
		return true
	})
}

// Content returns what an artifact holds.
func (h *Harness) Content(t *testing.T, path string) []byte {
	t.Helper()
	r, err := h.Store.Open(t.Context(), path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Canonical returns the canonical result of an output.
func (h *Harness) Canonical(t *testing.T, out *pb.CompleteToolOutput) *pb.CanonicalToolResult {
	t.Helper()
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetCanonical()
}

// SameDocument compares what was meant with what was read. The order of sections
// without text is free.
func SameDocument(meant, read *renderers.Document) error {
	if meant.Outcome != read.Outcome || meant.Brief != read.Brief {
		return fmt.Errorf("the outcome is %q, and reads %q", meant.Outcome, read.Outcome)
	}
	if !slices.Equal(meant.Facts, read.Facts) {
		return fmt.Errorf("the facts are %q, and read %q", meant.Facts, read.Facts)
	}
	if meant.Brief {
		return nil
	}
	if len(meant.Sections) != len(read.Sections) {
		return fmt.Errorf("there are %d sections, and %d are read", len(meant.Sections), len(read.Sections))
	}
	for i := range meant.Sections {
		m := &meant.Sections[i]
		at := slices.IndexFunc(read.Sections, func(s renderers.Section) bool { return s.Label == m.Label })
		if at < 0 {
			return fmt.Errorf("section %q is not read", m.Label)
		}
		if err := sameSection(m, &read.Sections[at]); err != nil {
			return fmt.Errorf("%s: %w", m.Label, err)
		}
	}
	return nil
}

func sameSection(m, r *renderers.Section) error {
	if (m.Extent == nil) != (r.Extent == nil) || m.Extent != nil && m.Extent.String() != r.Extent.String() {
		return fmt.Errorf("the extent is %v, and reads %v", m.Extent, r.Extent)
	}
	if len(m.Body) != len(r.Body) {
		return fmt.Errorf("there are %d pieces, and %d are read", len(m.Body), len(r.Body))
	}
	for i := range m.Body {
		a, b := &m.Body[i], &r.Body[i]
		if a.Text != b.Text || a.First != b.First || (a.Mark == nil) != (b.Mark == nil) || a.Mark != nil && *a.Mark != *b.Mark {
			return fmt.Errorf("piece %d is %q %v, and reads %q %v", i, a.Text, a.Mark, b.Text, b.Mark)
		}
	}
	return nil
}
