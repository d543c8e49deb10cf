package anyoutput_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// given is what a request has that a receipt may state.
type given struct {
	text     string // of all its strings and enums, and of payloads where facts come from these
	numbers  map[string]bool
	joined   map[string]bool // words that two parts of the text make, with something between them that receipts leave out
	left     map[string]bool // how many elements of a list may be left out
	payloads []*pb.Payload
	inner    bool // a text of the result may be a part of a payload
}

// fromPayload are the families whose facts are read out of payloads: a diff has its files, a
// page its title, an image its size.
var fromPayload = map[string]bool{
	"error": true, "external_mcp": true, "external_json": true, "file_mutation": true, "web_fetch": true, "image_view": true, "image_generate": true, "command_batch": true,
}

// givenBy collects what a request has.
func givenBy(out *pb.CompleteToolOutput, family string) *given {
	g := &given{numbers: map[string]bool{}, left: map[string]bool{}}
	var text strings.Builder
	g.message(&text, out.ProtoReflect())
	g.inner = fromPayload[family]
	if g.inner {
		for _, p := range g.payloads {
			text.Write(p.GetInline())
			text.WriteByte('\n')
		}
	}
	g.text = strings.ToLower(text.String())
	plain := escapeSequences.ReplaceAllString(g.text, "")
	g.text += strings.Join([]string{"", plain, hidden.ReplaceAllString(plain, ""), hidden.ReplaceAllString(g.text, "")}, "\n")
	g.joined = map[string]bool{}
	for _, digits := range number.FindAllString(g.text, -1) {
		g.numbers[digits] = true
	}
	return g
}

func (g *given) number(n any) { g.numbers[fmt.Sprint(n)] = true }

func (g *given) message(text *strings.Builder, m protoreflect.Message) {
	if p, ok := m.Interface().(*pb.Payload); ok {
		g.payloads = append(g.payloads, p)
		g.number(len(p.GetInline()))
		g.number(lines(p.GetInline()))
	}
	for i := range m.Descriptor().Fields().Len() { // of lists that are empty, too
		if f := m.Descriptor().Fields().Get(i); f.IsList() {
			g.number(m.Get(f).List().Len())
			for left := range m.Get(f).List().Len() { // "5 more"
				g.left[fmt.Sprint(left)] = true
			}
		}
	}
	g.counted(m)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList():
			list := v.List()
			for i := range list.Len() {
				g.value(text, f, list.Get(i))
			}
		default:
			g.value(text, f, v)
		}
		return true
	})
}

// counted adds the numbers that follow from a message by counting: the lines of a range of a file, the
// commands of a batch that ended in one way.
func (g *given) counted(m protoreflect.Message) {
	switch m := m.Interface().(type) {
	case *pb.FileReadOutput:
		first := max(1, m.GetFirstLine())
		for n := range uint64(lines(m.GetContent().GetInline())) + 2 { // the next line is where to go on
			g.number(first + n)
		}
	case *pb.CommandBatchOutput:
		for n := range len(m.GetItems()) + 1 {
			g.number(n)
		}
	case *pb.SearchOutput:
		for n := range len(m.GetMatches()) + 1 {
			g.number(n)
		}
	}
}

// read adds the sizes of readable forms, such as the rows of a terminal, so that a receipt may state them. The canonical
// result has to count the payload behind such a form as it was given; read returns where it does not.
func (g *given) read(m protoreflect.Message) (wrong []string) {
	if s, ok := m.Interface().(*pb.SourceFacts); ok && s.OriginalArtifact != nil && len(s.GetRedactions()) == 0 {
		if original := fmt.Sprint(s.GetOriginalBytes()); s.GetOriginalBytes() > 0 && !g.inner && !g.numbers[original] {
			return []string{fmt.Sprintf("a payload of %s bytes is read, and none has so many", original)}
		}
		if original := fmt.Sprint(s.GetOriginalLines()); s.GetOriginalLines() > 0 && !g.inner && !g.numbers[original] {
			return []string{fmt.Sprintf("a payload of %s lines is read, and none has so many", original)}
		}
		g.number(s.GetLines())
		g.number(s.GetBytes())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := range v.List().Len() {
				wrong = append(wrong, g.read(v.List().Get(i).Message())...)
			}
		default:
			wrong = append(wrong, g.read(v.Message())...)
		}
		return true
	})
	return wrong
}

func (g *given) value(text *strings.Builder, f protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		g.message(text, v.Message())
	case protoreflect.StringKind:
		text.WriteString(v.String() + "\n")
	case protoreflect.BytesKind: // of payloads
	case protoreflect.EnumKind:
		g.number(v.Enum())
	default:
		if ms := v.Interface(); strings.HasSuffix(string(f.Name()), "_ms") {
			g.number(fmt.Sprint(ms)[:max(1, len(fmt.Sprint(ms))-3)]) // in seconds
		}
		g.number(v.String())
		g.number(strings.TrimPrefix(v.String(), "-"))
	}
}

func lines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// escapeSequences are those of ECMA-48 and ECMA-35 that receipts leave out, as a terminal does: control
// sequences, commands to the operating system, and ESC with or without intermediate bytes.
var escapeSequences = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[ -/]+[0-~]|[0-Z\\^-~])`)

// hidden are the characters that a receipt leaves out of a text, and more of them.
var hidden = regexp.MustCompile(`[^\n -~]+`)

// escapes are those of JSON, which error details are.
var escapes = regexp.MustCompile(`\\[nrtbfu"\\/]`)

// names are those of encodings and signals, which no request spells out.
var names = regexp.MustCompile(`utf-8|u\+fffd|\bsig[a-z0-9]{2,9}\b`)

// exitMeaning begins the fact whose words are those of the profile of a program.
var exitMeaning = regexp.MustCompile(`^(item \d+ )?exit meaning: `)

var (
	number = regexp.MustCompile(`\d+`)
	word   = regexp.MustCompile(`[a-z]{3,}`)
)

// vocabulary are the words that receipts may have by themselves: those of labels, templates
// and enum values in the contract, and those of the grammar in docs/reference/receipts.md.
var vocabulary = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	add := func(text string) {
		for _, w := range word.FindAllString(strings.ToLower(text), -1) {
			words[w] = true
		}
	}
	add(ownWords)
	file := pb.File_toolresult_v1_envelope_proto
	var visit func(protoreflect.MessageDescriptor)
	seen := map[protoreflect.FullName]bool{}
	visit = func(d protoreflect.MessageDescriptor) {
		if seen[d.FullName()] {
			return
		}
		seen[d.FullName()] = true
		outcome, _ := proto.GetExtension(d.Options(), pb.E_Outcome).(string)
		line, _ := proto.GetExtension(d.Options(), pb.E_Line).(string)
		add(outcome + " " + line)
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			label, _ := proto.GetExtension(f.Options(), pb.E_Label).(string)
			add(label)
			if f.Message() != nil {
				visit(f.Message())
			}
			if f.Enum() != nil {
				for j := range f.Enum().Values().Len() {
					v := f.Enum().Values().Get(j)
					said, _ := proto.GetExtension(v.Options(), pb.E_Words).(string)
					add(strings.ReplaceAll(string(v.Name()), "_", " ") + " " + said)
				}
			}
		}
	}
	for i := range file.Messages().Len() {
		visit(file.Messages().Get(i))
	}
	return words
})

// ownWords are those of the forms that docs/reference/receipts.md lists beside the families' own.
const ownWords = `process exited with code killed by signal timed out after cancelled ended disposition command promoted to background task
	is already running batch of commands otherwise rejected skipped because an earlier failed tool error file read lines none captured not
	shown left all the rest full exit meaning output item yes retryable recover retry details kept bytes byte more unknown number status
	entry entries match matches files hunks results images media type blake true false milliseconds indented json written empty which text html application octet stream
	member`

// check reports what a receipt states that the request does not have.
func (g *given) check(r *pb.ParseReceiptResponse, out *pb.CompleteToolOutput) []string {
	var wrong []string
	statements := []string{r.GetOutcome()}
	for _, f := range r.GetFacts() {
		wrong = append(wrong, g.checkFact(f, out)...)
		if !isPath(f.GetValue()) {
			statements = append(statements, f.GetLabel()+": "+f.GetValue())
		}
	}
	for _, s := range r.GetSections() {
		wrong = append(wrong, g.checkExtent(s)...)
	}
	for _, statement := range statements {
		wrong = append(wrong, g.checkWords(statement)...)
	}
	return wrong
}

func isPath(value string) bool { return strings.Contains(value, "memory/") }

// checkWords reports words and numbers that neither the request nor the grammar has. A text that was
// cut ends in the middle of a word.
func (g *given) checkWords(statement string) (wrong []string) {
	folded := names.ReplaceAllString(strings.ToLower(escapes.ReplaceAllString(statement, " ")), "")
	if strings.Contains(folded, "[red") || strings.Contains(folded, "redacted_") || exitMeaning.MatchString(folded) {
		return nil // what stands there is another word than was given
	}
	for _, w := range word.FindAllString(folded, -1) {
		if !vocabulary()[w] && !strings.Contains(g.text, w) && !g.isJoined(w) {
			wrong = append(wrong, fmt.Sprintf("the word %q of %.200q", w, statement))
		}
	}
	if strings.HasPrefix(folded, "shown as text: ") {
		return nil // one of the reasons of the contract
	}
	if strings.HasPrefix(folded, "image") || strings.HasPrefix(folded, "files changed: ") {
		return wrong // the numbers of an image are in its bytes, and files are counted in the diff
	}
	for _, n := range number.FindAllString(folded, -1) {
		if more := strings.Contains(folded, " "+n+" more") && g.left[n]; !more && !g.numbers[n] && !strings.Contains(g.text, n) {
			wrong = append(wrong, fmt.Sprintf("the number %s of %.200q", n, statement))
		}
	}
	return wrong
}

// isJoined reports whether a word is two parts of the text, between which a receipt left something out, such as a
// sequence of a terminal.
func (g *given) isJoined(w string) bool {
	known, seen := g.joined[w]
	if seen {
		return known
	}
	for i := 1; i < len(w) && !known; i++ {
		known = strings.Contains(g.text, w[:i]) && strings.Contains(g.text, w[i:])
	}
	g.joined[w] = known
	return known
}

// checkFact holds the facts that a model acts on against the fields that they are of.
func (g *given) checkFact(f *pb.ReceiptFact, out *pb.CompleteToolOutput) []string {
	e := out.GetError()
	switch f.GetLabel() {
	case "Retryable":
		if want := map[bool]string{true: "yes", false: "no"}; e != nil && (e.Retryable == nil || f.GetValue() != want[e.GetRetryable()]) {
			return []string{fmt.Sprintf("Retryable is %q, and the request says %v", f.GetValue(), e.Retryable)}
		}
	case "To recover":
		if e != nil && e.RecoveryHint != nil && e.GetRecoveryHint() == "" {
			return []string{"a hint, and none was wanted"}
		}
		if e != nil && e.RecoveryHint == nil && e.GetKind() == "" {
			return []string{"a hint, and neither hint nor kind were given"}
		}
	case "Output unchanged":
		return []string{"an earlier call, and there was none"}
	case "Error details":
		if f.GetValue() == "{}" && strings.TrimSpace(string(e.GetDetails().GetInline())) != "{}" {
			return []string{"empty details, and they are not"}
		}
	case "Exit code":
		if c := out.GetCommand(); c != nil && f.GetValue() != strconv.Itoa(int(c.GetExitStatus())) {
			return []string{"an exit code that is another"}
		}
	}
	return nil
}

// checkExtent holds the counts of a section against the payloads: no text of a tool has another
// number of lines and bytes than its tool wrote.
func (g *given) checkExtent(s *pb.ReceiptSection) []string {
	e := s.GetExtent()
	if e == nil || e.GetEntries() > 0 {
		return nil
	}
	readable := e.GetIndentedLines() + e.GetTableLines() + e.GetReportLines()
	if all := e.GetLines() + readable; e.GetShown() > all && all > 0 {
		return []string{fmt.Sprintf("%s shows %d of %d lines", s.GetLabel(), e.GetShown(), all)}
	}
	if rewritten[s.GetLabel()] || readable > 0 || slices.ContainsFunc(e.GetNotes(), func(n string) bool { return strings.Contains(n, "redacted") }) {
		return nil
	}
	if e.GetBytes() > 0 && !g.numbers[fmt.Sprint(e.GetBytes())] || e.GetLines() > 0 && !g.numbers[fmt.Sprint(e.GetLines())] {
		return []string{fmt.Sprintf("%s has %d lines and %d bytes, and no payload has", s.GetLabel(), e.GetLines(), e.GetBytes())}
	}
	return nil
}

// rewritten are the sections whose text is made of a payload, and is not one: the text of a page, and what
// an external tool has inside of its JSON.
var rewritten = map[string]bool{"Page text": true, "Tool text": true, "Tool data": true, "Resource text": true}
