package families_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/compactor"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// run makes the case of a number and checks it. The error says what was forged.
func (s *sealer) run(number uint64) error {
	c := s.generate(number)
	return s.check(&c)
}

// check projects a case and compares what its receipt says with what is true.
func (s *sealer) check(c *sealedCase) error {
	s.totals.cases++
	s.totals.count(c.family)
	canonical, receipt, err := s.project(c)
	if err != nil {
		s.totals.rejected++
		if c.given != nil || !invalidOrShort(err) { // what is made by hand is valid
			return fmt.Errorf("project: %w", err)
		}
		return nil
	}
	parsed, err := s.receiptSays(canonical, receipt)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, receipt.text)
	}
	if c.given != nil {
		if err := s.commandSays(c, canonical.GetCommand(), &parsed); err != nil {
			return fmt.Errorf("%w\n%s", err, receipt.text)
		}
		if s.chance(16) {
			if err := s.twinSays(c, &parsed); err != nil {
				return fmt.Errorf("%w\n%s", err, receipt.text)
			}
		}
	}
	if s.chance(12) {
		return s.compactedSays(canonical)
	}
	return nil
}

// receiptSays reads a receipt and compares it with the canonical result: every fact is
// there as the renderer means it, and no other. Then it looks at the lines as a model
// does, by a definition of its own.
func (s *sealer) receiptSays(canonical *pb.CanonicalToolResult, r sealedReceipt) (renderers.Document, error) {
	s.totals.receipts++
	family, _ := s.Types.Open(canonical)
	renderer := s.renderers[family]
	parsed, err := renderer.Parse(r.text)
	if err != nil {
		return parsed, err
	}
	meant := servertest.Said(renderer.Document(canonical))
	if err := servertest.SameDocument(&meant, &parsed); err != nil {
		return parsed, err
	}
	if err := visibleText(r.text); err != nil {
		return parsed, err
	}
	if hasCuts(&parsed) {
		s.totals.cut++
	}
	s.totals.stuffed += int64(r.stuffed)
	return parsed, s.linesSay(&parsed, r, s.ownForms(family, &meant))
}

// ownForms are the forms of a family that is not of the contract.
func (s *sealer) ownForms(family string, d *renderers.Document) (own []string) {
	if s.Types[family] == nil {
		return nil
	}
	first, _, _ := strings.Cut(d.Outcome, " ")
	own = append(own, strings.ToLower(first)) // a space behind it is no part of the form: a value may be empty
	for _, label := range []string{"Deployment id", "Dashboard", "Replicas", "Deployment log"} {
		own = append(own, strings.ToLower(label)+":")
	}
	return own
}

// linesSay checks that every line of ours is the first of its form, that every line of
// tool text which looks like one is stuffed, and that the number of those is right.
func (s *sealer) linesSay(d *renderers.Document, r sealedReceipt, own []string) error {
	toolLines, looking := 0, 0
	for i := range d.Sections {
		for _, p := range d.Sections[i].Body {
			if p.Mark != nil {
				continue
			}
			toolLines += 1 + strings.Count(p.Text, "\n")
			if p.First > 0 {
				continue
			}
			for line := range strings.SplitSeq(p.Text, "\n") {
				if s.looksOurs(line, own) {
					looking++
				}
			}
		}
	}
	lines, bare, stuffed := 0, 0, 0
	for line := range strings.SplitSeq(r.text, "\n") {
		lines++
		switch {
		case strings.HasPrefix(line, `\`):
			stuffed++
		case s.looksOurs(line, own):
			bare++
		}
	}
	if ours := lines - toolLines; bare != ours {
		return fmt.Errorf("%d lines look like ours, and %d are", bare, ours)
	}
	if stuffed != looking || stuffed != r.stuffed {
		return fmt.Errorf("%d lines are stuffed, said to be %d, and %d look like ours", stuffed, r.stuffed, looking)
	}
	return nil
}

// lookedAt is longer than any form.
const lookedAt = 64

// looksOurs reports whether a line begins like one of our forms: in any case, after any
// space, marks, quote signs or characters that look like nothing, in compatibility
// characters, with combining marks, and with any space for a space. It knows no bound on
// what may stand before the form.
func (s *sealer) looksOurs(line string, own []string) bool {
	var seen [lookedAt]byte
	n, space := 0, false
	for i := 0; i < len(line) && n < lookedAt; i++ {
		switch c := line[i]; {
		case c >= utf8.RuneSelf:
			return s.begins(foldedWhole(line), own)
		case c == ' ' || c == '\t':
			space = n > 0
		case n == 0 && strings.IndexByte("\"'`>|", c) >= 0:
		default:
			if space && n < lookedAt {
				seen[n] = ' '
				n++
				space = false
			}
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if n < lookedAt {
				seen[n] = c
				n++
			}
		}
	}
	if space && n < lookedAt {
		seen[n] = ' '
		n++
	}
	if n == 0 {
		return false
	}
	return s.begins(string(seen[:n]), own)
}

func (s *sealer) begins(folded string, own []string) bool {
	if folded == "" || folded[0] >= utf8.RuneSelf {
		return false
	}
	for _, f := range s.lowered[folded[0]] {
		if beginsLike(folded, f) {
			return true
		}
	}
	return slices.ContainsFunc(own, func(f string) bool { return beginsLike(folded, f) })
}

// beginsLike reports whether a line begins with a form, where nothing may be inside of a word or in place of a space.
func beginsLike(folded, form string) bool {
	if !strings.Contains(folded, nothing) {
		return strings.HasPrefix(folded, form)
	}
	expr := "^"
	for _, c := range form {
		if c == ' ' {
			expr += "(" + nothing + "* " + nothing + "*|" + nothing + "+)"
		} else {
			expr += nothing + "*" + regexp.QuoteMeta(string(c))
		}
	}
	return regexp.MustCompile(expr).MatchString(folded)
}

// looksLikeNothing are the characters without ink that no projection removes, and no space.
var looksLikeNothing = strings.NewReplacer(func() (pairs []string) {
	for _, r := range [][2]rune{
		{0x600, 0x605}, {0x6dd, 0x6dd}, {0x70f, 0x70f}, {0x890, 0x891}, {0x8e2, 0x8e2}, {0x200c, 0x200d}, {0x2800, 0x2800}, {0xfff9, 0xfffb},
		{0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1345f}, {0x1d159, 0x1d159},
	} {
		for c := r[0]; c <= r[1]; c++ {
			pairs = append(pairs, string(c), nothing)
		}
	}
	return pairs
}()...)

// nothing is a character in place of all that look like nothing.
const nothing = "\U0010ffff"

// foldedWhole is what a line looks like, all of it.
func foldedWhole(line string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFKD.String(looksLikeNothing.Replace(line)) {
		switch {
		case string(r) == nothing && b.Len() == 0:
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case b.Len() == 0 && (unicode.Is(unicode.Pi, r) || unicode.Is(unicode.Pf, r) || strings.ContainsRune("\"'`>|", r)):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(unicode.ToLower(r))
			if b.Len() > lookedAt {
				return b.String()
			}
		}
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

// visibleText checks that a receipt has no line break but the newline, no control and
// nothing that turns or hides text.
func visibleText(text string) error {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			continue
		} else if c < utf8.RuneSelf {
			return fmt.Errorf("a control character %#x at byte %d", c, i)
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < 0xa0, r == 0x2028, r == 0x2029, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
			r == 0x200e, r == 0x200f, r == 0x61c, r >= 0xe0000 && r <= 0xe007f, r == 0xfeff:
			return fmt.Errorf("a character %U at byte %d", r, i)
		}
		i += n - 1
	}
	return nil
}

func hasCuts(d *renderers.Document) bool {
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Extent != nil && s.Extent.Shown != max(s.Extent.Lines, s.Extent.Entries) {
			return true
		}
		if slices.ContainsFunc(s.Body, func(p renderers.Piece) bool { return p.Mark != nil }) {
			return true
		}
	}
	return false
}

// commandSays compares what a receipt of a command says with what the command did. It
// asks neither the projector nor the renderer.
func (s *sealer) commandSays(c *sealedCase, r *pb.CommandResult, d *renderers.Document) error {
	out := c.req.GetOutput().GetCommand()
	if want := outcomeOf(out); d.Outcome != want {
		return fmt.Errorf("the outcome is %q, and reads %q", want, d.Outcome)
	}
	if err := s.factsSay(c, r, d); err != nil {
		return err
	}
	for i := range d.Sections {
		section := &d.Sections[i]
		content, ok := c.given[section.Label]
		if !ok {
			return fmt.Errorf("%s is of no stream", section.Label)
		}
		if err := s.streamSays(content, r, section); err != nil {
			return fmt.Errorf("%s: %w", section.Label, err)
		}
	}
	return nil
}

// outcomeOf is the first line, by hand.
func outcomeOf(out *pb.CommandOutput) string {
	switch d := out.GetDisposition(); d {
	case 1:
		if out.ExitStatus != nil {
			return "Process exited with code " + strconv.Itoa(int(out.GetExitStatus()))
		}
		return "Process exited"
	case pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL:
		return "Process killed by signal " + signalName(out.GetSignal())
	case pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT:
		switch ms := out.GetTimeoutMs(); {
		case out.TimeoutMs == nil:
			return "Process timed out"
		case ms%1000 == 0:
			return fmt.Sprintf("Process timed out after %d s", ms/1000)
		default:
			return fmt.Sprintf("Process timed out after %d ms", ms)
		}
	case pb.CommandDisposition_COMMAND_DISPOSITION_CANCELLED:
		return "Process cancelled"
	case pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK:
		return "Command promoted to background task"
	case pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING:
		return "Command is already running"
	default:
		return fmt.Sprintf("Process ended (disposition %d)", d)
	}
}

func signalName(n int32) string {
	names := strings.Fields("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM")
	switch {
	case n <= 15:
		return fmt.Sprintf("%d (SIG%s)", n, names[n-1])
	case n == 24:
		return "24 (SIGXCPU)"
	case n == 25:
		return "25 (SIGXFSZ)"
	case n == 31:
		return "31 (SIGSYS)"
	}
	return strconv.Itoa(int(n))
}

// factsSay checks which facts there are, in their order, and the value of each whose
// value is no text of the tool.
func (s *sealer) factsSay(c *sealedCase, r *pb.CommandResult, d *renderers.Document) error {
	out := c.req.GetOutput().GetCommand()
	running := out.GetDisposition() == pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING
	var want []renderers.Fact
	fact := func(label, value string) {
		if value != "" {
			want = append(want, renderers.Fact{Label: label, Value: value})
		}
	}
	const unknown = "\x00" // what it says is for sameDocument to compare
	if out.ExitStatus != nil && out.GetDisposition() != 1 {
		fact("Exit code", strconv.Itoa(int(out.GetExitStatus())))
	}
	if r.GetExitMeaning() != nil {
		fact("Exit meaning", unknown)
	}
	if u := c.beside.Unchanged; u != nil {
		fact("Output unchanged", fmt.Sprintf("the same as in call %s, %s ago", u.GetCallId(), plural(u.GetCallsAgo(), "call")))
	}
	fact("Task", out.GetTaskHandle().GetTaskId())
	fact("Task status", out.GetTaskHandle().GetStatus())
	if running && r.GetCommandPreview() != "" {
		fact("Command", unknown)
	}
	if running && r.GetInstructions() != "" {
		fact("To continue", unknown)
	}
	if r.InOrderArtifact != nil {
		fact("In order of arrival", unknown)
	}
	facts := d.Facts
	if u := c.beside.Unchanged; u != nil {
		if !d.Brief || len(d.Sections) > 0 {
			return errors.New("an output that is unchanged is not on one line")
		}
		for u.GetWasCut() && len(facts) > len(want) {
			if err := s.handleSays(c, r, facts[len(facts)-1]); err != nil {
				return err
			}
			facts = facts[:len(facts)-1]
		}
	} else if len(d.Sections) == 0 && !running {
		none := "not captured"
		for label := range c.given {
			if label != "In order of arrival" {
				none = "none"
			}
		}
		fact("Output", none)
	}
	same := slices.EqualFunc(want, facts, func(w, got renderers.Fact) bool {
		return w.Label == got.Label && (w.Value == unknown || w.Value == got.Value)
	})
	if !same {
		return fmt.Errorf("the facts are %q, and read %q", want, d.Facts)
	}
	for _, f := range d.Facts {
		if f.Label == "In order of arrival" && !s.holds(f.Value, c.given[f.Label]) {
			return fmt.Errorf("%s is not both streams", f.Value)
		}
	}
	return nil
}

// handleSays checks what a line says of a stream that is not shown: where all of it is, or
// what of it was lost.
func (s *sealer) handleSays(c *sealedCase, r *pb.CommandResult, f renderers.Fact) error {
	label, inFull := strings.CutSuffix(f.Label, " in full")
	content := c.given[label]
	if inFull && sourceOf(r, label).OriginalArtifact == nil && !s.holds(f.Value, content) {
		return fmt.Errorf("%s is not what was given", f.Value)
	}
	if _, given := c.given[label]; !given || !inFull && sourceOf(r, label).GetSourceLoss() == nil && len(content) > 0 {
		return fmt.Errorf("a handle of %q", f.Label)
	}
	return nil
}

func plural(n uint32, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// holds reports whether the artifact at a path is that content.
func (s *sealer) holds(path string, content []byte) bool {
	name, err := s.store.Resolve(path)
	if err != nil {
		return false
	}
	r, err := s.store.Open(context.Background(), name)
	if err != nil {
		return false
	}
	got, err := io.ReadAll(r)
	return err == nil && bytes.Equal(got, content)
}

// streamSays checks the size, the place and the lines of a stream.
func (s *sealer) streamSays(content []byte, r *pb.CommandResult, section *renderers.Section) error {
	lines := int64(bytes.Count(content, []byte("\n")))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	source := sourceOf(r, section.Label)
	if source.OriginalArtifact != nil { // it is shown in a readable form, whose lines are others
		if original := int(source.GetOriginalArtifact()); !s.holds(r.GetArtifacts()[original].GetPath(), content) {
			return fmt.Errorf("artifact %d is not what was given", original)
		}
		decoded := source.GetOriginalBytes() == 0 || source.GetShape() == pb.PayloadShape_PAYLOAD_SHAPE_PROSE // or drawn, or the text of a page
		if e := section.Extent; e != nil && ((e.Form == renderers.FormWritten) != decoded || e.Lines != int64(source.GetLines()) && e.Lines > 0) {
			return fmt.Errorf("it is %d lines and %d bytes, shown as %d lines", lines, len(content), source.GetLines())
		}
		return nil
	}
	if e := section.Extent; e != nil {
		binary := slices.Contains(e.Notes, "binary")
		bytes := int64(len(content))
		if !binary && e.Lines > 0 && bytes/200 <= lines {
			bytes = 0 // the lines tell the size
		}
		if e.Bytes != bytes || e.Lines != lines && !binary && (e.Lines > 0 || !slices.Contains(e.Notes, "no visible text")) {
			return fmt.Errorf("it is %d lines and %d bytes", lines, len(content))
		}
		if e.Artifact != "" && !s.holds(e.Artifact, content) {
			return fmt.Errorf("%s is not what was given", e.Artifact)
		}
		if binary {
			return nil
		}
	}
	if section.Extent != nil && len(section.Body) == 0 {
		return nil
	}
	return linesAre(content, lines, section)
}

func sourceOf(r *pb.CommandResult, label string) *pb.SourceFacts {
	source := map[string]*pb.SourceFacts{
		"stdout": r.GetStdoutSource(), "stderr": r.GetStderrSource(),
		"output": r.GetCombinedOutputSource(), "Initial output": r.GetInitialOutputSource(),
	}[label]
	if source == nil {
		return &pb.SourceFacts{}
	}
	return source
}

// linesAre goes through the lines of a section with those that the tool wrote: marks
// stand where lines are missing and nowhere else, and a plain line is equal to that of the payload.
func linesAre(content []byte, lines int64, section *renderers.Section) error {
	given := strings.Split(string(content), "\n")
	timed := section.Extent != nil && slices.ContainsFunc(section.Extent.Notes, func(n string) bool { return strings.Contains(n, "line time") })
	next, inside := int64(1), false
	for i := range section.Body {
		p := &section.Body[i]
		if m := p.Mark; m != nil {
			if inside && (m.Bytes == 0 || m.Next > 0) {
				next++ // nothing behind the cut is shown of the line
			}
			inside = m.Bytes > 0
			before := next
			switch {
			case inside && m.Next == 0:
				next--
			case inside && m.Next != next, m.Next > lines:
				next = 0
			case m.Next > 0:
				next = m.Next
			case m.Repeats > 0:
				next += m.Repeats
			case i == len(section.Body)-1:
				next = lines + 1
			}
			if next < 1 || !inside && next <= before {
				return fmt.Errorf("%v stands before line %d of %d", m, before, lines)
			}
			continue
		}
		cutBehind := i+1 < len(section.Body) && section.Body[i+1].Mark != nil && section.Body[i+1].Mark.Bytes > 0
		shown := strings.Split(p.Text, "\n")
		for j, line := range shown {
			partial := inside && j == 0 || cutBehind && j == len(shown)-1
			if next > lines {
				return fmt.Errorf("line %d of %d: %q", next, lines, line)
			}
			if of := given[next-1]; !partial && !timed && plainText(of) && line != of {
				return fmt.Errorf("line %d is %q, and reads %q", next, of, line)
			}
			next++
		}
		inside = false
	}
	if inside {
		next++
	}
	if next == lines && !strings.HasSuffix(string(content), "\n") && !plainText(given[lines-1]) {
		next++ // nothing of the last line can be seen, not even its end
	}
	if next != lines+1 {
		return fmt.Errorf("%d of %d lines are accounted for", next-1, lines)
	}
	return nil
}

// plainText reports whether a line is shown as it is.
func plainText(line string) bool {
	for i := 0; i < len(line); i++ {
		if c := line[i]; c < 0x20 && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// twinSays projects the same call with text of the same shape that deceives nobody:
// every letter is an x. The facts must be the same.
func (s *sealer) twinSays(c *sealedCase, of *renderers.Document) error {
	if len(c.beside.Streams) > 0 {
		return nil
	}
	twin := sealedCase{family: c.family, req: proto.CloneOf(c.req), beside: received{Unchanged: c.beside.Unchanged}}
	out := twin.req.GetOutput().GetCommand()
	for _, p := range []*pb.Payload{out.GetStdout(), out.GetStderr(), out.GetCombinedOutput(), out.GetInitialOutput()} {
		if !benign(p.GetInline()) {
			return nil
		}
	}
	canonical, receipt, err := s.project(&twin)
	if err != nil {
		return fmt.Errorf("its twin: %w", err)
	}
	d, err := s.receiptSays(canonical, receipt)
	if err != nil {
		return fmt.Errorf("its twin: %w\n%s", err, receipt.text)
	}
	s.totals.twins++
	same := func(a, b renderers.Fact) bool { // the place of other bytes is another one
		return a == b || a.Label == b.Label && (d.Brief && strings.Contains(a.Value, "memory/") || shorter(a.Value, b.Value) || shorter(b.Value, a.Value))
	}
	if d.Outcome != of.Outcome || !slices.EqualFunc(d.Facts, of.Facts, same) {
		return fmt.Errorf("its twin says %q %q, and not %q", d.Outcome, d.Facts, of.Facts)
	}
	for i := range d.Sections {
		at := slices.IndexFunc(of.Sections, func(o renderers.Section) bool { return o.Label == d.Sections[i].Label })
		if at < 0 {
			return fmt.Errorf("its twin has a section %q", d.Sections[i].Label)
		}
		a, b := d.Sections[i].Extent, of.Sections[at].Extent
		if a != nil && b != nil && (a.Lines != b.Lines || a.Bytes != b.Bytes) {
			return fmt.Errorf("its twin says %v", a)
		}
	}
	return nil
}

// shorter reports whether a value is the beginning of another one: the place of other bytes may cost a token more.
func shorter(value, of string) bool {
	begin, cut := strings.CutSuffix(value, "...")
	return cut && strings.HasPrefix(of, strings.TrimRight(begin, "."))
}

// benign makes text harmless. It leaves alone what letters give another shape: control
// sequences and JSON.
func benign(content []byte) bool {
	if bytes.ContainsAny(content, "\x1b{[\x00") || bytes.IndexByte(content, 0x9b) >= 0 {
		return false
	}
	for i, c := range content {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			content[i] = 'x'
		}
	}
	return true
}

// compactedSays compacts a result at every level and reads its receipts.
func (s *sealer) compactedSays(canonical *pb.CanonicalToolResult) error {
	to := compactor.Target{Level: pb.CompactionLevel(1 + s.rng.IntN(3)), PreviewTokens: 16 + s.rng.IntN(60)}
	if s.chance(3) {
		to.Superseded = &pb.Superseded{CallId: "call_8", ResultsLater: 3}
	}
	after, receipt, err := s.bare.Compact(canonical, to, renderers.Policy{Counter: tokens.Estimate()}, s.store)
	if err != nil {
		return fmt.Errorf("compact to %v: %w", to.Level, err)
	}
	s.totals.compacted++
	if _, err := s.receiptSays(after, sealedReceipt{receipt.Text, receipt.Stuffed}); err != nil {
		return fmt.Errorf("compacted to %v: %w\n%s", to.Level, err, receipt.Text)
	}
	return nil
}
