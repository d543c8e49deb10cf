package main

import (
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestProviderFlag(t *testing.T) {
	t.Parallel()
	names := providerNames()
	if len(names) != len(pb.Provider_name)-1 {
		t.Errorf("%d names of %d providers", len(names), len(pb.Provider_name)-1)
	}
	for i, name := range names {
		if got, err := (&providerFlag{name}).provider(); got != pb.Provider(i+1) || err != nil {
			t.Errorf("%s is %v, %v", name, got, err)
		}
	}
	if got, err := (&providerFlag{}).provider(); got != pb.Provider_PROVIDER_UNSPECIFIED || err != nil {
		t.Errorf("none is %v, %v", got, err)
	}
	for _, name := range []string{"nobody", "o"} { // the second begins several
		if got, err := (&providerFlag{name}).provider(); err == nil {
			t.Errorf("%q is %v", name, got)
		}
	}
}

func TestToolCommands(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "tool", "definitions", "--provider", "openai-chat").want(0, `"name":"read_result"`)
	toolresult(t, "", "tool", "definitions", "--provider", "nobody").want(codeFailed, "! --provider nobody")
	toolresult(t, "", "tool", "call", "read_result", `{"result": "ffffffff"}`, "--session", "tool").want(1, "ffffffff")
	toolresult(t, "", "tool", "call", "read_result", `{"result": "ffffffff"}`, "--session", "tool", "--output", "json").want(1, `"status"`)
	toolresult(t, "", "tool", "call", "read_result", `{}`, "--output", "xml").want(codeFailed, `! --output xml: receipt or json`)
	toolresult(t, "", "tool", "call", "read_result", `{}`, "--call", "c").want(codeFailed, "! --session")
	toolresult(t, "", "tool", "call", "read_result", `{}`, "--vocabulary", "latin").want(codeFailed, "! --vocabulary latin: ")
}

func TestTransportCommands(t *testing.T) {
	t.Parallel()
	body := `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	toolresult(t, body, "transport", "assemble", "--provider", "openai-chat").want(0, "STREAM_END_COMPLETE")
	toolresult(t, body[:20], "transport", "assemble", "--provider", "openai-chat").want(1)
	toolresult(t, `[{"role": "user", "content": "x"}]`, "transport", "lint", "--provider", "openai-chat").wantOut("")
	orphan := `[{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "a", "content": "y"}]`
	toolresult(t, orphan, "transport", "lint", "--provider", "openai-chat").want(1, "message 1: ")
	repaired := toolresult(t, orphan, "transport", "lint", "--provider", "openai-chat", "--repair").want(0, "! message 1: ")
	toolresult(t, repaired.out, "transport", "lint", "--provider", "openai-chat").wantOut("")
	for _, command := range []string{"assemble", "lint", "encode"} {
		toolresult(t, "{}", "transport", command, "--provider", "nobody").want(codeFailed, "! --provider nobody")
	}
}
