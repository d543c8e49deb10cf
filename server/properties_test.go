package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/tokens"
)

// house is a service over a store in memory.
type house struct {
	pb.ToolResultServiceServer
	services *server.Services
	registry *families.Registry
	store    *memory.Store
	families []families.Family
	types    envelope.Types // of the custom families

	redacting redact.Options // of everything that is projected
}

func newHouse(t testing.TB) house {
	t.Helper()
	h := house{store: memory.New(), types: envelope.Types{}, families: families.BuiltIn()}
	custom, err := families.LoadCustomFamilies("../docs/examples/acme.binpb")
	if err != nil {
		t.Fatal(err)
	}
	h.families = append(h.families, custom...)
	for _, f := range custom {
		h.types[f.Name] = f.Type
	}
	r, err := families.NewRegistry(h.families...)
	if err != nil {
		t.Fatal(err)
	}
	h.registry = r
	return h.with(t)
}

// with returns the house with services whose parts are changed.
func (h house) with(t testing.TB, changes ...func(*server.Parts)) house {
	t.Helper()
	h.services = newServices(t, h.registry, h.store, append(changes, withSecrets(t, registered(), &h.redacting))...)
	h.ToolResultServiceServer = h.services.Results
	return h
}

// names are those of the families.
func (h house) names() (list []string) {
	for _, f := range h.families {
		list = append(list, f.Name)
	}
	return list
}

// eachFamily runs a property for every family of the registry, for those of the
// example of a descriptor set, and for errors. Under the race detector it takes every
// fourth: what is raced for is the same for all.
func (h house) eachFamily(t *testing.T, property func(t *testing.T, family string)) {
	for i, f := range h.families {
		if raceDetector && i%4 > 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			property(t, f.Name)
		})
	}
	t.Run("error", func(t *testing.T) { property(t, "") })
}

// project projects a generated output. Some outputs break a rule between fields
// that the generator does not find out, and some budgets are too small.
func (h house) project(t *rapid.T, family string, policy *pb.ProjectionPolicy) (*pb.ProjectRequest, *pb.ProjectResponse) {
	req := &pb.ProjectRequest{Output: h.outputOf(family).Draw(t, "output"), Policy: policy}
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

// Design properties 1 to 7 and 9, for every family and any tool bytes.
func TestProjection(t *testing.T) {
	h := newHouse(t)
	h.eachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			req, resp := h.project(t, family, policies().Draw(t, "policy"))
			checkBudget(t, resp.GetReceipt(), req.GetPolicy().GetRender().GetBudget())
			h.checkCanonical(t, resp.GetCanonical())
			h.checkReceipt(t, resp)
			h.checkStored(t, req.GetOutput(), resp.GetCanonical())
			again, err := h.Project(t.Context(), req)
			if err != nil || !proto.Equal(resp, again) {
				t.Fatalf("a second call answers differently: %v\n%s", err, cmp.Diff(resp, again, protocmp.Transform()))
			}
		})
	})
}

// exact is the counter of every policy that names none.
var exact = func() tokens.Counter {
	c, err := tokens.O200k()
	if err != nil {
		panic(err)
	}
	return c
}()

func checkBudget(t *rapid.T, r *pb.Receipt, b *pb.Budget) {
	lines := strings.Count(r.GetText(), "\n") + 1
	if n := exact.Count(r.GetText()); n != int(r.GetTokens()) || b.GetMaxTokens() > 0 && n > int(b.GetMaxTokens()) {
		t.Fatalf("%d tokens, said to be %d, of %d", n, r.GetTokens(), b.GetMaxTokens())
	}
	if b.GetMaxLines() > 0 && lines > int(b.GetMaxLines()) || b.GetMaxBytes() > 0 && len(r.GetText()) > int(b.GetMaxBytes()) {
		t.Fatalf("%d lines, %d bytes for %v", lines, len(r.GetText()), b)
	}
}

// checkCanonical checks validity and the RFC's JSON in both directions.
func (h house) checkCanonical(t *rapid.T, c *pb.CanonicalToolResult) {
	if err := envelope.ValidateCanonical("", c, h.types); err != nil {
		t.Fatalf("%v in\n%v", err, c)
	}
	text, err := envelope.ToJSON(c)
	if err != nil {
		t.Fatal(err)
	}
	family, _ := h.types.Open(c)
	back, err := envelope.FromJSON(text, family)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(c, back, protocmp.Transform()); diff != "" {
		t.Fatal(diff)
	}
}

// checkReceipt parses the receipt: no tool byte may change what the renderer
// said, and whatever was left out is said with the place of all of it.
func (h house) checkReceipt(t *rapid.T, resp *pb.ProjectResponse) {
	text := resp.GetReceipt().GetText()
	family, payload := h.types.Open(resp.GetCanonical())
	renderer := h.renderer(t, family)
	parsed, err := renderer.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	byLabel := cmpopts.SortSlices(func(a, b renderers.Section) bool { return a.Label < b.Label })
	if diff := cmp.Diff(said(renderer.Document(resp.GetCanonical())), said(parsed), byLabel, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the receipt reads differently:\n%s\n%s", diff, text)
	}
	if payload == nil {
		return
	}
	eachLarge(payload, func(at string, truncated bool, artifact string) {
		if truncated && !strings.Contains(text, artifact) {
			t.Fatalf("%s is truncated, and the receipt does not say where all of it is\n%s", at, text)
		}
	})
}

// describing is a renderer whose receipts can be compared with what they say.
type describing interface {
	Document(*pb.CanonicalToolResult) renderers.Document
	Parse(text string) (renderers.Document, error)
}

func (h house) renderer(t interface{ Fatalf(string, ...any) }, family string) describing {
	renderer := renderers.Error()
	for _, f := range h.families {
		if f.Name == family {
			renderer = f.Renderer
		}
	}
	describe, ok := renderer.(describing)
	if !ok {
		t.Fatalf("the renderer of %s does not describe", family)
	}
	return describe
}

// said is a document with its lines as a receipt has them.
func said(d renderers.Document) renderers.Document {
	d.Outcome = strings.ReplaceAll(textscan.OneLine(d.Outcome), "\t", " ")
	for i := range d.Facts {
		d.Facts[i].Value = textscan.OneLine(d.Facts[i].Value)
	}
	return d
}

// eachLarge visits the large fields and lists of a payload.
func eachLarge(payload protoreflect.Message, visit func(at string, truncated bool, artifact string)) {
	envelope.Walk("", payload, func(path string, m protoreflect.Message) {
		fields, lists := envelope.LargeFields(m.Descriptor()), envelope.LargeLists(m.Descriptor())
		for i := range fields {
			v := fields[i].Get(m)
			visit(path+"."+fields[i].Name, v.Truncated, v.Artifact)
			if v.Truncated && v.Artifact == "" && v.Source.GetVisibleBytes() != v.Source.GetBytes() {
				panic(path + "." + fields[i].Name + " left bytes out and kept them nowhere")
			}
		}
		for i := range lists {
			v := lists[i].Get(m)
			visit(path+"."+lists[i].Name, v.Truncated, v.Artifact)
			if v.Truncated && v.Artifact == "" {
				panic(path + "." + lists[i].Name + " left elements out and kept them nowhere")
			}
		}
	})
}

// checkStored reads every artifact back: it holds bytes that were given, or what
// its digest says, or a list line by line.
func (h house) checkStored(t *rapid.T, out *pb.CompleteToolOutput, c *pb.CanonicalToolResult) {
	known := map[string]bool{}
	out = redaction.NewPass(h.redacting).Redact(out, h.family(out), nil)
	collect(out.ProtoReflect(), known)
	if t := h.types[out.GetCustom().GetType()]; t != nil {
		collect(t.Read(envelope.NewChecker(""), out.GetCustom()), known)
	}
	for _, m := range h.opened(c) {
		collect(m, known)
		envelopePaths(m, func(path string) {
			if content := readBack(t, h.store, path); !known[digest(content)] {
				t.Fatalf("%s holds %d bytes that nobody gave: %.200q of\n%v", path, len(content), content, c)
			}
		})
	}
}

// family is that of an output.
func (h house) family(out *pb.CompleteToolOutput) *families.Family {
	name := envelope.Family(out)
	if out.GetCustom() != nil {
		name = out.GetCustom().GetType()
	}
	for i := range h.families {
		if h.families[i].Name == name {
			return &h.families[i]
		}
	}
	return &families.Family{}
}

// opened are the payload and the error of a result, whichever it has.
func (h house) opened(c *pb.CanonicalToolResult) (list []protoreflect.Message) {
	if c.GetError() != nil {
		list = append(list, c.GetError().ProtoReflect())
	}
	if _, payload := h.types.Open(c); payload != nil {
		list = append(list, payload)
	}
	return list
}

func readBack(t *rapid.T, store *memory.Store, path string) []byte {
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

func digest(content []byte) string { return fmt.Sprintf("blake3:%x", blake3.Sum256(content)) }

// collect gathers the digests of every bytes field and list of a message, and
// the digests that it states.
func collect(m protoreflect.Message, into map[string]bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList():
			into[digest(envelope.ListText(f, v.List()))] = f.Kind() != protoreflect.BytesKind
			for i := range v.List().Len() {
				if f.Message() != nil {
					collect(v.List().Get(i).Message(), into)
				}
			}
		case f.Kind() == protoreflect.BytesKind:
			into[digest(v.Bytes())] = true
		case f.Name() == "digest":
			into[v.String()] = true
		case f.Message() != nil:
			collect(v.Message(), into)
		}
		return true
	})
}

func envelopePaths(m protoreflect.Message, visit func(path string)) {
	if m.Descriptor().FullName() == "toolresult.v1.ArtifactReference" {
		visit(m.Get(m.Descriptor().Fields().ByName("path")).String())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() != nil && f.IsList():
			for i := range v.List().Len() {
				envelopePaths(v.List().Get(i).Message(), visit)
			}
		case f.Message() != nil:
			envelopePaths(v.Message(), visit)
		}
		return true
	})
}

// Render of what Project answered gives the same receipt.
func TestRenderRepeatsTheReceipt(t *testing.T) {
	h := newHouse(t)
	h.eachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			req, resp := h.project(t, family, policies().Draw(t, "policy"))
			rendered, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: req.GetPolicy().GetRender()})
			if err != nil || !proto.Equal(rendered.GetReceipt(), resp.GetReceipt()) {
				t.Fatalf("%v\n%s", err, cmp.Diff(resp.GetReceipt(), rendered.GetReceipt(), protocmp.Transform()))
			}
		})
	})
}

// A family whose outputs the generator hardly ever gets right would be covered in
// name only.
func TestEveryFamilyIsGenerated(t *testing.T) {
	h := newHouse(t)
	h.eachFamily(t, func(t *testing.T, family string) {
		const tries = 60
		served := 0
		for seed := range tries {
			out := h.outputOf(family).Example(seed)
			if _, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: &pb.ProjectionPolicy{
				Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}},
			}}); err == nil {
				served++
			}
		}
		if served < tries/5 {
			t.Errorf("%d of %d generated outputs are served", served, tries)
		}
	})
}

// Property 6 and C11: compaction is idempotent and monotone, never undone, and
// keeps what must be kept.
func TestCompaction(t *testing.T) {
	h := newHouse(t)
	const (
		trimmed = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED
		handles = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
		line    = pb.CompactionLevel_COMPACTION_LEVEL_LINE
	)
	h.eachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			policy := policies().Draw(t, "policy")
			policy.Render.Budget = &pb.Budget{MaxTokens: rapid.SampledFrom([]uint32{500, 3000, 20000}).Draw(t, "tokens")}
			_, resp := h.project(t, family, policy)
			n := rapid.Uint32Range(16, 600).Draw(t, "n")
			before := proto.CloneOf(resp.GetCanonical())
			last, lastTokens := resp.GetCanonical(), exact.Count(resp.GetReceipt().GetText())
			for _, step := range []struct {
				level pb.CompactionLevel
				n     uint32
			}{{trimmed, n + 100}, {trimmed, n}, {handles, 0}, {line, 0}, {trimmed, n}} {
				if last != resp.GetCanonical() && h.isMasked(last) {
					return
				}
				got := h.compact(t, last, step.level, step.n)
				one := h.only(t, last, got)
				h.checkCanonical(t, one.GetCanonical())
				h.checkKept(t, last, one.GetCanonical())
				h.checkReceipt(t, &pb.ProjectResponse{Canonical: one.GetCanonical(), Receipt: one.GetReceipt()})
				if changed := !proto.Equal(last, one.GetCanonical()); changed != (got.FirstChanged != nil) || changed != (len(got.GetResults()) > 0) {
					t.Fatalf("changed is %v: %v", changed, got)
				}
				if again := h.compact(t, one.GetCanonical(), step.level, step.n); again.FirstChanged != nil {
					t.Fatalf("compacting again changes\n%s", cmp.Diff(one.GetCanonical(), again.GetResults()[0].GetCanonical(), protocmp.Transform()))
				}
				if count := exact.Count(one.GetReceipt().GetText()); count > lastTokens {
					t.Fatalf("level %v shows %d tokens after %d\n%s", step.level, count, lastTokens, one.GetReceipt().GetText())
				} else {
					last, lastTokens = one.GetCanonical(), count
				}
				for _, m := range h.opened(last) {
					envelopePaths(m, func(path string) { readBack(t, h.store, path) })
				}
			}
			if !proto.Equal(before, resp.GetCanonical()) {
				t.Fatal("Compact changed its request")
			}
		})
	})
}

// isMasked reports whether a result is masked when it is given again: a cut can leave of a text that is no secret, such as a value of
// many kilobytes, what looks like one. Then it reads differently from there on, without a compaction.
func (h house) isMasked(r *pb.CanonicalToolResult) bool {
	clean := proto.CloneOf(r)
	redaction.NewPass(h.redacting).Mask(clean.ProtoReflect())
	return !proto.Equal(clean, r)
}

// only is the one result of a compaction, also when it stayed as it was.
func (h house) only(t *rapid.T, given *pb.CanonicalToolResult, resp *pb.CompactResponse) *pb.CompactedResult {
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

func (h house) compact(t *rapid.T, c *pb.CanonicalToolResult, level pb.CompactionLevel, n uint32) *pb.CompactResponse {
	resp, err := h.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: c}}},
		Policy:  &pb.CompactionPolicy{Level: level, PreviewTokens: n},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// checkKept compares what compaction has no right to touch: by the retention of
// the contract.
func (h house) checkKept(t *rapid.T, before, after *pb.CanonicalToolResult) {
	if diff := cmp.Diff(h.kept(before), h.kept(after), protocmp.Transform()); diff != "" {
		t.Fatalf("compaction touched what it must keep\n%s", diff)
	}
	had := map[string]bool{}
	for _, m := range h.opened(after) {
		envelopePaths(m, func(path string) { had[path] = true })
	}
	for _, m := range h.opened(before) {
		envelopePaths(m, func(path string) {
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
func (h house) kept(c *pb.CanonicalToolResult) []proto.Message {
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
	for _, payload := range h.opened(c) {
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
func (h house) sizes(c *pb.CanonicalToolResult) map[string]uint64 {
	all := map[string]uint64{}
	_, payload := h.types.Open(c)
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
