package envelope_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// withDetails is a failed tool, or a batch with an item that failed.
func withDetails(details string, inBatch bool) *pb.CanonicalToolResult {
	failure := &pb.ToolError{Kind: "k", Message: "m", DetailsJson: &details}
	if !inBatch {
		return &pb.CanonicalToolResult{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s", Error: failure}
	}
	return &pb.CanonicalToolResult{
		ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_CommandBatch{CommandBatch: &pb.CommandBatchResult{Items: []*pb.CommandBatchItem{{Error: failure}}}},
	}
}

// Details of every depth that a result may have are read again, compact and indented.
func TestDetailsOfAnyDepthSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.IntRange(1, 64).Draw(t, "depth")
		details := strings.Repeat(`{"a":[`, depth/2) + `"é\u0041\n<"` + strings.Repeat("]}", depth/2)
		r := withDetails(details, rapid.Bool().Draw(t, "in batch"))
		indented, err := envelope.ToJSON(r)
		if err != nil {
			t.Fatal(err)
		}
		compact, err := envelope.ToCompactJSON(r)
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := json.Compact(&again, indented); err != nil || again.String() != string(compact) {
			t.Fatalf("%s is not %s (%v)", compact, again.String(), err)
		}
		for _, text := range [][]byte{indented, compact} {
			if back, err := envelope.FromJSON(text, ""); err != nil || !proto.Equal(back, r) {
				t.Fatalf("%v, %v is not %v", back, err, r)
			}
		}
	})
}

// A custom family is not found by the names of the message that carries it: its payload takes its place.
func TestCustomFamilyIsNamed(t *testing.T) {
	const text = `{"tool_name":"x","status":"success","summary_text":"s","result":{"type":"acme.v1.T","payload_json":"{}"},"error":null}`
	for _, family := range []string{"", envelope.CustomCase} {
		_, err := envelope.FromJSON([]byte(text), family)
		wantReason(t, err, "result", pb.ErrorReason_ERROR_REASON_JSON_INVALID)
	}
	r, err := envelope.FromJSON([]byte(text), "acme.v1.T")
	if err != nil || r.GetCustom().GetPayloadJson() != `{"type":"acme.v1.T","payload_json":"{}"}` {
		t.Errorf("%v, %v", r, err)
	}
}

// TestHalfPairsAreNoText: an escape of half of a surrogate pair is found wherever it is, and nothing else is taken for one; a
// field does not make U+FFFD of it, and details have it as it is written.
func TestHalfPairsAreNoText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`"\ud800"`: true, `"\uDC00\ud800"`: true, `"\ud83d\ude00"`: false, `"\\ud800"`: false, `"\\\ud800"`: true, `"\u00e9\ufffd"`: false,
		`{"a":["\ud83d\ude00\udbff"]}`: true, `"\ud83d x\ude00"`: true, `""`: false,
	} {
		if envelope.HasHalfPair([]byte(text)) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	_, err := envelope.FromJSON([]byte(`{"tool_name":"x","status":"error","summary_text":"\udfff","error":{"kind":"a","message":"m"}}`), "")
	if err == nil || !strings.HasPrefix(err.Error(), "summary_text: ") {
		t.Error(err)
	}
	const details = `{"tool_name":"x","status":"error","summary_text":"s","result":null,"error":{"kind":"a","message":"m","details":{"a":"\ud800"},"retryable":null}}`
	r, err := envelope.FromJSON([]byte(details), "")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := envelope.ToCompactJSON(r); err != nil || string(again) != details {
		t.Errorf("%s, %v", again, err)
	}
}
