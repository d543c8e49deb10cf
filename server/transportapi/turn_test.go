package transportapi_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// picture is an image file that differs by its width.
func picture(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// looked projects an image that was looked at in a session.
func (a harness) looked(t *testing.T, session string, file []byte) *pb.ProjectResponse {
	t.Helper()
	resp, err := a.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{ToolName: "View", Result: &pb.CompleteToolOutput_ImageView{ImageView: &pb.ImageViewOutput{
			Content: &pb.ImageContent{Image: &pb.Payload{Source: &pb.Payload_Inline{Inline: file}}},
		}}},
		Call: &pb.CallReference{SessionId: session, CallId: "c"}, CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_BOTH,
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func turn(results ...*pb.TurnResult) *pb.EncodeTurnRequest {
	req := &pb.EncodeTurnRequest{Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, Assistant: &pb.AssistantTurn{}, Results: results}
	for i := range results {
		req.Assistant.ToolCalls = append(req.Assistant.ToolCalls, &pb.ParsedToolCall{Tool: "View", Id: proto.String("call_" + string(rune('a'+i)))})
	}
	return req
}

func resultOf(r *pb.CanonicalToolResult) *pb.TurnResult {
	return &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: r}}
}

// A result is the same turn as a message and as JSON, with its receipt and without, and it has the image for those
// who may read it. For others nothing shows that there ever was one.
func TestEncodeTurnReadsImages(t *testing.T) {
	a := newHarness(t)
	file := picture(t, 3)
	seen := a.looked(t, "mine", file)
	transport := a.transport
	req := turn(resultOf(seen.GetCanonical()))
	want, err := transport.EncodeTurn(t.Context(), req)
	if err != nil || !strings.Contains(want.GetMessagesJson()[1], base64.StdEncoding.EncodeToString(file)) || len(want.GetChanges()) > 0 {
		t.Fatalf("%v, %v", want, err)
	}
	asJSON := &pb.TurnResult{Content: &pb.TurnResult_CanonicalJson{CanonicalJson: seen.GetCanonicalJson()}, Family: seen.GetFamily(), Receipt: seen.GetReceipt()}
	asJSON.Status = pb.ToolStatus_TOOL_STATUS_SUCCESS
	given := turn(asJSON)
	given.SessionId = "mine"
	if got, err := transport.EncodeTurn(t.Context(), given); err != nil || !proto.Equal(got, want) {
		t.Errorf("%v, %v is not %v", got, err, want)
	}
	if got, err := transport.EncodeTurn(servertest.Confined(t.Context(), "mine"), req); err != nil || !proto.Equal(got, want) {
		t.Errorf("%v, %v is not %v", got, err, want)
	}
	req.SessionId = "other"
	foreign, err := transport.EncodeTurn(t.Context(), req)
	if err != nil || strings.Contains(foreign.GetMessagesJson()[1], "base64") || foreign.GetChanges()[0].GetChange() != pb.TurnChange_TURN_CHANGE_MEDIA {
		t.Errorf("%v, %v", foreign, err)
	}
	if got, err := transport.EncodeTurn(servertest.Confined(t.Context(), "other"), turn(resultOf(seen.GetCanonical()))); err != nil || !proto.Equal(got, foreign) {
		t.Errorf("%v, %v is not %v", got, err, foreign)
	}
	_, err = transport.EncodeTurn(servertest.Confined(t.Context(), "mine"), req)
	if reason, _ := servertest.Reason(err); reason != "SESSION_MISMATCH" {
		t.Error(err)
	}
}

// Images take no more of an answer than there is: what has no space is said, and the answer stays under the limit.
func TestEncodedImagesAreBounded(t *testing.T) {
	a := newHarness(t)
	const limit = 64 << 10
	var results []*pb.TurnResult
	for i := range 8 {
		file := append(picture(t, i+1), bytes.Repeat([]byte{byte(i)}, 20<<10)...)
		results = append(results, resultOf(a.looked(t, "s", file).GetCanonical()))
	}
	resp, err := serviceOf(a.Harness, limit).EncodeTurn(t.Context(), turn(results...))
	if err != nil || proto.Size(resp) > limit {
		t.Fatalf("%d bytes, %v", proto.Size(resp), err)
	}
	shown := strings.Count(strings.Join(resp.GetMessagesJson(), ""), `"type":"base64"`)
	if shown == 0 || shown+len(resp.GetChanges()) != len(results) {
		t.Errorf("%d are shown, %v", shown, resp.GetChanges())
	}
}

// What is no result is rejected with the place of what is wrong.
func TestEncodeTurnRejects(t *testing.T) {
	a := newHarness(t)
	seen := a.looked(t, "s", picture(t, 3))
	broken := proto.CloneOf(seen.GetCanonical())
	broken.SummaryText = ""
	spaced, err := envelope.ToJSON(broken)
	if err != nil {
		t.Fatal(err)
	}
	failed := resultOf(seen.GetCanonical())
	failed.Status = pb.ToolStatus_TOOL_STATUS_ERROR
	blank := resultOf(seen.GetCanonical())
	blank.Receipt = &pb.Receipt{}
	for name, c := range map[string]struct {
		result        *pb.TurnResult
		reason, field string
	}{
		"status":          {failed, "ENVELOPE_EXCLUSIVITY", "results[0].status"},
		"invalid":         {resultOf(broken), "FIELD_MISSING", "results[0].canonical.summary_text"},
		"invalid JSON":    {&pb.TurnResult{Content: &pb.TurnResult_CanonicalJson{CanonicalJson: string(spaced)}}, "FIELD_MISSING", "results[0].canonical_json.summary_text"},
		"no JSON":         {&pb.TurnResult{Content: &pb.TurnResult_CanonicalJson{CanonicalJson: "{"}}, "JSON_INVALID", "results[0].canonical_json"},
		"unknown family":  {&pb.TurnResult{Content: &pb.TurnResult_CanonicalJson{CanonicalJson: "{}"}, Family: "acme!X"}, "FAMILY_UNKNOWN", "results[0].family"},
		"empty receipt":   {blank, "FIELD_MISSING", "results[0].receipt.text"},
		"nothing":         {&pb.TurnResult{}, "FIELD_MISSING", "results[0].content"},
		"receipt of text": {&pb.TurnResult{Content: &pb.TurnResult_Text{}}, "FIELD_MISSING", "results[0].text"},
	} {
		_, err := a.transport.EncodeTurn(t.Context(), turn(c.result))
		if reason, field := servertest.Reason(err); err == nil || reason != c.reason || field != c.field {
			t.Errorf("%s: %v is %s of %s, not %s of %s", name, err, reason, field, c.reason, c.field)
		}
	}
}

// A result of a family that the server does not know is encoded as text that says so.
func TestUnknownFamilyIsEncodedAsText(t *testing.T) {
	custom := &pb.CanonicalToolResult{
		ToolName: "Deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_Custom{Custom: &pb.CustomResult{Type: "other.v1.Deploy", PayloadJson: `{"id":1,"state":"up"}`}},
	}
	encoded, err := newHarness(t).transport.EncodeTurn(t.Context(), turn(resultOf(custom)))
	if err != nil || !strings.Contains(encoded.String(), "other.v1.Deploy is not known here") {
		t.Error(encoded, err)
	}
}
