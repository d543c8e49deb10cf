// Package hooks reads what agent hosts give to their hooks, and writes what they take from them.
//
// An after-hook is given the result of a tool that has run: [After] returns the part that becomes a receipt, and how the
// host takes the receipt in its place. A before-hook is given the arguments of a tool: [Before] returns arguments that run
// the command through `toolresult shell`. Both leave alone, by returning nothing, what they do not know: a host changes its
// events without notice, and a hook that guesses would break it. The payloads in testdata are recorded from real hosts.
package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
)

// Host is the name of an agent host.
type Host string

// The hosts that are known.
const (
	ClaudeCode Host = "claude-code"
	GeminiCLI  Host = "gemini-cli"
	Codex      Host = "codex"
	CopilotCLI Host = "copilot-cli"
	OpenCode   Host = "opencode"
	Pi         Host = "pi"
)

// All are the hosts in the order in which they are listed to people.
var All = []Host{ClaudeCode, GeminiCLI, Codex, CopilotCLI, OpenCode, Pi}

// Short is the size in bytes up to which a result is left alone.
const Short = 4096

// ErrHost is the error of a host that is not known.
var ErrHost = errors.New("claude-code, gemini-cli, codex, copilot-cli, opencode and pi are known")

// kind says which family a result belongs to.
type kind int

const (
	plain   kind = iota // text of any tool
	command             // output of a shell command
	mcp                 // a result of an MCP server
	read                // content of a file, which the model asked for to edit it
)

// Result is a result of a tool that can become a receipt.
type Result struct {
	Tool string // as the host names it
	Text []byte // what the tool answered, where there is no File
	File string // a file of the host with the whole output; empty: none
	// Keep is what the model still reads below the receipt: the host's own words about the result. Empty: nothing.
	Keep string
	// Places are the paths under which Text claims that all of it is, if it looks like a receipt that leaves lines out. Any tool
	// can write such a text: it is one if the sidecar has artifacts there. At most maxPlaces; nil: it is no receipt.
	Places []string

	kind    kind
	server  string         // of an MCP server
	line    string         // command line
	exit    *int32         // exit status, where the host itself states it
	loss    *pb.SourceLoss // what the host cut off Text
	replace func(receipt string) any
}

// Cut reports whether the host cut the output before the hook was given it, so that Text is not all of it.
func (r *Result) Cut() bool { return r.loss != nil }

// Family returns the name of the family of the output.
func (r *Result) Family() string {
	switch r.kind {
	case command:
		return "command"
	case mcp:
		return "external_mcp"
	default:
		return "text"
	}
}

// Output returns the complete output with a payload: the bytes of Text, or those of File.
func (r *Result) Output(p *pb.Payload) *pb.CompleteToolOutput {
	p.SourceLoss = r.loss
	out := &pb.CompleteToolOutput{ToolName: toolName(r.Tool)}
	switch r.kind {
	case command:
		out.Result = &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED,
			CommandLine: strings.ToValidUTF8(r.line, "\ufffd"), ExitStatus: r.exit, CombinedOutput: p,
		}}
	case mcp:
		out.Result = &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Server: r.server, Result: p}}
	default:
		out.Result = &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: p}}
	}
	return out
}

// Reply returns what the hook prints so that the model reads a receipt in the place of the result; nil when the receipt is
// no improvement: it is as long as the whole text that the model would read without it.
func (r *Result) Reply(receipt string) ([]byte, error) {
	receipt = strings.TrimRight(receipt, "\n")
	if r.Keep != "" {
		receipt += "\n" + r.Keep
	}
	if r.File == "" && len(receipt) >= len(r.Text) {
		return nil, nil
	}
	return encode(r.replace(receipt))
}

// encode returns v as JSON on a line.
func encode(v any) ([]byte, error) {
	line, err := jsonspan.Marshal(v)
	return append(line, '\n'), err
}

// toolName returns a name that the contract takes for a tool: other characters become "_".
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/", r)) {
			return r
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name, "-.:/")
	if name == "" {
		return "tool"
	}
	return name[:min(len(name), 128)]
}

// Options are the wishes of who installed a hook.
type Options struct {
	// Reads makes receipts also of files that the model reads whole. A model that reads a file mostly wants to change it,
	// and needs it whole.
	Reads bool
	// Regular reports whether a path is a regular file of this user, and no link. Nil: no file is used.
	Regular func(path string) bool
	// Written reports whether a path is a file that the host can just have written: a regular file of this user, in the
	// directory for temporary files, and recent. It is asked where a tool can write the line that names the file. Nil: none is.
	Written func(path string) bool
}

// written reports whether a file that a text names is used.
func (o Options) written(path string) bool { return path != "" && o.Written != nil && o.Written(path) }

// After returns the part of an after-hook's payload that can become a receipt. It is nil when the result is left alone:
// it is short, failed, or has a form that is not known.
func After(host Host, payload []byte, o Options) (*Result, error) {
	parse, known := map[Host]func(object, Options) *Result{
		ClaudeCode: claudeAfter, GeminiCLI: geminiAfter, Codex: codexAfter, CopilotCLI: copilotAfter, OpenCode: opencodeAfter, Pi: piAfter,
	}[host]
	if !known {
		return nil, ErrHost
	}
	var p object
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	r := parse(p, o)
	if r == nil || r.kind == read && !o.Reads {
		return nil, nil
	}
	if r.File != "" && (o.Regular == nil || !o.Regular(r.File)) {
		r.File = "" // what the host gave us is all there is
	}
	if r.File == "" && len(r.Text) <= Short {
		return nil, nil
	}
	if r.File != "" {
		r.loss = nil
	} else {
		r.Places = places(r.Text)
	}
	if r.Cut() && r.Keep == "" {
		return nil, nil // a shorter part of a part, without a way to the rest
	}
	return r, nil
}

// maxPlaces bounds the places of a text. A receipt has one for each of its streams.
const maxPlaces = 8

// places returns the places in a text that is, or has at its end, a receipt of ours that leaves lines out: a mark follows the place
// of all of it. It returns nil for another text.
func places(text []byte) (list []string) {
	const before, mark = "; all: ", "\n[…"
	for len(list) < maxPlaces {
		i := bytes.Index(text, []byte(before))
		if i < 0 {
			break
		}
		text = text[i+len(before):]
		place, _, _ := bytes.Cut(text, []byte("\n"))
		if list == nil && !bytes.Contains(text, []byte(mark)) {
			break
		}
		list = append(list, string(place))
	}
	return list
}

// object is a JSON object in which values keep the form that they have.
type object map[string]json.RawMessage

// with returns a copy with values set, and without the keys whose value is nil.
func (o object) with(values map[string]any) object {
	n := object{}
	maps.Copy(n, o)
	for k, v := range values {
		if v == nil {
			delete(n, k)
			continue
		}
		n[k], _ = jsonspan.Marshal(v) // strings and lists of objects
	}
	return n
}

// str returns the string of a key; "" if it is none.
func (o object) str(key string) (s string) {
	_ = json.Unmarshal(o[key], &s) // another kind of value is no string
	return s
}

// obj returns the object of a key; nil if it is none.
func (o object) obj(key string) (n object) {
	_ = json.Unmarshal(o[key], &n) // another kind of value is no object
	return n
}

// has reports whether a key has a value that is not null, false, "" or empty.
func (o object) has(key string) bool {
	return !slices.Contains([]string{"", "null", "false", `""`, "{}", "[]"}, string(bytes.TrimSpace(o[key])))
}

// blocks returns the content of an MCP result whose text can become a receipt: the result as JSON, and how its blocks are
// replaced: the receipt takes the place of all text, and images, sounds and links stay behind it.
func blocks(raw json.RawMessage) (result []byte, replace func(string) []any) {
	var list []object
	if json.Unmarshal(raw, &list) != nil {
		return nil, nil
	}
	var text, others []any
	for _, b := range list {
		if b.str("type") == "text" {
			text = append(text, b)
		} else {
			others = append(others, b)
		}
	}
	if len(text) == 0 {
		return nil, nil
	}
	result, _ = encode(map[string]any{"content": text}) // parts of JSON
	return result, func(receipt string) []any {
		return append([]any{map[string]any{"type": "text", "text": receipt}}, others...)
	}
}
