package transcript_test

import (
	"encoding/json"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/turntest"
	"github.com/toolresult/toolresult/transports/transcript"
)

// FuzzLint lints and repairs any text as a transcript of every provider. A repaired transcript is JSON that can be
// linted again.
func FuzzLint(f *testing.F) {
	for _, b := range brokenTranscripts {
		f.Add(uint8(b.provider), b.transcript)
	}
	for _, text := range []string{
		`[{"role":"assistant","content":[1,null,"x"],"tool_calls":[7,{}]},{"role":"assistant","content":5,"tool_calls":{"a":1}}]`,
		`[{"role":"user","content":["x",{}]},{"role":"tool","content":{"a":1}},{"role":"user","content":[[]]}]`,
		`[{"role":"model","parts":[7]},{"role":"user","parts":{}},{"role":"model","parts":[{"functionCall":1},{"functionResponse":{}}]}]`,
		`[{"type":"function_call"},{"type":"function_call_output","output":[1]},{"type":7},{"type":"message","content":[{"text":7}]}]`,
	} {
		for _, p := range turntest.Providers() {
			f.Add(uint8(p), text)
		}
	}
	f.Fuzz(func(t *testing.T, provider uint8, messages string) {
		req := &pb.LintTranscriptRequest{Provider: pb.Provider(provider%8 + 1), TranscriptJson: messages, Repair: true}
		resp, err := transcript.Lint(req)
		if err != nil {
			return
		}
		if !json.Valid([]byte(resp.GetRepairedJson())) {
			t.Fatalf("%s is repaired to %s", messages, resp.GetRepairedJson())
		}
		req.TranscriptJson = resp.GetRepairedJson()
		if _, err := transcript.Lint(req); err != nil {
			t.Fatalf("%s is repaired to %s: %v", messages, resp.GetRepairedJson(), err)
		}
	})
}
