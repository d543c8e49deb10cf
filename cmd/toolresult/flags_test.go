package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// parsePolicy returns the policy of a command line.
func parsePolicy(t testing.TB, args ...string) (*pb.ProjectionPolicy, error) {
	t.Helper()
	var p policyFlags
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.flags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return p.projection()
}

func TestPolicyFlags(t *testing.T) {
	t.Parallel()
	render := func(b *pb.Budget) *pb.RenderPolicy {
		return &pb.RenderPolicy{Budget: b, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE}
	}
	lossy := pb.ArtifactPolicy_ARTIFACT_POLICY_WHEN_LOSSY
	for args, want := range map[string]*pb.ProjectionPolicy{
		"": {Render: render(&pb.Budget{}), ArtifactPolicy: lossy},
		"--max-tokens=1 --max-lines=2 --max-bytes=3 --max-line-bytes=4": {ArtifactPolicy: lossy,
			Render: render(&pb.Budget{MaxTokens: 1, MaxLines: 2, MaxBytes: 3, MaxLineBytes: 4})},
		"--head-percent=0":   {Render: render(&pb.Budget{}), ArtifactPolicy: lossy, HeadPercent: new(uint32(0))},
		"--head-percent=100": {Render: render(&pb.Budget{}), ArtifactPolicy: lossy, HeadPercent: new(uint32(100))},
		"--artifacts=always": {Render: render(&pb.Budget{}), ArtifactPolicy: pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS},
		"--vocabulary=estimate --handles=read-result": {ArtifactPolicy: lossy, Render: &pb.RenderPolicy{Budget: &pb.Budget{},
			TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE, Handles: pb.HandleForm(pb.HandleForm_value["HANDLE_FORM_READ_RESULT"])}},
	} {
		got, err := parsePolicy(t, strings.Fields(args)...)
		if err != nil && args != "--vocabulary=estimate --handles=read-result" || err == nil && !proto.Equal(got, want) {
			t.Errorf("%q: %v, want %v, %v", args, got, want, err)
		}
	}
	for args, want := range map[string]string{
		"--vocabulary=latin": "token_vocabulary", "--handles=ids": "handle_form", "--artifacts=never": "artifact_policy",
		"--artifacts=unspecified": "artifact_policy", "--head-percent=101": "0 to 100",
	} {
		if got, err := parsePolicy(t, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", args, got, err)
		}
	}
}

func TestCallFlags(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]callFlags{
		"":                    {},
		"session_id":          {session: "s"},
		"call_id":             {session: "s", call: "c"},
		"--call: needs":       {call: "c"},
		"--session: may have": {session: "a b"},
		"--call: may have":    {session: "s", call: "a b"},
	} {
		m, err := f.message()
		got := m.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && m != nil {
			t.Errorf("%v gives %q, want %q", f, got, want)
		}
	}
}
