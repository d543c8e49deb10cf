// Package costs makes legal calls that cost much memory, from recipes of a line. A recipe names a method, a field of its
// request and the text that fills it, so that a call of many megabytes is a case of a hundred bytes. Requests are made by the
// contract alone: a family or a field that is added to it is searched without a change here.
//
// `make costs` searches for recipes that cost more than those of winners.jsonl, and keeps them there.
package costs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Text is bytes that a recipe writes with the escapes of Go.
type Text string

// MarshalText writes the text with escapes, without quotes.
func (t Text) MarshalText() ([]byte, error) {
	quoted := strconv.QuoteToASCII(string(t))
	return []byte(quoted[1 : len(quoted)-1]), nil
}

// UnmarshalText reads a text with escapes.
func (t *Text) UnmarshalText(quoted []byte) error {
	s, err := strconv.Unquote(`"` + string(quoted) + `"`)
	*t = Text(s)
	return err
}

// Recipe is a call.
type Recipe struct {
	Method   string  `json:"method"`             // "Service/Method" of the contract
	Fill     string  `json:"fill"`               // path of the field that is filled; one that ends with [] has many elements
	Head     Text    `json:"head,omitempty"`     // text before the parts
	Part     Text    `json:"part,omitempty"`     // text that is repeated, where %d counts
	Tail     Text    `json:"tail,omitempty"`     // text behind the parts
	Bytes    int     `json:"bytes"`              // size of the field
	Tokens   uint32  `json:"tokens,omitempty"`   // budget of the receipt, where the method has one
	Streamed bool    `json:"streamed,omitempty"` // the payload arrives in chunks
	Cost     float64 `json:"cost,omitempty"`     // bytes of memory for each of these bytes, as the search measured it
}

// Winners are the recipes that the search has found.
//
//go:embed winners.jsonl
var winners string

// Winners returns the recipes that the search has found, the most expensive of each method and family.
func Winners() ([]Recipe, error) { return Read(winners) }

// Read reads recipes, one a line.
func Read(lines string) (list []Recipe, err error) {
	for line := range strings.Lines(lines) {
		var r Recipe
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// Key names what a recipe is about: its method, and the family of its output.
func (r Recipe) Key() string {
	steps := strings.Split(r.Fill, ".")
	for i, step := range steps[:len(steps)-1] {
		if strings.HasPrefix(step, "output") || strings.HasPrefix(step, "canonical") || strings.HasPrefix(step, "entry") {
			return fmt.Sprintf("%s %s %t", r.Method, strings.TrimSuffix(steps[i+1], "[]"), r.Streamed)
		}
	}
	return fmt.Sprintf("%s %t", r.Method, r.Streamed)
}

// content returns the text of the recipe with at most n bytes, but for its last part.
func (r Recipe) content(n int) []byte {
	b := append(make([]byte, 0, n+64), r.Head...)
	counts := strings.Contains(string(r.Part), "%d")
	for i := 0; r.Part != "" && len(b)+len(r.Part)+len(r.Tail) <= n; i++ {
		if counts {
			b = append(b, strings.ReplaceAll(string(r.Part), "%d", strconv.Itoa(i))...)
		} else {
			b = append(b, r.Part...)
		}
	}
	return append(b, r.Tail...)
}

// Message is a method of the contract, with the type of its request.
func (r Recipe) Message() (proto.Message, protoreflect.MethodDescriptor, error) {
	service, method, _ := strings.Cut(r.Method, "/")
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName("toolresult.v1." + service))
	if err != nil {
		return nil, nil, err
	}
	of, ok := d.(protoreflect.ServiceDescriptor)
	if !ok || of.Methods().ByName(protoreflect.Name(method)) == nil {
		return nil, nil, fmt.Errorf("%s is no method", r.Method)
	}
	m := of.Methods().ByName(protoreflect.Name(method))
	t, err := protoregistry.GlobalTypes.FindMessageByName(m.Input().FullName())
	if err != nil {
		return nil, nil, err
	}
	return t.New().Interface(), m, nil
}

// Request returns the request of the recipe, and the payload that arrives in chunks, if it does.
func (r Recipe) Request() (req proto.Message, method protoreflect.MethodDescriptor, streamed []byte, err error) {
	req, method, err = r.Message()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := r.fill(req.ProtoReflect(), strings.Split(r.Fill, ".")); err != nil {
		return nil, nil, nil, err
	}
	complete(req.ProtoReflect())
	if r.Tokens > 0 {
		budget(req.ProtoReflect(), r.Tokens)
	}
	if r.Streamed {
		streamed = r.content(r.Bytes)
	}
	return req, method, streamed, nil
}

// fill fills the field at a path.
func (r Recipe) fill(m protoreflect.Message, path []string) error {
	name, many := strings.CutSuffix(path[0], "[]")
	f := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	switch {
	case f == nil:
		return fmt.Errorf("%s has no field %s", m.Descriptor().FullName(), name)
	case len(path) > 1 && f.IsList():
		return r.fill(m.Mutable(f).List().AppendMutable().Message(), path[1:])
	case len(path) > 1:
		return r.fill(m.Mutable(f).Message(), path[1:])
	case many:
		r.elements(m.Mutable(f).List(), f)
	case f.Kind() == protoreflect.BytesKind && r.Streamed:
		m.Set(m.Descriptor().Fields().ByName("stream"), protoreflect.ValueOfString("s"))
	case f.Kind() == protoreflect.BytesKind:
		m.Set(f, protoreflect.ValueOfBytes(r.content(r.Bytes)))
	default:
		m.Set(f, protoreflect.ValueOfString(strings.ToValidUTF8(string(r.content(r.Bytes)), "\ufffd")))
	}
	return nil
}

// elements fills a list with elements of the part, of about as many bytes as the recipe has.
func (r Recipe) elements(list protoreflect.List, f protoreflect.FieldDescriptor) {
	for size, i := 0, 0; size < r.Bytes; i++ {
		text := strings.ReplaceAll(string(r.Part), "%d", strconv.Itoa(i))
		text = strings.ToValidUTF8(text, "\ufffd")
		size += len(text) + 2
		switch f.Kind() {
		case protoreflect.MessageKind:
			e := list.AppendMutable().Message()
			if text != "" {
				setText(e, text)
				size += 2
			}
		case protoreflect.StringKind:
			list.Append(protoreflect.ValueOfString(text))
		case protoreflect.BytesKind:
			list.Append(protoreflect.ValueOfBytes([]byte(text)))
		default:
			list.Append(number(f, i))
		}
	}
}

// setText sets the first text of a message.
func setText(m protoreflect.Message, text string) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if f.IsList() {
			continue
		}
		switch f.Kind() {
		case protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(text))
			return
		case protoreflect.BytesKind:
			m.Set(f, protoreflect.ValueOfBytes([]byte(text)))
			return
		case protoreflect.MessageKind:
			if !f.IsMap() {
				setText(m.Mutable(f).Message(), text)
				return
			}
		}
	}
}

// number returns a number, an enum or a bool of a field.
func number(f protoreflect.FieldDescriptor, n int) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(1)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(n % 64))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n))
	}
	return protoreflect.ValueOfUint64(uint64(n))
}

// complete sets what the contract requires, in every message that is there.
func complete(m protoreflect.Message) {
	switch out := m.Interface().(type) {
	case *pb.CompleteToolOutput:
		if out.Status = pb.ToolStatus_TOOL_STATUS_SUCCESS; out.Error != nil {
			out.Status = pb.ToolStatus_TOOL_STATUS_ERROR
		}
		out.ToolName = "Tool"
	case *pb.CanonicalToolResult:
		if out.Status = pb.ToolStatus_TOOL_STATUS_SUCCESS; out.Error != nil {
			out.Status = pb.ToolStatus_TOOL_STATUS_ERROR
		}
		out.ToolName = "Tool"
	case *pb.CommandOutput:
		out.Disposition, out.ExitStatus = pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, new(int32(0))
	case *pb.WebFetchOutput:
		out.ContentType = "text/html"
	case *pb.ProjectTurnRequest:
		out.TotalTokens = 100_000
	case *pb.LintTranscriptRequest:
		out.Provider = pb.Provider_PROVIDER_OPENAI_CHAT
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if required, _ := proto.GetExtension(f.Options(), pb.E_Required).(bool); required && !m.Has(f) && !f.IsList() && !f.IsMap() {
			switch f.Kind() {
			case protoreflect.MessageKind:
				m.Mutable(f)
			case protoreflect.StringKind:
				m.Set(f, protoreflect.ValueOfString("x"))
			case protoreflect.BytesKind:
				m.Set(f, protoreflect.ValueOfBytes([]byte("x")))
			default:
				m.Set(f, number(f, 1))
			}
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := range min(100, v.List().Len()) { // more of them cannot be made better
				complete(v.List().Get(i).Message())
			}
		default:
			complete(v.Message())
		}
		return true
	})
}

// budget sets the budget of a receipt where a request has a policy.
func budget(m protoreflect.Message, tokens uint32) {
	f := m.Descriptor().Fields().ByName("policy")
	if f == nil || f.Message() == nil {
		return
	}
	if policy, ok := m.Mutable(f).Message().Interface().(*pb.ProjectionPolicy); ok {
		policy.Render = &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: tokens}}
	}
}
