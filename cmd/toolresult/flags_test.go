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
		"--vocabulary=estimate --handles=call": {ArtifactPolicy: lossy, Render: &pb.RenderPolicy{Budget: &pb.Budget{},
			TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE, Handles: pb.HandleForm_HANDLE_FORM_CALL}},
		"--vocabulary=cl100k-base --artifacts=when_lossy": {ArtifactPolicy: lossy, Render: &pb.RenderPolicy{Budget: &pb.Budget{},
			TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_CL100K_BASE}},
	} {
		got, err := parsePolicy(t, strings.Fields(args)...)
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("%q: %v, want %v, %v", args, got, want, err)
		}
	}
	if got, err := parsePolicy(t, "--head-percent=101"); err == nil || !strings.Contains(err.Error(), "0 to 100") {
		t.Errorf("%v, %v", got, err)
	}
}

// TestChoicesListTheirValues has values that no flag has: the error lists those that there are, and each of them is taken.
func TestChoicesListTheirValues(t *testing.T) {
	t.Parallel()
	for flag, c := range map[string]struct {
		choice
		want string
	}{
		"vocabulary":  {vocabularyChoice, "estimate, o200k_base or cl100k_base"},
		"handles":     {handlesChoice, "path or call"},
		"artifacts":   {artifactsChoice, "when-lossy or always"},
		"level":       {levelChoice, "trimmed, handles or line"},
		"cache-break": {cacheBreakChoice, "never or when-needed"},
	} {
		for _, value := range []string{"read_result", "unspecified", "", "WHEN"} {
			_, err := c.number(value)
			shown := value
			if value == "" {
				shown = `""`
			}
			if want := "--" + flag + " " + shown + ": " + c.want; err == nil || err.Error() != want {
				t.Errorf("%v, want %q", err, want)
			}
		}
		for i, name := range c.names() {
			if n, err := c.number(name); err != nil || n != int32(i)+1 {
				t.Errorf("--%s %s: %d, %v", flag, name, n, err)
			}
		}
	}
	if _, err := parsePolicy(t, "--handles=read_result"); err == nil || err.Error() != "--handles read_result: path or call" {
		t.Error(err)
	}
}

// TestHelpListsChoices has the help text of each choice: it has the values as they are given.
func TestHelpListsChoices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		choices []choice
	}{
		{"exec", []choice{vocabularyChoice, handlesChoice, artifactsChoice}},
		{"render", []choice{vocabularyChoice, handlesChoice}},
		{"compact", []choice{levelChoice, cacheBreakChoice}},
	} {
		for _, one := range c.choices {
			flag := commands([]string{c.command})[0].Flags().Lookup(strings.TrimPrefix(one.flag, "--"))
			if flag == nil || !strings.Contains(flag.Usage, listed(one.names())) {
				t.Errorf("%s %s: %+v", c.command, one.flag, flag)
			}
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
