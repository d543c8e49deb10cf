package pipeline_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
)

// Every form of an answer is the same result: the JSON reads back as the message, renders to the same receipt, and has
// no white space of ours. The record is the same whatever was asked for.
func TestFormsAreOfOneResult(t *testing.T) {
	a := newArchive(t)
	for i, family := range append(a.Names(), "") {
		if servertest.Race && i%6 > 0 {
			continue
		}
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req, message := a.ProjectAny(t, family, servertest.Policies().Draw(t, "policy"))
				digest := a.Last(t, 1)[0].GetPolicyDigest()
				req.CanonicalForm = pb.CanonicalForm(rapid.Int32Range(0, 3).Draw(t, "form"))
				resp, err := a.Project(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				checkForm(t, message, resp, req.GetCanonicalForm())
				record := a.Last(t, 1)[0]
				if !req.GetPolicy().GetSegments() { // the record has them all the same
					a.Types.WithoutSegments(record.GetCanonical())
				}
				if !proto.Equal(record.GetCanonical(), message.GetCanonical()) || record.GetPolicyDigest() != digest || record.GetFamily() != resp.GetFamily() {
					t.Fatalf("%v changes the record: %v", req.GetCanonicalForm(), record)
				}
				a.checkRendered(t, req, message)
				a.checkParsed(t, message)
			})
		})
	}
}

func checkForm(t *rapid.T, message, resp *pb.ProjectResponse, form pb.CanonicalForm) {
	wantsJSON := form == pb.CanonicalForm_CANONICAL_FORM_JSON || form == pb.CanonicalForm_CANONICAL_FORM_BOTH
	if (resp.GetCanonical() != nil) != (form != pb.CanonicalForm_CANONICAL_FORM_JSON) || (resp.GetCanonicalJson() != "") != wantsJSON {
		t.Fatalf("%v answers %v", form, resp)
	}
	if resp.GetCanonical() != nil && !proto.Equal(resp.GetCanonical(), message.GetCanonical()) || !proto.Equal(resp.GetReceipt(), message.GetReceipt()) {
		t.Fatalf("%v is another result", form)
	}
	if !wantsJSON {
		return
	}
	indented, err := envelope.ToJSON(message.GetCanonical())
	var compact bytes.Buffer
	if err != nil || json.Compact(&compact, indented) != nil || compact.String() != resp.GetCanonicalJson() {
		t.Fatalf("%v\n%s is not\n%s", err, resp.GetCanonicalJson(), compact.String())
	}
	back, err := envelope.FromJSON([]byte(resp.GetCanonicalJson()), resp.GetFamily())
	if err != nil || !proto.Equal(back, message.GetCanonical()) {
		t.Fatalf("%v, %v is not\n%v", err, back, message.GetCanonical())
	}
}

// checkRendered renders the message and the JSON of a result: the receipts are the same, or the rejections.
func (a harness) checkRendered(t *rapid.T, req *pb.ProjectRequest, resp *pb.ProjectResponse) {
	text, err := envelope.ToCompactJSON(resp.GetCanonical())
	if err != nil {
		t.Fatal(err)
	}
	policy := req.GetPolicy().GetRender()
	want, failed := a.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: policy})
	got, err := a.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_CanonicalJson{CanonicalJson: string(text)}, Family: resp.GetFamily(), Policy: policy})
	if (err == nil) != (failed == nil) || !proto.Equal(got, want) {
		t.Fatalf("%v, %v is not %v, %v", got, err, want, failed)
	}
}

// checkParsed compares what the RPC reads in a receipt with what the renderer says of the result.
func (a harness) checkParsed(t *rapid.T, resp *pb.ProjectResponse) {
	got, err := a.ParseReceipt(t.Context(), &pb.ParseReceiptRequest{Text: resp.GetReceipt().GetText(), Family: resp.GetFamily()})
	if err != nil {
		t.Fatalf("%v\n%s", err, resp.GetReceipt().GetText())
	}
	want := servertest.Said(a.Renderer(t, resp.GetFamily()).Document(resp.GetCanonical()))
	if got.GetOutcome() != want.Outcome || len(got.GetFacts()) != len(want.Facts) || len(got.GetSections()) != len(want.Sections) {
		t.Fatalf("%v is not %v", got, want)
	}
	for i, f := range want.Facts {
		if got.GetFacts()[i].GetLabel() != f.Label || got.GetFacts()[i].GetValue() != f.Value {
			t.Fatalf("%v is not %v", got.GetFacts()[i], f)
		}
	}
	for _, w := range want.Sections {
		i := slices.IndexFunc(got.GetSections(), func(s *pb.ReceiptSection) bool { return s.GetLabel() == w.Label })
		if i < 0 || (got.GetSections()[i].GetExtent() != nil) != (w.Extent != nil) {
			t.Fatalf("%v has not %v", got, w)
		}
		s := got.GetSections()[i]
		if e := w.Extent; e != nil && (int64(s.GetExtent().GetLines()+s.GetExtent().GetIndentedLines()+s.GetExtent().GetReportLines()+s.GetExtent().GetTableLines()) != e.Lines || int64(s.GetExtent().GetBytes()) != e.Bytes ||
			int64(s.GetExtent().GetShown()) != e.Shown || int64(s.GetExtent().GetEntries()) != e.Entries || s.GetExtent().GetHandle() != e.Artifact) {
			t.Fatalf("%v is not %v", s.GetExtent(), e)
		}
		gaps := w.Gaps()
		for j, piece := range w.Body {
			m := s.GetBody()[j].GetMark()
			if (m != nil) != (piece.Mark != nil) || s.GetBody()[j].GetText() != piece.Text || int64(s.GetBody()[j].GetFirstLine()) != piece.First {
				t.Fatalf("%v is not %v", s.GetBody()[j], piece)
			}
			if m == nil {
				continue
			}
			if g := (renderers.Gap{First: int64(m.GetFirstLine()), Last: int64(m.GetLastLine())}); g != gaps[0] || m.GetInside() != (piece.Mark.Bytes > 0) ||
				int64(m.GetBytes()) != piece.Mark.Bytes || int64(m.GetValues()) != piece.Mark.Values || int64(m.GetTotalValues()) != piece.Mark.Total ||
				(m.GetLikeLine() > 0) != (piece.Mark.Like > 0) {
				t.Fatalf("%v is not %v at %v", m, piece.Mark, gaps[0])
			}
			gaps = gaps[1:]
		}
	}
}

// A repeated call is answered in the form that it asks for now, and its record is the first one.
func TestFormOfARepeatedCall(t *testing.T) {
	a := newArchive(t)
	req := &pb.ProjectRequest{Output: servertest.Small("T", "hello"), RequestId: "r1", Call: &pb.CallReference{SessionId: "s", CallId: "c"}}
	first, err := a.Project(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.CanonicalForm = pb.CanonicalForm_CANONICAL_FORM_JSON
	again, err := a.Project(t.Context(), req)
	want, _ := envelope.ToCompactJSON(first.GetCanonical())
	if err != nil || again.GetCanonical() != nil || again.GetCanonicalJson() != string(want) || again.GetFamily() != "text" {
		t.Fatalf("%v, %v", again, err)
	}
	turn := &pb.ProjectTurnRequest{TotalTokens: 1000, RequestId: "r2", Outputs: []*pb.ProjectRequest{
		{Output: servertest.Small("T", "one"), CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_BOTH},
		{Output: servertest.Small("T", "two"), CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_JSON},
	}}
	once, err := a.ProjectTurn(t.Context(), turn)
	if err != nil || once.GetResults()[0].GetCanonical() == nil || once.GetResults()[0].GetCanonicalJson() == "" || once.GetResults()[1].GetCanonical() != nil {
		t.Fatalf("%v, %v", once, err)
	}
	if twice, err := a.ProjectTurn(t.Context(), turn); err != nil || !proto.Equal(once, twice) {
		t.Fatalf("%v, %v", twice, err)
	}
}

// Snapshots and the result of a stream have the form of the header.
func TestFormOfAStream(t *testing.T) {
	a := newArchive(t)
	header := &pb.StreamHeader{Family: "command", CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_JSON}
	requests := []*pb.ProjectStreamRequest{{Message: &pb.ProjectStreamRequest_Header{Header: header}}, servertest.Chunk("stdout", []byte("a\n")), servertest.Chunk("stderr", []byte("b\n"))}
	answers, err := a.Stream(t.Context(), append(requests, servertest.Snapshot(servertest.Completed()), servertest.Finish(servertest.Completed())))
	if err != nil || len(answers) != 2 {
		t.Fatalf("%v, %v", answers, err)
	}
	for _, resp := range []*pb.ProjectResponse{answers[0].GetSnapshot(), answers[1].GetResult()} {
		if resp.GetCanonical() != nil || !strings.HasPrefix(resp.GetCanonicalJson(), `{"tool_name":`) || resp.GetFamily() != "command" {
			t.Errorf("%v", resp)
		}
	}
}

func TestFormsAndSourcesThatAreRejected(t *testing.T) {
	a := newArchive(t)
	const unknown = pb.CanonicalForm(99)
	project := func(req *pb.ProjectRequest) error { _, err := a.Project(t.Context(), req); return err }
	render := func(req *pb.RenderRequest) error { _, err := a.Render(t.Context(), req); return err }
	asJSON := func(text, family string) error {
		return render(&pb.RenderRequest{Result: &pb.RenderRequest_CanonicalJson{CanonicalJson: text}, Family: family})
	}
	parse := func(text, family string) error {
		_, err := a.ParseReceipt(t.Context(), &pb.ParseReceiptRequest{Text: text, Family: family})
		return err
	}
	const text = `{"tool_name":"x","status":"success","summary_text":"s","result":{"empty":true},"error":null}`
	_, streamed := a.Stream(t.Context(), []*pb.ProjectStreamRequest{{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command", CanonicalForm: unknown}}}})
	_, turned := a.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{TotalTokens: 100, Outputs: []*pb.ProjectRequest{{Output: servertest.Small("T", "x")}, {Output: servertest.Small("T", "x"), CanonicalForm: unknown}}})
	for name, c := range map[string]struct {
		err           error
		reason, field string
	}{
		"form":              {project(&pb.ProjectRequest{Output: servertest.Small("T", "x"), CanonicalForm: unknown}), "ENUM_UNKNOWN", "canonical_form"},
		"form of a stream":  {streamed, "ENUM_UNKNOWN", "header.canonical_form"},
		"form in a turn":    {turned, "ENUM_UNKNOWN", "outputs[1].canonical_form"},
		"no result":         {render(&pb.RenderRequest{}), "FIELD_MISSING", "canonical"},
		"no JSON":           {asJSON("", "text"), "JSON_INVALID", "canonical_json"},
		"no member":         {asJSON(`{"result":{"pid":1}}`, "command"), "JSON_INVALID", "canonical_json.result.pid"},
		"no result in JSON": {asJSON(`{"tool_name":"x","status":"success","summary_text":"s"}`, ""), "ENVELOPE_EXCLUSIVITY", "canonical_json.result"},
		"no such family":    {asJSON(text, "acme.v1.Nothing!"), "FAMILY_UNKNOWN", "family"},
		"many families":     {asJSON(text, ""), "FIELD_MISSING", "canonical_json.result"},
		"no call":           {render(&pb.RenderRequest{Call: &pb.CallReference{SessionId: "s"}}), "FIELD_MISSING", "canonical"},
		"no session":        {render(&pb.RenderRequest{Call: &pb.CallReference{CallId: "c"}}), "FIELD_MISSING", "call.session_id"},
		"no record":         {render(&pb.RenderRequest{Call: &pb.CallReference{SessionId: "s", CallId: "c"}}), "RECORD_NOT_FOUND", ""},
		"no text":           {parse("", ""), "FIELD_MISSING", "text"},
		"no receipt":        {parse("hello", ""), "RECEIPT_INVALID", "text"},
		"no receipt family": {parse("hello", "nothing"), "FAMILY_UNKNOWN", "family"},
	} {
		if reason, field := servertest.Reason(c.err); c.err == nil || reason != c.reason || field != c.field {
			t.Errorf("%s: %v is %s of %s, not %s of %s", name, c.err, reason, field, c.reason, c.field)
		}
	}
	if err := asJSON(text, "text"); err != nil {
		t.Error(err)
	}
}

// The latest result of a call is rendered of the record, and for a confined caller those of its session alone.
func TestRenderOfTheRecord(t *testing.T) {
	a := newArchive(t)
	call := &pb.CallReference{SessionId: "s", CallId: "c", AgentId: "a", Generation: 2}
	var latest *pb.ProjectResponse
	for _, text := range []string{"first", "second"} {
		var err error
		if latest, err = a.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Small("T", text), Call: call}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Small("T", "other"), Call: &pb.CallReference{SessionId: "s2", CallId: "c"}}); err != nil {
		t.Fatal(err)
	}
	resp, err := a.Render(t.Context(), &pb.RenderRequest{Call: call})
	if err != nil || !proto.Equal(resp.GetReceipt(), latest.GetReceipt()) {
		t.Fatalf("%v, %v", resp, err)
	}
	if record := a.Last(t, 1)[0]; !proto.Equal(record.GetCall(), call) || record.GetKind() != pb.AuditKind_AUDIT_KIND_RENDERING || record.GetFamily() != "text" {
		t.Errorf("recorded as %v", record)
	}
	own, err := a.Render(servertest.Confined(t.Context(), "s"), &pb.RenderRequest{Call: &pb.CallReference{CallId: "c"}})
	if err != nil || !proto.Equal(own.GetReceipt(), latest.GetReceipt()) {
		t.Errorf("%v, %v", own, err)
	}
	_, err = a.Render(servertest.Confined(t.Context(), "s2"), &pb.RenderRequest{Call: call})
	if reason, _ := servertest.Reason(err); reason != "SESSION_MISMATCH" {
		t.Error(err)
	}
	_, err = newHarness(t).Render(t.Context(), &pb.RenderRequest{Call: call})
	if reason, _ := servertest.Reason(err); reason != "AUDIT_DISABLED" {
		t.Error(err)
	}
}
