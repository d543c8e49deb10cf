package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/envelope"

	"github.com/spf13/pflag"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Flags that several commands share. Each group is a struct with a method that defines its flags and one that returns the
// message of the contract. What the flags leave out stays unset in the message, so that the defaults are those of the
// sidecar, which may be newer than this program. Mistakes are found here only where the sidecar could not name the flag.

// policyFlags are a ProjectionPolicy or a RenderPolicy as flags.
type policyFlags struct {
	tokens, lines, bytes   uint32      // of the whole receipt; 0: the family's budget, and no limit
	lineBytes, headPercent uint32      // of a line, and of the first lines of a cut preview
	vocabulary             string      // name of a TokenVocabulary
	artifacts, handles     string      // names of an ArtifactPolicy and of a HandleForm
	headGiven              func() bool // whether --head-percent was given
	focus                  string      // what the agent looks for; empty: not known
}

// renderFlags defines the flags of a RenderPolicy.
func (p *policyFlags) renderFlags(fs *pflag.FlagSet) {
	fs.Uint32Var(&p.tokens, "max-tokens", 0, "tokens of the whole receipt (default: the family's)")
	fs.Uint32Var(&p.lines, "max-lines", 0, "lines of the whole receipt (default: no limit)")
	fs.Uint32Var(&p.bytes, "max-bytes", 0, "bytes of the whole receipt (default: no limit)")
	fs.StringVar(&p.vocabulary, "vocabulary", "o200k_base", "how tokens are counted: "+listed(vocabularyChoice.names()))
	fs.StringVar(&p.handles, "handles", "path", "how receipts name artifacts: "+listed(handlesChoice.names())+" (of read_result)")
}

// flags defines the flags of a ProjectionPolicy.
func (p *policyFlags) flags(fs *pflag.FlagSet) {
	p.renderFlags(fs)
	fs.Uint32Var(&p.lineBytes, "max-line-bytes", 0, "bytes of one line before its inner part is cut (default: 2000)")
	fs.Uint32Var(&p.headPercent, "head-percent", 25, "share of the first lines of a cut preview, in per cent")
	fs.StringVar(&p.artifacts, "artifacts", "when-lossy", "when a payload is kept whole: "+listed(artifactsChoice.names()))
	fs.StringVar(&p.focus, "focus", "", "what the agent looks for, such as its task: lines that have its words come first")
	p.headGiven = func() bool { return fs.Changed("head-percent") }
}

// render returns the RenderPolicy.
func (p *policyFlags) render() (*pb.RenderPolicy, error) {
	policy := &pb.RenderPolicy{Budget: &pb.Budget{
		MaxTokens: p.tokens, MaxLines: p.lines, MaxBytes: p.bytes, MaxLineBytes: p.lineBytes,
	}}
	n, err := vocabularyChoice.number(p.vocabulary)
	if err != nil {
		return nil, err
	}
	policy.TokenVocabulary = pb.TokenVocabulary(n)
	// A path is the default of the contract, where it has no value of its own.
	if p.handles != "path" {
		n, err = handlesChoice.number(p.handles)
		policy.Handles = pb.HandleForm(n)
	}
	return policy, err
}

// projection returns the ProjectionPolicy.
func (p *policyFlags) projection() (*pb.ProjectionPolicy, error) {
	render, err := p.render()
	if err != nil {
		return nil, err
	}
	n, err := artifactsChoice.number(p.artifacts)
	policy := &pb.ProjectionPolicy{Render: render, ArtifactPolicy: pb.ArtifactPolicy(n)}
	if p.headPercent > 100 {
		return nil, fmt.Errorf("--head-percent %d: 0 to 100", p.headPercent)
	}
	if len(p.focus) > maxFocus {
		return nil, fmt.Errorf("--focus has %d bytes; use at most %d", len(p.focus), maxFocus)
	}
	policy.Focus = strings.ToValidUTF8(p.focus, "\ufffd")
	// 0 per cent is a wish (the end alone), so the field is optional and the flag must have been given.
	if p.headGiven() {
		policy.HeadPercent = &p.headPercent
	}
	return policy, err
}

// choice is a flag whose values are those of an enum: "when-lossy" is ARTIFACT_POLICY_WHEN_LOSSY. They are read from the contract, so
// that a new one needs no change here. The unspecified value has no name.
type choice struct {
	flag   string           // with its dashes
	prefix string           // of the names of the enum's values
	space  string           // between the words of a value
	values map[string]int32 // of the enum
}

// The choices of all commands.
var (
	vocabularyChoice = choice{"--vocabulary", "TOKEN_VOCABULARY_", "_", pb.TokenVocabulary_value}
	handlesChoice    = choice{"--handles", "HANDLE_FORM_", "-", pb.HandleForm_value}
	artifactsChoice  = choice{"--artifacts", "ARTIFACT_POLICY_", "-", pb.ArtifactPolicy_value}
	levelChoice      = choice{"--level", "COMPACTION_LEVEL_", "-", pb.CompactionLevel_value}
	cacheBreakChoice = choice{"--cache-break", "CACHE_BREAK_", "-", pb.CacheBreak_value}
)

// names returns the values in the order of the contract.
func (c choice) names() (names []string) {
	known := slices.SortedFunc(maps.Keys(c.values), func(a, b string) int { return cmp.Compare(c.values[a], c.values[b]) })
	for _, value := range known {
		if c.values[value] != 0 {
			names = append(names, strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(value, c.prefix), "_", c.space)))
		}
	}
	return names
}

// number returns the number of a value, in which "-" is as good as "_". The error of another one lists those that there are.
func (c choice) number(name string) (int32, error) {
	n, ok := c.values[c.prefix+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))]
	if !ok || n == 0 {
		return 0, errChoice(c.flag, name, c.names())
	}
	return n, nil
}

// errChoice returns the error of a value that a flag does not have.
func errChoice(flag, value string, values []string) error {
	return fmt.Errorf("%s %s: %s", flag, cmp.Or(value, `""`), listed(values))
}

// callFlags name the call of a tool that an output belongs to. Without a session, artifacts belong to none and live as long
// as the configuration says.
type callFlags struct {
	session string // id of the session; empty: none
	call    string // id of the call in it; empty: none
}

// flags defines the flags.
func (r *callFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&r.session, "session", "", "session of the agent, to which the artifacts belong (default: none)")
	fs.StringVar(&r.call, "call", "", "call of the tool, such as the provider's tool_call_id; needs --session")
}

// message returns the reference to the call; nil if no flag is given. Names are checked here as the sidecar checks them,
// because exec must find a mistake before it runs the command.
func (r *callFlags) message() (*pb.CallReference, error) {
	if r.session == "" && r.call == "" {
		return nil, nil
	}
	if r.session == "" {
		return nil, errors.New("--call: needs --session")
	}
	check := envelope.NewChecker("")
	check.Name("--session", r.session, true)
	check.CallID("--call", r.call, false)
	return &pb.CallReference{SessionId: r.session, CallId: r.call}, check.Err()
}
