package redaction

import (
	"bytes"
	"context"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/redact"
)

// What is made of an output can have a secret that the output does not show: the sanitiser removes what was inside of it,
// HTML becomes text, base64 becomes a file. So what was made is redacted again. Here each byte keeps its place, because
// cuts and segments name places in a text: a secret is masked by as many bytes as it has, and line ends stay.

// Mask masks the secrets in the texts of a message, in place.
func (r *Pass) Mask(m protoreflect.Message) {
	if r.Options.Values == nil && r.Options.Patterns == nil {
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if names[f.FullName()] && (f.Name() != "path" || isArtifactPath(v.String())) {
			return true
		}
		switch {
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, element protoreflect.Value) bool {
				if masked, ok := r.maskValue(f.MapValue(), element); ok {
					v.Map().Set(k, masked)
				}
				return true
			})
		case f.IsList():
			for i := range v.List().Len() {
				if masked, ok := r.maskValue(f, v.List().Get(i)); ok {
					v.List().Set(i, masked)
				}
			}
		default:
			if masked, ok := r.maskValue(f, v); ok {
				m.Set(f, masked)
			}
		}
		return true
	})
}

// isArtifactPath reports whether a text has the form of a path that a store gives: it ends with digits of a digest. A caller may
// bring any other.
func isArtifactPath(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if live, ok := artifactstore.ParseLiveName(name); ok {
		name = live
	}
	return len(name) >= 4 && strings.Trim(name, "0123456789abcdef") == "" && textscan.OneLine(path) == path
}

// maskValue returns a text without its secrets, and whether it had any. It masks a message in place.
func (r *Pass) maskValue(f protoreflect.FieldDescriptor, v protoreflect.Value) (protoreflect.Value, bool) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		r.Mask(v.Message())
	case protoreflect.StringKind:
		text := v.String()
		if r.known(text) {
			return v, false
		}
		if masked, ok := r.maskText(text); ok {
			return protoreflect.ValueOfString(masked), true
		}
		if r.seen != nil {
			r.seen[text] = struct{}{}
		}
	case protoreflect.BytesKind:
		if masked, ok := r.mask(v.Bytes()); ok {
			return protoreflect.ValueOfBytes(masked), true
		}
	}
	return v, false
}

// maskText masks a text, and then each line that only shows a secret as receipts have it: facts of results have the characters
// that their receipts leave out. Such a line becomes what the receipt shows. Previews have no such lines.
func (r *Pass) maskText(text string) (string, bool) {
	masked, found := r.mask([]byte(text))
	if textscan.OneLine(text) == text { // nothing is omitted of it
		return string(masked), found
	}
	lines := strings.Split(string(masked), "\n")
	for i, line := range lines {
		shown := textscan.OneLine(line)
		if shown == line {
			continue
		}
		if clean, ok := r.mask([]byte(shown)); ok {
			lines[i], found = string(clean), true
		}
	}
	return strings.Join(lines, "\n"), found
}

// mask returns a text of the same length without its secrets, and whether it had any: also without those that have something
// inside that a reader does not see, such as the sign that makes a keycap of a digit.
func (r *Pass) mask(text []byte) ([]byte, bool) {
	masked, found, _ := r.maskWithin(context.Background(), text) // texts of results are small
	return masked, found
}

// maskWithin is mask for texts of any size. It ends with ctx.
func (r *Pass) maskWithin(ctx context.Context, text []byte) ([]byte, bool, error) {
	masked, found, err := r.sameLength(ctx, text)
	if err != nil {
		return text, false, err
	}
	for _, run := range r.Hidden(masked) {
		if !found {
			masked, found = bytes.Clone(text), true
		}
		Cover(masked[run.From:run.To])
	}
	if !found {
		return text, false, nil
	}
	return keepLineEnds(text, masked), true, nil
}

// sameLength returns a text with its secrets masked in place, and whether it had any but those that are shown as they are stored.
func (r *Pass) sameLength(ctx context.Context, text []byte) (masked []byte, found bool, err error) {
	same := r.Options
	same.SameLength = true
	masked, counts, err := redact.TextWithin(ctx, same, text)
	if err != nil || len(counts) == 0 || r.shown == nil {
		return masked, len(counts) > 0, err
	}
	for _, run := range maskedRuns(text, masked) {
		if _, ok := r.shown[string(text[run.From:run.To])]; ok {
			copy(masked[run.From:run.To], text[run.From:run.To])
		} else {
			found = true
		}
	}
	return masked, found, nil
}

// Run is a range of a text, in bytes.
type Run struct{ From, To int }

// maskedRuns returns where a text is masked in another one of the same length.
func maskedRuns(text, masked []byte) (runs []Run) {
	for _, at := range maskRun().FindAllIndex(masked, -1) {
		if !bytes.Equal(text[at[0]:at[1]], masked[at[0]:at[1]]) {
			runs = append(runs, Run{at[0], at[1]})
		}
	}
	return runs
}

// Hidden returns where a text has secrets with something inside that a reader does not see.
func (r *Pass) Hidden(text []byte) (runs []Run) {
	bare, at := textscan.BareAt(text)
	if len(bare) == 0 {
		return nil
	}
	masked, found, _ := r.sameLength(context.Background(), bare)
	if !found {
		return nil
	}
	for _, run := range maskedRuns(bare, masked) {
		if last := at[run.To-1] + 1; last-at[run.From] > run.To-run.From {
			runs = append(runs, Run{at[run.From], last})
		}
	}
	return runs
}

// Cover masks all of a text but its line ends, in place.
func Cover(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = '*'
		}
	}
}

// ShowAsStored lets the pass show what looks like a secret in a text that was stored without patterns, such as a file that was
// read to be edited. Registered values stay masked.
func (r *Pass) ShowAsStored(stored []byte) {
	if r.Options.Patterns == nil {
		return
	}
	masked, found := redact.Text(redact.Options{Patterns: r.Options.Patterns, SameLength: true}, stored)
	if len(found) == 0 {
		return
	}
	r.shown = map[string]struct{}{}
	for _, run := range maskedRuns(stored, masked) {
		r.shown[string(stored[run.From:run.To])] = struct{}{}
	}
	if v := r.Options.Values; v != nil { // a value is masked wherever it is
		for secret := range r.shown {
			if _, found := redact.Text(redact.Options{Values: v}, []byte(secret)); len(found) > 0 {
				delete(r.shown, secret)
			}
		}
	}
}

// keepLineEnds puts the line ends of a text back into its masked form. A placeholder that has one inside becomes asterisks.
func keepLineEnds(text, masked []byte) []byte {
	for i, c := range text {
		if c != '\n' || masked[i] == '\n' {
			continue
		}
		if at := redact.Placeholder().FindAllIndex(masked, -1); at != nil {
			for _, p := range at {
				if p[0] <= i && i < p[1] {
					copy(masked[p[0]:p[1]], bytes.Repeat([]byte("*"), p[1]-p[0]))
				}
			}
		}
		masked[i] = '\n'
	}
	return masked
}

// Screen redacts results that come from elsewhere than a projection: from a caller, or from an artifact. The zero Screen
// redacts nothing.
type Screen struct {
	Secrets  *Secrets
	Patterns *redact.Patterns
}

// Result returns a canonical result without the secrets that a session must not show: r itself, or a masked copy.
func (s Screen) Result(session string, r *pb.CanonicalToolResult) *pb.CanonicalToolResult {
	return masked(s.pass(session), r)
}

// Receipt returns a receipt without secrets: r itself, or a masked copy.
func (s Screen) Receipt(session string, r *pb.Receipt) *pb.Receipt { return masked(s.pass(session), r) }

// Turn returns a result of a turn without secrets, such as one that is a text: r itself, or a masked copy.
func (s Screen) Turn(session string, r *pb.TurnResult) *pb.TurnResult {
	return masked(s.pass(session), r)
}

// pass returns the pass of a session.
func (s Screen) pass(session string) *Pass {
	p := NewPass(redact.Options{Patterns: s.Patterns})
	if s.Secrets != nil {
		p.Options.Values, _ = s.Secrets.Values(session, "") // it only fails for sets that are required
	}
	return p
}

// masked returns a message without its secrets: m itself, or a copy.
func masked[M proto.Message](p *Pass, m M) M {
	if !m.ProtoReflect().IsValid() {
		return m
	}
	clean, _ := proto.Clone(m).(M)
	if p.Mask(clean.ProtoReflect()); proto.Equal(clean, m) {
		return m
	}
	return clean
}

// NewSink returns a sink that redacts texts which a projector made of an output, such as decoded base64. Payloads of the
// output come through it too, and have nothing more to replace.
func (r *Pass) NewSink(sink artifactstore.Sink) artifactstore.Sink {
	if r.Options.Values == nil && r.Options.Patterns == nil {
		return sink
	}
	return derivedSink{sink, r}
}

// Redacted says that the inline payloads of an output are what an earlier pass left of them. A second look could replace more:
// beside the placeholder of a value may be what looks like a secret only there.
func (r *Pass) Redacted(out *pb.CompleteToolOutput) {
	envelope.VisitPayloads("output", out.ProtoReflect(), func(_ string, p *pb.Payload) { r.isClean(p.GetInline()) })
}

// isClean remembers a payload without secrets, which is stored as it is.
func (r *Pass) isClean(text []byte) {
	if len(text) > 0 && r.clean != nil {
		r.clean[&text[0]] = text
	}
}

// known reports whether a text is known to have no secret: it was looked at before, as a round of a projection does with the
// same fields, or it is a payload without the end of its last line.
func (r *Pass) known(text string) bool {
	if _, ok := r.seen[text]; ok || len(text) < redact.MinValue {
		return true
	}
	for _, payload := range r.clean {
		if more := len(payload) - len(text); more >= 0 && more <= 2 && string(payload[:len(text)]) == text {
			return true
		}
	}
	return false
}

// derivedSink is a sink of a pass.
type derivedSink struct {
	artifactstore.Sink
	pass *Pass
}

// Put stores a content without its secrets. A spooled payload was redacted on its way, and is not read again.
func (s derivedSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	content, ok := artifactstore.InMemory(b)
	if !ok || len(content) == 0 || len(s.pass.clean[&content[0]]) == len(content) || textscan.IsBinary(content[:min(len(content), 8<<10)]) {
		return s.Sink.Put(ctx, b)
	}
	clean, found, err := s.pass.maskWithin(ctx, content)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	if found {
		b = artifactstore.BytesBlob(clean)
	}
	return s.Sink.Put(ctx, b)
}
