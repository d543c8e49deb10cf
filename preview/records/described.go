package records

import (
	"bytes"
	"strings"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// "kubectl describe" and its like write an object as aligned keys and values, in sections:
//
//	Name:             cart-1
//	Containers:
//	  cart:
//	    State:          Waiting
//	      Reason:       CrashLoopBackOff
//
// Their readable form has a line for each section, with the path to it:
//
//	Name: cart-1
//	Containers.cart: State: Waiting (Reason: CrashLoopBackOff)

// Bounds of described objects.
const (
	leastDescribed     = 12 // lines
	mostDescribedLines = 1 << 15
	leastKeyed         = 80      // per cent of the lines that have a key, or belong to one
	leastAligned       = 50      // per cent of the lines with a value that are aligned
	leastValues        = 4       // lines with a key and a value
	mostDescribed      = 1 << 20 // bytes
	deepestSection     = 16
	mostKeyBytes       = 64
)

// Scores of lines of described objects.
const (
	scoreNamed     = 80 // what an object is called, and its state
	scoreAilingOne = 8  // more for one that says that something is wrong
	scoreUnmet     = 84 // a condition
	scoreEvent     = 87
	scoreEventLike = 3  // less for each earlier event like it
	scoreAiling    = 58 // other lines of an object that says that something is wrong
	scoreWell      = 42 // other lines of another
	scorePlain     = 26 // lines of sections that seldom matter
)

// Sections of which nothing is shown, and those of which lines seldom matter, in lower case without
// signs.
const (
	unread = "labels annotations tolerations nodeselectors selector mounts volumes imageid containerid hostport ips priority serviceaccount " +
		"topologyspreadconstraints systeminfo podcidrs providerid machineid systemuuid bootid lease liveness readiness startup uid priorityclassname " +
		"ipfamilypolicy ipfamilies sessionaffinity internaltrafficpolicy finalizers resourceversion managedfields"
	seldom = "environment environmentvariablesfrom args command port requests addresses capacity qosclass ip starttime " +
		"controlledby namespace node creationtimestamp created image"
)

// described is a line: its place, its key, and its value or its text.
type described struct {
	indent     int
	key, value string
	aligned    bool
}

// ParseDescribed reads described objects. It returns nil for other text.
func ParseDescribed(text []byte) *Outline {
	if len(text) > mostDescribed || !bytes.Contains(text, []byte(":  ")) && !bytes.Contains(text, []byte(":\t")) {
		return nil
	}
	list := describedLines(text)
	if list == nil || !hasKeysOnce(list) {
		return nil
	}
	d := describer{list: list}
	from := 0
	for i := range list {
		if i > from && list[i].indent == 0 && list[i].key == list[0].key {
			d.object(from, i)
			from = i
		}
	}
	d.object(from, len(list))
	if len(d.starts) == 0 {
		return nil
	}
	d.text = append(d.text, '\n')
	return &Outline{text: d.text, starts: d.starts, ranks: d.ranks}
}

// describedLines returns the lines of described objects; nil for other text.
func describedLines(text []byte) (list []described) {
	keyed, values, aligned := 0, 0, 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		d := describedLine(line)
		if len(list) == 0 && (d.indent > 0 || d.key == "" || !d.aligned) {
			return nil
		}
		if list = append(list, d); len(list) > mostDescribedLines {
			return nil
		}
		if d.key != "" || d.indent > 0 {
			keyed++
		}
		if d.key != "" && d.value != "" {
			if values++; d.aligned {
				aligned++
			}
		}
	}
	if len(list) < leastDescribed || keyed*100 < len(list)*leastKeyed || values < leastValues || aligned*100 < values*leastAligned {
		return nil
	}
	return list
}

// Bounds that tell objects from a log, whose lines may begin with their level as with a key.
const (
	leastOfObject = 4 // lines
	mostRepeated  = 3 // lines at the margin for each key there
)

// hasKeysOnce reports whether objects have most of their keys once.
func hasKeysOnce(list []described) bool {
	objects, margin, keys := 0, 0, 0
	seen := map[string]bool{}
	for i := range list {
		if list[i].indent > 0 || list[i].key == "" {
			continue
		}
		if list[i].key == list[0].key {
			objects++
			seen = map[string]bool{}
		}
		if margin++; !seen[list[i].key] {
			keys++
		}
		seen[list[i].key] = true
	}
	return objects*leastOfObject <= len(list) && margin <= keys*mostRepeated
}

// describedLine reads a line.
func describedLine(line []byte) described {
	rest := bytes.TrimLeft(line, " \t")
	d := described{indent: len(line) - len(rest)}
	end := bytes.IndexByte(rest, ':')
	if end <= 0 || end > mostKeyBytes || bytes.Contains(rest[:end], []byte("  ")) || end+1 < len(rest) && rest[end+1] != ' ' && rest[end+1] != '\t' {
		d.value = strings.Join(strings.Fields(textscan.OneLine(string(rest))), " ")
		return d
	}
	value := rest[end+1:]
	d.aligned = len(value) > 1 && (value[1] == ' ' || value[0] == '\t')
	d.key = textscan.OneLine(string(bytes.TrimSpace(rest[:end])))
	d.value = textscan.OneLine(string(bytes.TrimSpace(value)))
	return d
}

// describer writes described objects.
type describer struct {
	list   []described
	text   []byte
	starts []int32
	ranks  []Rank
	events map[string]int // how many are like it
}

// section is the lines of a section: one line, and those that are deeper behind it.
type section struct{ at, end int }

// sections returns the sections of a range of lines.
func (d *describer) sections(from, to int) (list []section) {
	for at := from; at < to; {
		end := at + 1
		for end < to && d.list[end].indent > d.list[at].indent {
			end++
		}
		list = append(list, section{at, end})
		at = end
	}
	return list
}

// object writes the object of a range of lines.
func (d *describer) object(from, to int) {
	first := len(d.ranks)
	d.section("", d.sections(from, to), scoreNamed, 0)
	if first == len(d.ranks) {
		return
	}
	ailing := false
	for i := first; i < len(d.ranks); i++ {
		ailing = ailing || d.ranks[i].Reason < shape.KeepStructure && d.ranks[i].Reason >= shape.KeepError
	}
	for i := first; i < len(d.ranks); i++ {
		switch r := &d.ranks[i]; {
		case i == first && ailing:
			r.Score = max(r.Score, scoreNamed+scoreAilingOne)
		case i == first:
			r.Score = max(r.Score, scoreNamed)
		case !ailing && r.Score == scoreAiling:
			r.Score = scoreWell
		}
	}
}

// line writes a line.
func (d *describer) line(path, text string, r Rank) {
	if path != "" {
		text = path + ": " + text
	}
	if len(d.starts) > 0 {
		d.text = append(d.text, '\n')
	}
	d.starts = append(d.starts, int32(len(d.text)))
	d.text = append(d.text, clip(text)...)
	d.ranks = append(d.ranks, r)
}

// section writes sections with values on lines with the path to them, then those with others in them.
func (d *describer) section(path string, list []section, score, depth int) {
	if depth > deepestSection {
		return
	}
	w := describedValues{describer: d, path: path, score: score}
	var inner, later []section
	for _, s := range list {
		switch one := &d.list[s.at]; {
		case isUnread(one.key):
		case one.key == "":
		case isEmptyValue(one.value) && s.end == s.at+1:
		case one.value == "":
			inner = append(inner, s)
		case d.isTable(s):
			w.add(section{s.at, s.at + 1})
			inner = append(inner, s)
		case hasKey(seldom, one.key):
			later = append(later, s)
		default:
			w.add(s)
		}
	}
	w.flush()
	for _, s := range later {
		w.add(s)
	}
	w.flush()
	if depth > 0 {
		d.rows(path, list)
	}
	for _, s := range inner {
		key := d.list[s.at].key
		next := min(score, scoreAiling)
		if hasKey(seldom, key) {
			next = scorePlain
		}
		if path != "" && len(path) < mostPath {
			key = path + "." + key
		}
		d.section(key, d.sections(s.at+1, s.end), next, depth+1)
	}
}

// rowIndent is how much deeper than its key a row of a table is, at most; a further line of a value is
// below it.
const rowIndent = 4

// isTable reports whether the lines below a value are a table.
func (d *describer) isTable(s section) bool {
	return s.end-s.at > 2 && d.list[s.at+1].key == "" && d.list[s.at+1].indent <= d.list[s.at].indent+rowIndent
}

// describedValues collects the values of a section on lines.
type describedValues struct {
	*describer
	path  string
	score int
	line  strings.Builder
	rank  Rank // of the line
}

// add adds a value, with those that are below it.
func (w *describedValues) add(s section) {
	one := w.list[s.at]
	rank := Rank{Score: w.score, Reason: shape.KeepStructure, Column: -1}
	if bad := describedVerdict(one.key, one.value); bad.score > 0 {
		rank.Score, rank.Reason = bad.score, bad.reason
	}
	var below []string
	for _, l := range w.list[s.at+1 : s.end] {
		switch {
		case l.key == "":
			one.value += " " + l.value
		case !isEmptyValue(l.value) && !isUnread(l.key):
			if bad := describedVerdict(l.key, l.value); bad.score > rank.Score || bad.score > 0 && rank.Reason == shape.KeepStructure {
				rank.Score, rank.Reason = bad.score, bad.reason
			}
			below = append(below, l.key+": "+l.value)
		}
	}
	text := one.key + ": " + one.value
	if len(below) > 0 {
		text += " (" + strings.Join(below, ", ") + ")"
	}
	if rank.Reason == shape.KeepStructure && hasKey(seldom, one.key) {
		rank.Score = min(rank.Score, scoreWell)
	}
	if w.line.Len() > 0 && w.line.Len()+len(text) > outlineWidth {
		w.flush()
	}
	if w.line.Len() == 0 {
		w.rank = rank
	} else {
		w.line.WriteString(", ")
		if rank.Reason != shape.KeepStructure && (rank.Score > w.rank.Score || w.rank.Reason == shape.KeepStructure) {
			w.rank = rank
		}
	}
	w.line.WriteString(text)
}

// flush writes the line.
func (w *describedValues) flush() {
	if w.line.Len() > 0 {
		w.describer.line(w.path, w.line.String(), w.rank)
		w.line.Reset()
		w.score = min(w.score, scoreAiling)
	}
}

// rows writes the lines of a section that are no values: a table, such as of conditions and events.
func (d *describer) rows(path string, list []section) {
	for n, s := range list {
		for i := s.at; i < s.end; i++ {
			one := &d.list[i]
			if one.key != "" && i == s.at {
				break // it is a value
			}
			if text := one.text(); strings.Trim(text, "- ") != "" {
				d.line(path, text, d.rowRank(path, text, n == 0 && len(list) > 1))
			}
		}
	}
}

// text returns a line as it was, on one line.
func (l *described) text() string {
	if l.key == "" {
		return l.value
	}
	return l.key + ": " + l.value
}

// rowRank returns the rank of a row of a table.
func (d *describer) rowRank(path, text string, head bool) Rank {
	r := Rank{Score: scoreWell, Reason: shape.KeepContext, Column: -1}
	first, _, _ := strings.Cut(text, " ")
	switch {
	case head:
		r.Score = scorePlain
	case path == "Conditions":
		r.Score = scorePlain
		if isUnmet(text) {
			r.Score, r.Reason = scoreUnmet, shape.KeepFailure
		}
	case first == "Warning":
		if d.events == nil {
			d.events = map[string]int{}
		}
		kind := strings.Join(strings.Fields(text)[:min(2, len(strings.Fields(text)))], " ")
		r.Score, r.Reason = max(scoreAiling, scoreEvent-scoreEventLike*d.events[kind]), shape.KeepWarning
		d.events[kind]++
	case path == "Events":
		r.Score = scorePlain
	default:
		if m := salience.Builtin().Classify([]byte(text)); int(m.Score) > r.Score && m.Reason < salience.Summary && m.Reason > 0 {
			r.Score, r.Reason = int(m.Score), shape.Reasons[m.Reason]
		}
	}
	return r
}

// isUnmet reports whether a row of a condition says that something is wrong: its state is not known,
// or it is the opposite of the good one.
func isUnmet(text string) bool {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return false
	}
	ill := false
	for _, part := range []string{"Pressure", "Unavailable", "Problem", "Failure", "Failed", "Failing", "Limited", "Degraded", "Deadlock"} {
		ill = ill || strings.Contains(fields[0], part)
	}
	return fields[1] == "Unknown" || fields[1] == "True" && ill || fields[1] == "False" && !ill
}

// describedVerdict returns what a value says of a failure.
func describedVerdict(key, value string) verdict {
	if value == "" {
		return verdict{}
	}
	kind := kindOf([]byte(value))
	if kind != Number {
		kind = String
	}
	switch plainKey(key) {
	case "ready":
		have, want, ok := strings.Cut(value, "/")
		if value == "False" || ok && have != want {
			return verdict{score: 86, reason: shape.KeepFailure}
		}
	case "replicas":
		if at := strings.Index(value, " unavailable"); at > 0 && value[at-1] != '0' {
			return verdict{score: scoreUnmet, reason: shape.KeepFailure}
		}
	case "restartcount":
		if kind == Number && value != "0" {
			return verdict{score: scoreUnmet, reason: shape.KeepWarning}
		}
		return verdict{}
	}
	return verdictOf(meaningOf(key), kind, []byte(value))
}

// plainKey returns a key in lower case without signs; empty for a long one.
func plainKey(key string) string {
	var plain [24]byte
	return string(textscan.PlainName(plain[:0], []byte(key)))
}

// hasKey reports whether a key is in a list of plain ones.
func hasKey(list, key string) bool { return textscan.HasWord(list, []byte(plainKey(key))) }

// isUnread reports whether a key has nothing to say.
func isUnread(key string) bool { return key != "" && (hasKey(unread, key) || isNoise([]byte(key))) }

// isEmptyValue reports whether a value only says that there is nothing.
func isEmptyValue(value string) bool {
	switch value {
	case "<none>", "<unset>", "<nil>", "<unknown>":
		return true
	}
	return false
}
