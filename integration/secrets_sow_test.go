package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
)

// sower hands out secrets, each of them as often as the others, and knows which it gave to whom.
type sower struct {
	random  *rand.Rand
	list    []redacttest.Plant
	next    map[string]int // by what was asked for
	planted int
	once    map[*redacttest.Plant]bool
}

func newSower(list []redacttest.Plant) *sower {
	s := &sower{random: rand.New(rand.NewPCG(8, 1)), next: map[string]int{}, once: map[*redacttest.Plant]bool{}}
	for _, i := range s.random.Perm(len(list)) {
		s.list = append(s.list, list[i])
	}
	return s
}

// plant returns the next secret that fits.
func (s *sower) plant(kind string, fits func(*redacttest.Plant) bool) *redacttest.Plant {
	for range len(s.list) {
		p := &s.list[s.next[kind]%len(s.list)]
		s.next[kind]++
		if fits(p) {
			s.planted++
			s.once[p] = true
			return p
		}
	}
	panic("no secret is " + kind)
}

func (s *sower) any() []byte {
	return s.plant("any", func(*redacttest.Plant) bool { return true }).Text
}

// text is at most so many bytes of valid UTF-8.
func (s *sower) text(most int) string {
	return string(s.plant("text", func(p *redacttest.Plant) bool { return len(p.Text) <= most && utf8.Valid(p.Text) }).Text)
}

var looksLikeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$`)

// name is one that follows the pattern of names.
func (s *sower) name(most int) string {
	return string(s.plant("name", func(p *redacttest.Plant) bool { return len(p.Text) <= min(most, 64) && looksLikeName.Match(p.Text) }).Text)
}

// inJSON is a string of JSON.
func (s *sower) inJSON() string {
	p := s.plant("JSON", func(p *redacttest.Plant) bool {
		return utf8.Valid(p.Text) && !strings.HasPrefix(p.Where, "json ") && !strings.Contains(p.Where, "in JSON")
	})
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(string(p.Text)); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// payload is a text with several, at its ends and between other lines.
func (s *sower) payload() []byte {
	var b bytes.Buffer
	for i := range 3 + s.random.IntN(3) {
		if i > 0 {
			b.WriteString(numbered(s.random.IntN(40)))
		}
		b.Write(s.any())
		b.WriteString("\n\n")
	}
	return b.Bytes()
}

// growth is a complete message in which every text is a secret, as far as it is taken.
type growth struct {
	*sower
	variant int             // which alternative and which value of an enumeration
	tries   map[string]int  // what was refused, by its path
	sown    map[string]bool // full names of fields that have a secret now
}

// grow fills a message.
func (g *growth) grow(path string, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() && o.Fields().Get(g.variant%o.Fields().Len()) != f {
			continue
		}
		required, _ := proto.GetExtension(f.Options(), pb.E_Required).(bool)
		if depth > 3 && !required {
			continue
		}
		at := path + "." + string(f.Name())
		switch {
		case f.IsMap():
		case f.IsList():
			if g.tries[at] > 3 {
				continue
			}
			list := m.Mutable(f).List()
			for k := range 2 {
				if v, ok := g.value(fmt.Sprintf("%s[%d]", at, k), f, list.NewElement, depth); ok {
					list.Append(v)
				}
			}
		default:
			if v, ok := g.value(at, f, func() protoreflect.Value { return m.NewField(f) }, depth); ok {
				m.Set(f, v)
			}
		}
	}
}

// value is what a field gets; after it was refused, something plainer, and at last nothing.
func (g *growth) value(at string, f protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) (protoreflect.Value, bool) {
	try := g.tries[at]
	switch f.Kind() {
	case protoreflect.MessageKind:
		v := empty()
		if try > 3 {
			return v, false
		}
		if f.Message().FullName() == "toolresult.v1.Payload" {
			return v, g.payloadField(at, f, v.Message())
		}
		g.grow(at, v.Message(), depth+1)
		return v, true
	case protoreflect.StringKind:
		most, _ := proto.GetExtension(f.Options(), pb.E_MaxBytes).(uint32)
		if most == 0 {
			most = 256
		}
		g.sown[string(f.FullName())] = try < 2 || g.sown[string(f.FullName())]
		switch try {
		case 0:
			if most >= 40 {
				return protoreflect.ValueOfString(g.text(int(min(most, 1024)))), true
			}
			fallthrough
		case 1:
			return protoreflect.ValueOfString(g.name(int(most))), true
		case 2:
			return protoreflect.ValueOfString("task_1"), true
		case 3:
			return protoreflect.ValueOfString("https://example.com/a"), true
		}
		return protoreflect.Value{}, false
	case protoreflect.BytesKind:
		g.sown[string(f.FullName())] = try < 2
		switch try {
		case 0:
			return protoreflect.ValueOfBytes([]byte(`{"secret":` + g.inJSON() + `,"list":[1,` + g.inJSON() + `]}`)), true
		case 1:
			return protoreflect.ValueOfBytes(g.payload()), true
		}
		return protoreflect.Value{}, false
	case protoreflect.EnumKind:
		if try > 4 {
			return protoreflect.Value{}, false
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(1 + (g.variant+try)%max(1, f.Enum().Values().Len()-1))), true
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool((g.variant+try)%2 == 0), try < 2
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(200 - 199*try)), try < 2
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(3), try < 1
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32([]uint32{200, 3, 1, 0}[min(try, 3)]), try < 3
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(uint64(3 - try)), try < 3
	}
	return protoreflect.Value{}, false
}

// payloadField fills a payload by its name; each try is another kind of text.
func (g *growth) payloadField(at string, f protoreflect.FieldDescriptor, p protoreflect.Message) bool {
	texts := [][]byte{g.payload(), []byte(`{"a":` + g.inJSON() + `,"b":[` + g.inJSON() + `]}`)}
	switch name := string(f.Name()); {
	case strings.Contains(name, "json"):
		texts = [][]byte{
			[]byte(`{"content":[{"type":"text","text":` + g.inJSON() + `},{"type":"resource","resource":{"uri":` + g.inJSON() + `,"text":` + g.inJSON() +
				`}}],"structuredContent":{"key":` + g.inJSON() + `},"_meta":{"m":` + g.inJSON() + `}}`),
			[]byte(`{"rows":[` + strings.Repeat(`{"id":1,"x":`+g.inJSON()+`},`, 30) + g.inJSON() + `]}`),
		}
	case strings.Contains(name, "diff"):
		texts = [][]byte{append([]byte("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-"+strings.ReplaceAll(g.text(400), "\n", "\n-")+"\n+"), strings.ReplaceAll(g.text(400), "\n", "\n+")+"\n"...), g.payload()}
	case name == "body" || strings.Contains(name, "html"):
		texts = [][]byte{[]byte("<html><head><title>" + g.text(200) + "</title></head><body><p>" + g.text(400) + "</p><pre>" + g.text(400) + "</pre><a href=\"https://example.com/?" +
			g.name(60) + "\">x</a></body></html>"), g.payload()}
	}
	try := g.tries[at]
	if try >= len(texts) {
		return false
	}
	g.sown[string(f.FullName())] = true
	p.Set(p.Descriptor().Fields().ByName("inline"), protoreflect.ValueOfBytes(texts[try]))
	return true
}

// learn takes notice of what was refused. It reports false when nothing can be done.
func (g *growth) learn(fields []string, prefix string) bool {
	learned := false
	for _, field := range fields {
		at, ok := strings.CutPrefix(field, prefix)
		if !ok {
			continue
		}
		g.tries[at]++
		learned = true
	}
	return learned
}

// sowFamily calls Project with complete messages of a family until each of their fields has had a
// secret, or was refused with every one.
func (s *sower) sowFamily(t *testing.T, family string, complete func() protoreflect.Message, output func(protoreflect.Message) *pb.CompleteToolOutput,
	project func(*pb.ProjectRequest) error, covered map[string]bool,
) {
	t.Helper()
	served, last := 0, refusal{}
	s.next["sown"]++
	for variant := range 6 {
		g := &growth{sower: s, variant: variant, tries: map[string]int{}}
		if variant >= 3 { // some payloads exclude each other
			for i, name := range payloadsOf(complete().Descriptor()) {
				if i != variant-3 {
					g.tries["."+name] = 9
				}
			}
		}
		for range 24 {
			g.sown = map[string]bool{}
			m := complete()
			g.grow("", m, 0)
			out := output(m)
			out.ToolName, out.Status, out.SummaryText = "SomeTool", pb.ToolStatus_TOOL_STATUS_SUCCESS, s.text(1024)
			err := project(&pb.ProjectRequest{Output: out, Policy: s.policy(), Call: callOf("sown", "call-"+strconv.Itoa(variant))})
			if err == nil {
				served++
				for name, is := range g.sown {
					covered[name] = covered[name] || is
				}
				break
			}
			r := refusalOf(t, err)
			last = r
			prefix := "output." + family
			if len(r.fields) > 0 && strings.HasPrefix(r.fields[0], "output.custom.") {
				prefix = "output.custom.message"
			}
			if r.reason == "BUDGET_TOO_SMALL" {
				continue // with the next policy
			}
			if !g.learn(r.fields, prefix) {
				t.Errorf("%s: %v %v: %s", family, r.reason, r.fields, r.message)
				break
			}
		}
	}
	if served == 0 {
		t.Errorf("no message of %s was served: %v", family, last)
	}
}

func payloadsOf(d protoreflect.MessageDescriptor) (names []string) {
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil && f.Message().FullName() == "toolresult.v1.Payload" && !f.IsList() {
			names = append(names, string(f.Name()))
		}
	}
	return names
}

// policy is the next one of several that cut at other places.
func (s *sower) policy() *pb.ProjectionPolicy {
	s.next["policy"]++
	p := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: []uint32{20000, 2000, 900, 20000, 400}[s.next["policy"]%5]}}}
	if s.next["policy"]%3 == 0 {
		p.ArtifactPolicy = pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS
	}
	if s.next["policy"]%4 == 0 {
		p.Render.Budget.MaxLineBytes = 80
	}
	return p
}

// textFields are the full names of all fields that may have text, from a message on.
func textFields(d protoreflect.MessageDescriptor, into map[string]bool, seen map[protoreflect.FullName]bool, depth int) {
	if seen[d.FullName()] || depth > 3 {
		return
	}
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		switch {
		case f.Kind() == protoreflect.StringKind, f.Kind() == protoreflect.BytesKind:
			into[string(f.FullName())] = true
		case f.Message() == nil:
		case f.Message().FullName() == "toolresult.v1.Payload":
			into[string(f.FullName())] = true
		default:
			textFields(f.Message(), into, seen, depth+1)
		}
	}
}

// customOutput is a message of a family of an operator, in one of its two encodings.
func customOutput(t *testing.T, name string, m protoreflect.Message, asJSON bool) *pb.CompleteToolOutput {
	t.Helper()
	custom := &pb.CustomOutput{Type: name}
	if asJSON {
		text, err := protojson.Marshal(m.Interface())
		if err != nil {
			t.Fatal(err)
		}
		custom.Encoding = &pb.CustomOutput_MessageJson{MessageJson: string(text)}
	} else {
		custom.Encoding = &pb.CustomOutput_Message{Message: []byte(bytesOf(t, m.Interface()))}
	}
	return &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Custom{Custom: custom}}
}

func newMessage(d protoreflect.MessageDescriptor) protoreflect.Message {
	return dynamicpb.NewMessage(d)
}
