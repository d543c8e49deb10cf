package transports_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
)

// validTurn returns a turn with two calls and their results.
func validTurn() *pb.EncodeTurnRequest {
	return &pb.EncodeTurnRequest{
		Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		Assistant: &pb.AssistantTurn{Content: "I look.", ToolCalls: []*pb.ParsedToolCall{
			{Tool: "read", Id: proto.String("c1"), Arguments: "{}"}, {Tool: "list", Id: proto.String("c2")},
		}},
		Results: []*pb.TurnResult{
			{CallId: proto.String("c2"), Content: &pb.TurnResult_Text{Text: "two"}}, {CallId: proto.String("c1"), Content: &pb.TurnResult_Text{Text: "one"}},
		},
	}
}

// Every rule of a turn rejects a turn that breaks it alone, and names the field.
func TestTurnsAreChecked(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*pb.EncodeTurnRequest){
		"provider FIELD_MISSING":                         func(r *pb.EncodeTurnRequest) { r.Provider = 0 },
		"provider ENUM_UNKNOWN":                          func(r *pb.EncodeTurnRequest) { r.Provider = 99 },
		"format ENUM_UNKNOWN":                            func(r *pb.EncodeTurnRequest) { r.Format = 99 },
		"assistant FIELD_MISSING":                        func(r *pb.EncodeTurnRequest) { r.Assistant = nil },
		"user_text FIELD_MISSING":                        func(r *pb.EncodeTurnRequest) { r.UserText = " \n" },
		"notices FIELD_OUT_OF_BOUNDS":                    func(r *pb.EncodeTurnRequest) { r.Notices = slices.Repeat([]string{"x"}, 17) },
		"notices[0] FIELD_TOO_LONG":                      func(r *pb.EncodeTurnRequest) { r.Notices = []string{strings.Repeat("x", 4097)} },
		"notices[0] FIELD_MISSING":                       func(r *pb.EncodeTurnRequest) { r.Notices = []string{"\t"} },
		"assistant.tool_calls FIELD_OUT_OF_BOUNDS":       func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls = slices.Repeat(r.Assistant.ToolCalls, 33) },
		"assistant.tool_calls[0].tool FIELD_MISSING":     func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls[0].Tool = "" },
		"assistant.tool_calls[0].server FIELD_TOO_LONG":  func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls[0].Server = strings.Repeat("s", 129) },
		"assistant.tool_calls[0].id FIELD_TOO_LONG":      func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls[0].Id = proto.String(strings.Repeat("i", 257)) },
		"assistant.tool_calls[0].arguments JSON_INVALID": func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls[0].Arguments = "[]" },
		"assistant.provider_blocks FIELD_OUT_OF_BOUNDS":  func(r *pb.EncodeTurnRequest) { r.Assistant.ProviderBlocks = slices.Repeat(blocks("{}", nil), 1025) },
		"assistant.provider_blocks[0].provider FIELD_MISSING": func(r *pb.EncodeTurnRequest) {
			r.Assistant.ProviderBlocks = blocks("{}", nil)
			r.Assistant.ProviderBlocks[0].Provider = 0
		},
		"assistant.provider_blocks[0].block_json JSON_INVALID":         func(r *pb.EncodeTurnRequest) { r.Assistant.ProviderBlocks = blocks("[]", nil) },
		"assistant.provider_blocks[0].before_call FIELD_OUT_OF_BOUNDS": func(r *pb.EncodeTurnRequest) { r.Assistant.ProviderBlocks = blocks("{}", proto.Uint32(3)) },
		"results[0].call_id FIELD_TOO_LONG":                            func(r *pb.EncodeTurnRequest) { r.Results[0].CallId = proto.String(strings.Repeat("i", 257)) },
		"results[0].content FIELD_MISSING":                             func(r *pb.EncodeTurnRequest) { r.Results[0].Content = nil },
		"results[0].text FIELD_MISSING":                                func(r *pb.EncodeTurnRequest) { r.Results[0].Content = &pb.TurnResult_Text{Text: " "} },
		"results[0].receipt.text FIELD_MISSING": func(r *pb.EncodeTurnRequest) {
			r.Results[0].Content = &pb.TurnResult_Canonical{Canonical: turntest.Result(false)}
		},
		"results[0].status ENUM_UNKNOWN": func(r *pb.EncodeTurnRequest) { r.Results[0].Status = 99 },
		"results[0].status ENVELOPE_EXCLUSIVITY": func(r *pb.EncodeTurnRequest) {
			r.Results[0].Content, r.Results[0].Receipt = &pb.TurnResult_Canonical{Canonical: turntest.Result(false)}, &pb.Receipt{Text: "x"}
			r.Results[0].Status = pb.ToolStatus_TOOL_STATUS_ERROR
		},
		"results[0].media FIELD_OUT_OF_BOUNDS":               func(r *pb.EncodeTurnRequest) { r.Results[0].Media = slices.Repeat(png("x"), 17) },
		"results[0].media[0].media_type FIELD_MISSING":       func(r *pb.EncodeTurnRequest) { r.Results[0].Media = png(""); r.Results[0].Media[0].MediaType = "" },
		"results[0].media[0].source FIELD_MISSING":           func(r *pb.EncodeTurnRequest) { r.Results[0].Media = png("") },
		"results[0].media[0].media_type FIELD_OUT_OF_BOUNDS": func(r *pb.EncodeTurnRequest) { r.Results[0].Media = png("x"); r.Results[0].Media[0].Path = "/a\nb" },
		"results[1].call_id FIELD_OUT_OF_BOUNDS":             func(r *pb.EncodeTurnRequest) { r.Results[1].CallId = nil },
		"results[1] FIELD_OUT_OF_BOUNDS":                     func(r *pb.EncodeTurnRequest) { r.Results[1].CallId = proto.String("c2") },
	} {
		turn := validTurn()
		spoil(turn)
		_, err := transports.EncodeTurn(turn, nil, 0)
		var invalid *envelope.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: %v", want, err)
			continue
		}
		var got []string
		for _, v := range invalid.Violations {
			got = append(got, v.Field+" "+strings.TrimPrefix(v.Reason.String(), "ERROR_REASON_"))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: %q", want, got)
		}
	}
}

func blocks(text string, before *uint32) []*pb.ProviderBlock {
	return []*pb.ProviderBlock{{Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, BlockJson: text, BeforeCall: before}}
}

func png(data string) []*pb.Media {
	return []*pb.Media{{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte(data)}}}
}

// Results belong to calls by their ids or, if none has one, by their order.
func TestResultsFindTheirCalls(t *testing.T) {
	t.Parallel()
	byID := validTurn()
	byPlace := validTurn()
	slices.Reverse(byPlace.Results)
	for _, r := range byPlace.Results {
		r.CallId = nil
	}
	first, err := transports.EncodeTurn(byID, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := transports.EncodeTurn(byPlace, nil, 0)
	if err != nil || !proto.Equal(first, second) {
		t.Fatalf("%v\n%v\n%v", first, second, err)
	}
	if got := decode(byID.GetProvider(), turntest.Array(first.GetMessagesJson())); len(got) != 2 || got[0].Text != "one" || got[1].Text != "two" {
		t.Errorf("%v", got)
	}
	byPlace.Results = append(byPlace.Results, proto.CloneOf(byPlace.Results[0]))
	if _, err := transports.EncodeTurn(byPlace, nil, 0); err == nil {
		t.Error("a result without a call is encoded")
	}
}

// Media that were given and cannot be shown are described once to the model and once to the caller, with the reason.
func TestGivenMediaOverALimitAreDescribed(t *testing.T) {
	t.Parallel()
	turn := validTurn()
	turn.Provider = pb.Provider_PROVIDER_MISTRAL
	turn.Assistant.ToolCalls[0].Id, turn.Assistant.ToolCalls[1].Id = proto.String("123456789"), proto.String("abcdefghi")
	turn.Results[0].CallId, turn.Results[1].CallId = proto.String("abcdefghi"), proto.String("123456789")
	turn.Results[1].Media = append(png(strings.Repeat("x", 10_000_001)), slices.Repeat(png("y"), 9)...)
	resp, err := transports.EncodeTurn(turn, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range resp.GetChanges() {
		got = append(got, n.GetDetail())
	}
	want := []string{
		"Image of read (123456789): image/png, 10000001 bytes; too large to be shown here", "Image of read (123456789): image/png, 1 bytes; one more than can be shown here",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, w := range want {
		if n := strings.Count(fmt.Sprint(resp.GetMessagesJson()), w); n != 1 {
			t.Errorf("the model reads %d times: %s", n, w)
		}
	}
}
