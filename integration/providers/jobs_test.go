package providers_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// A job is a fixture that SDKs are to send, or to stream from the mock. Drivers read it
// as a line of JSON.
type job struct {
	ID       string            `json:"id"`
	Provider string            `json:"provider"`
	Kind     kind              `json:"kind"`
	Model    string            `json:"model"` // names the fixture to the mock
	Messages []json.RawMessage `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`

	name string // of the case; for a text turn with "/text" behind it
	want *stream
}

// kind is a folder of fixtures.
type kind string

const (
	turns   kind = "turns"
	streams kind = "streams"
)

// A done is what came of a job. Drivers write it as a line of JSON.
type done struct {
	SDK       string `json:"sdk"`
	Package   string `json:"package"`
	Version   string `json:"version"`
	Job       string `json:"job"`
	Content   string `json:"content"`
	ToolCalls []call `json:"tool_calls"`
	Error     string `json:"error"`
	Trace     string `json:"trace"`
}

// A stream is what a fixture says that its body has to be parsed to.
type stream struct {
	Content   string `json:"content"`
	ToolCalls []call `json:"tool_calls"`
	SDK       string `json:"sdk"`
}

// A call is what an SDK or a fixture says of one. Arguments are a value or, where an SDK
// leaves them to its user, the text of one; a custom tool has an input instead.
type call struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Input     *string         `json:"input,omitempty"`
}

// problem says in which way a job was not done as its fixture says, if in any.
func (d *done) problem(j *job) string {
	switch {
	case d.Error != "":
		return d.Error
	case j.Kind == turns && d.Content != "ok":
		return fmt.Sprintf("the SDK read %q in the mock's answer, want %q", d.Content, "ok")
	case j.Kind == turns:
		return ""
	case d.Content != j.want.Content:
		return fmt.Sprintf("the SDK read the content %q, the fixture has %q", d.Content, j.want.Content)
	case len(d.ToolCalls) != len(j.want.ToolCalls):
		return fmt.Sprintf("the SDK read the calls\n%s\nthe fixture has\n%s", text(d.ToolCalls), text(j.want.ToolCalls))
	}
	for i := range d.ToolCalls {
		if got, want := &d.ToolCalls[i], &j.want.ToolCalls[i]; !got.is(want) {
			return fmt.Sprintf("the SDK read call %d as\n%s\nthe fixture has\n%s", i, text(got), text(want))
		}
	}
	return ""
}

// is compares with what a fixture has. A fixture without an id leaves it open.
func (c *call) is(want *call) bool {
	if c.Name != want.Name || want.ID != "" && c.ID != want.ID || (c.Input == nil) != (want.Input == nil) {
		return false
	}
	if c.Input != nil {
		return *c.Input == *want.Input
	}
	got, err := value(c.Arguments)
	if err != nil {
		return false
	}
	wanted, err := value(want.Arguments)
	return err == nil && reflect.DeepEqual(got, wanted)
}

// value returns the arguments of a call, also where they are text. No text stands for
// no arguments.
func value(arguments json.RawMessage) (v any, err error) {
	if err = json.Unmarshal(arguments, &v); err != nil {
		return nil, err
	}
	if written, ok := v.(string); ok {
		if strings.TrimSpace(written) == "" {
			return map[string]any{}, nil
		}
		err = json.Unmarshal([]byte(written), &v)
	}
	return v, err
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
