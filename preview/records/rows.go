package records

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Kind is the type of the value of a cell.
type Kind uint8

// The kinds of cells.
const (
	Absent Kind = iota // the record has no such member
	Null
	Bool
	Number
	String
	Nested // a container, as one compact text
	kinds
)

// Cell is the value of one record in one column: a range of Rows.Source. An
// absent cell has an empty range.
type Cell struct {
	Start, End int32
	Kind       Kind
}

// Rows is a list of records. Every record has a cell for each key. A cell has no
// tab and no line end in it.
type Rows struct {
	Source  []byte   // what cells are ranges of
	Keys    []string // as they are written in a table
	Cells   []Cell   // those of one record after those of the other
	Numbers []int    // of records that stand for All, from 0; nil if they are all
	All     int
	ranks   []Rank // of the records, if they are known before
	Written bool   // somebody chose the columns: they are a table as written

	Log bool // they were written one after another, so that the last ones say how it ended
}

// Len returns the number of records.
func (r *Rows) Len() int {
	if len(r.Keys) == 0 {
		return 0
	}
	return len(r.Cells) / len(r.Keys)
}

// At returns a cell of a record.
func (r *Rows) At(row, column int) *Cell { return &r.Cells[row*len(r.Keys)+column] }

// Text returns the text of a cell.
func (r *Rows) Text(c *Cell) []byte { return r.Source[c.Start:c.End] }

// Same reports for each column whether all records have the same value in it.
func (r *Rows) Same() []bool {
	same := make([]bool, len(r.Keys))
	for k := range same {
		first := r.At(0, k)
		same[k] = first.Kind != Absent
		for i := 1; i < r.Len() && same[k]; i++ {
			c := r.At(i, k)
			same[k] = c.Kind == first.Kind && bytes.Equal(r.Text(c), r.Text(first))
		}
	}
	return same
}

// Rank is how much a record matters, and where it says so.
type Rank struct {
	Score  int // 1 to 100
	Reason shape.Reason
	Column int   // of the cell that gave the record its score; -1: no cell did
	Offset int32 // in its text, of what says so
}

// Scores of records. One that says that it failed comes first, then one with a
// rare state, then one that is unlike the others, then the last one, then the
// others from the first on.
const (
	scoreRareRow = 80
	scoreOddRow  = 78
	mostInText   = 79 // of one of which a text with a key that is not known says that it failed
	scoreWarned  = 77 // of a record that warns
	scoreLastRow = 76
	scoreNewRow  = 60 // of the first record of a kind
	scoreRow     = 50
	scoreKernel  = 30 // of a thread of the kernel
	lastOfLog    = 4  // records
	lessBehind   = 4  // less of one that belongs to a failure before it
	leastRow     = 54 // of a record that failed as others before
	mostLess     = 4  // less for a value that is less rare, and for one seen before
	lessAlike    = 6  // less for each record before that failed alike
	lessOften    = 2  // less for each record before that failed otherwise
	mostAlike    = 8  // records that failed alike and matter more than those that did not fail
)

// Ranks returns the rank of every record. What more than half of the records say
// does not set one of them apart. Of records that say the same of a failure each
// matters less than the one before.
func (r *Rows) Ranks() []Rank {
	if r.ranks != nil {
		return r.ranks
	}
	ranks := make([]Rank, r.Len())
	for i := range ranks {
		ranks[i] = Rank{Score: scoreRow, Reason: shape.KeepHead, Column: -1}
	}
	if len(ranks) == 0 {
		return ranks
	}
	for n := range r.lastRows() {
		ranks[len(ranks)-1-n] = Rank{Score: scoreLastRow - n, Reason: shape.KeepTail, Column: -1}
	}
	like := map[uint64]int{}
	extremes := 0
	for k, key := range r.Keys {
		means := meaningOf(key)
		if r.rankNumbers(ranks, k, extremes < mostExtremes) {
			extremes++
		} else {
			r.rankUnlike(ranks, k)
		}
		r.rankOdd(ranks, k)
		if means == meansState || r.isShort(k) {
			r.rankRare(ranks, k)
		}
		if means == meansState || isKind(key) {
			r.rankFirst(ranks, k)
		}
		r.rankFailed(ranks, k, means, like)
	}
	r.rankKernel(ranks)
	for _, run := range r.Repeats() { // the first one speaks for the others
		for i := run.First; i <= run.Last; i++ {
			ranks[run.First-1].raise(ranks[i])
		}
	}
	return ranks
}

// rankKernel lowers the threads of the kernel among processes: "[kworker/0:1]".
func (r *Rows) rankKernel(ranks []Rank) {
	last := len(r.Keys) - 1
	if key := r.Keys[last]; key != "COMMAND" && key != "CMD" {
		return
	}
	for i := range ranks {
		if text := r.Text(r.At(i, last)); len(text) > 2 && text[0] == '[' && text[len(text)-1] == ']' && ranks[i].Score < scoreOddRow {
			ranks[i] = Rank{Score: scoreKernel, Reason: shape.KeepHead, Column: -1}
		}
	}
}

// Repeat is a run of records that are the same as the one before the first.
type Repeat struct{ First, Last int }

// leastRepeats is the least number of records of a run: a mark costs about two.
const leastRepeats = 3

// Repeats returns the runs of records that are the same as the one before.
func (r *Rows) Repeats() (list []Repeat) {
	for i := 1; i < r.Len(); i++ {
		from := i
		for i < r.Len() && r.isSame(i, i-1) {
			i++
		}
		if i-from >= leastRepeats {
			list = append(list, Repeat{from, i - 1})
		}
	}
	return list
}

// isSame reports whether two records have the same cells.
func (r *Rows) isSame(i, j int) bool {
	for k := range r.Keys {
		if a, b := r.At(i, k), r.At(j, k); a.Kind != b.Kind || !bytes.Equal(r.Text(a), r.Text(b)) {
			return false
		}
	}
	return true
}

// lastRows returns how many records matter because they are the last.
func (r *Rows) lastRows() int {
	if r.Log {
		return min(lastOfLog, r.Len())
	}
	return 1
}

// raise gives a record a rank that is higher than its own.
func (r *Rank) raise(to Rank) {
	if to.Score > r.Score {
		*r = to
	}
}

// rankOdd raises the records whose cell in a column is of a type that few have,
// or is missing where it seldom is. A null is of any type.
func (r *Rows) rankOdd(ranks []Rank, column int) {
	var counts [kinds]int
	for i := range ranks {
		counts[r.At(i, column).Kind]++
	}
	for i := range ranks {
		if kind := r.At(i, column).Kind; kind != Null && shape.IsRare(counts[kind], len(ranks)) {
			ranks[i].raise(Rank{Score: scoreOddRow, Reason: shape.KeepStructure, Column: column})
		}
	}
}

// rankUnlike raises the records whose cell in a column has another value than
// nearly all others have: the first one with each value.
func (r *Rows) rankUnlike(ranks []Rank, column int) {
	at, lead := 0, 0 // of the value that most have, if there is one
	for i := range ranks {
		switch {
		case lead == 0:
			at, lead = i, 1
		case r.isValue(i, at, column):
			lead++
		default:
			lead--
		}
	}
	others := 0
	for i := range ranks {
		if !r.isValue(i, at, column) {
			others++
		}
	}
	if !shape.IsRare(others, len(ranks)) {
		return
	}
	seen := map[string]bool{}
	for i := range ranks {
		c := r.At(i, column)
		if c.Kind <= Null || r.isValue(i, at, column) || seen[string(r.Text(c))] {
			continue
		}
		seen[string(r.Text(c))] = true
		ranks[i].raise(Rank{Score: scoreOddRow, Reason: shape.KeepStructure, Column: column})
	}
}

// isValue reports whether two records have the same value in a column.
func (r *Rows) isValue(i, j, column int) bool {
	return bytes.Equal(r.Text(r.At(i, column)), r.Text(r.At(j, column)))
}

// rankRare raises the records with a state that few have.
func (r *Rows) rankRare(ranks []Rank, column int) {
	counts := map[string]int{}
	for i := range ranks {
		counts[string(r.Text(r.At(i, column)))]++
		if len(counts) > shape.MostStates {
			return
		}
	}
	seen := map[string]int{}
	for i := range ranks {
		state := string(r.Text(r.At(i, column)))
		if n := counts[state]; shape.IsRare(n, len(ranks)) { // the rarest first, and the first of each
			score := scoreRareRow - min(mostLess, n/2) - min(mostLess, seen[state])
			seen[state]++
			ranks[i].raise(Rank{Score: score, Reason: shape.KeepStructure, Column: column})
		}
	}
}

// shortBytes is how long the cells of a column of few values are at most: "ii", "refunded", "urgent".
const shortBytes = 16

// isShort reports whether a column has short words, which name no record or person.
func (r *Rows) isShort(column int) bool {
	switch keyMeaning(r.Keys[column]) {
	case columnName, columnPerson, columnFull, columnTitle:
		return false
	}
	for i := range r.Len() {
		c := r.At(i, column)
		if text := r.Text(c); c.Kind == Number || c.Kind == Nested || len(text) > shortBytes || len(text) > 0 && text[0] >= '0' && text[0] <= '9' {
			return false // a time is no word
		}
	}
	return true
}

// rankFirst raises the first record of each kind, where there are few kinds of many.
func (r *Rows) rankFirst(ranks []Rank, column int) {
	first := map[string]int{}
	for i := range ranks {
		text := r.Text(r.At(i, column))
		if _, ok := first[string(text)]; !ok {
			first[string(text)] = i
		}
		if len(first) > shape.MostStates {
			return
		}
	}
	if len(first) < 2 || 2*len(first) > len(ranks) {
		return
	}
	for i := range ranks {
		if first[string(r.Text(r.At(i, column)))] == i {
			ranks[i].raise(Rank{Score: scoreNewRow, Reason: shape.KeepStructure, Column: column})
		}
	}
}

// isKind reports whether a key is of the kind of a record: "warning_type".
func isKind(key string) bool {
	text := []byte(key)
	text = bytes.ToLower(bytes.Trim(text[bytes.LastIndexByte(text, '.')+1:], `"`))
	for _, ending := range [...]string{"type", "kind", "category", "priority", "rule", "class"} {
		if bytes.HasSuffix(text, []byte(ending)) {
			return true
		}
	}
	return false
}

// likeness returns a hash of the words of a record, without what changes from one
// to the next.
func (r *Rows) likeness(row int) uint64 {
	sum := uint64(0)
	for k := range r.Keys {
		if c := r.At(row, k); c.Kind == String {
			sum = sum*31 + shape.Fingerprint(r.Text(c), true)
		}
	}
	return sum
}

// rankFailed raises the records whose cell in a column says that something went
// wrong, unless most do. Like counts what was said before.
func (r *Rows) rankFailed(ranks []Rank, column int, means meaning, like map[uint64]int) {
	type failed struct {
		row int
		verdict
	}
	var list []failed
	for i := range ranks {
		c := r.At(i, column)
		if v := verdictOfCell(means, c.Kind, r.Text(c)); v.score > 0 && !(means == meansTruth && r.endedWell(i)) {
			list = append(list, failed{i, v})
		}
	}
	if 2*len(list) > len(ranks) || means == meansOther && !shape.IsRare(len(list), len(ranks)) {
		return
	}
	often := map[int]int{} // kinds of failures by their score
	for _, f := range list {
		h := r.likeness(f.row) + uint64(column)
		score := max(leastRow, f.score-min(30, lessAlike*like[h]+lessOften*often[f.score]))
		if like[h] == 0 {
			often[f.score]++
		}
		if like[h]++; like[h] > mostAlike {
			score = scoreRow
		}
		ranks[f.row].raise(Rank{Score: score, Reason: f.reason, Column: column, Offset: f.at})
		for n := 1; n <= f.after && f.row+n < len(ranks); n++ { // a log with a record for each line
			ranks[f.row+n].raise(Rank{Score: max(leastRow, score-lessBehind-n), Reason: shape.KeepContext, Column: -1})
		}
	}
}

// endedWell reports whether a record is of a job that did its work, and so need not be ready.
func (r *Rows) endedWell(row int) bool {
	for k, key := range r.Keys {
		if meaningOf(key) == meansState {
			if text := r.Text(r.At(row, k)); bytes.HasPrefix(text, []byte("Completed")) || bytes.HasPrefix(text, []byte("Succeeded")) {
				return true
			}
		}
	}
	return false
}

// meaning is what the value of a key says of success.
type meaning uint8

const (
	meansOther   meaning = iota
	meansState           // a word, or a status of HTTP
	meansTruth           // false is bad
	meansError           // anything is bad
	meansExit            // any number but 0 is bad
	meansMessage         // words that are read as a line of a log
	meansCode            // a status of HTTP, or another number
	meansUsed            // a share of something that can be full
	meansProcess         // letters of ps and top: "Ssl"
)

// meanings has the keys that say how something went, in lower case without
// signs: those of GitHub, Kubernetes, Docker, test runners, loggers (bunyan, pino,
// zap, logrus, slog, Serilog) and of most APIs.
var meanings = [...]struct {
	meaning
	keys string
}{
	{meansState, "status state conclusion result outcome phase reason health action event verdict level severity lvl levelname loglevel @l statuscode httpstatus responsecode active sub load waiting"},
	{meansTruth, "ok success successful succeeded passed healthy ready valid available"},
	{meansError, "error errors err exception failure failures failed errormessage errormsg errorcode stacktrace oomkilled crashed"},
	{meansExit, "exitcode returncode exitstatus rc exit"},
	{meansMessage, "message msg @m output log line text stderr"},
	{meansCode, "code"},
	{meansUsed, "use% iuse% capacity usedpercent"},
	{meansProcess, "stat s"},
}

// meaningOfKey has the meanings by key.
var meaningOfKey = func() map[string]meaning {
	keys := map[string]meaning{}
	for _, m := range slices.Backward(meanings[:]) { // the first one counts
		for key := range strings.SplitSeq(m.keys, " ") {
			keys[key] = m.meaning
		}
	}
	return keys
}()

// meaningOf returns the meaning of a key, of which the part behind the last dot
// counts: "status.phase". A key may also end with one of some words: "jobStatus".
func meaningOf(key string) meaning {
	text := []byte(key)
	text = bytes.Trim(text[bytes.LastIndexByte(text, '.')+1:], `"`)
	var plain [24]byte
	word := textscan.PlainName(plain[:0], text)
	if m, ok := meaningOfKey[string(word)]; ok {
		return m
	}
	for _, ending := range [...]string{"Status", "_status", "State", "_state", "-status", "-state", "Severity", "_severity", "Level", "_level"} {
		if bytes.HasSuffix(text, []byte(ending)) {
			return meansState
		}
	}
	return meansOther
}

// verdict is what a cell says of a failure.
type verdict struct {
	score  int // 0: nothing
	reason shape.Reason
	at     int32 // where in the text it is said
	after  int   // records after it that belong to it
}

// verdictOfCell returns what a cell says of a failure.
func verdictOfCell(means meaning, kind Kind, text []byte) verdict {
	if kind == Nested {
		return verdictOfNested(text, means == meansError)
	}
	return verdictOf(means, kind, text)
}

// verdictOf returns what a value says of a failure.
func verdictOf(means meaning, kind Kind, text []byte) verdict {
	if len(text) == 0 {
		return verdict{}
	}
	switch means {
	case meansState:
		return verdictOfState(kind, text)
	case meansTruth:
		if kind == Bool && text[0] == 'f' || kind == String && (isUntrue(text) || isUnready(text)) {
			return verdict{score: 82, reason: shape.KeepFailure}
		}
	case meansError:
		if kind == Bool && text[0] == 't' || kind == Number && !isZero(text) || kind == String && saysSomething(text) {
			return verdict{score: 88, reason: shape.KeepError}
		}
	case meansExit:
		if kind == Number && !isZero(text) || kind == String && isCode(text) {
			return verdict{score: 88, reason: shape.KeepExit}
		}
	case meansCode:
		if text = bytes.Trim(text, `"`); len(text) == 3 && (kind == Number || kind == String) {
			return verdictOfNumber(string(text))
		}
	case meansUsed:
		if n, ok := amount(text); ok && n >= fullUsed {
			return verdict{score: 86, reason: shape.KeepError}
		}
	case meansProcess: // dead, stopped, zombie, and waiting for a device
		if kind == String && len(text) > 0 && len(text) <= 5 && bytes.IndexByte([]byte("DZXTt"), text[0]) >= 0 {
			return verdict{score: 84, reason: shape.KeepError}
		}
	case meansOther:
		if v := verdictOf(meansMessage, kind, text); v.score > 0 && bytes.IndexByte(text, ' ') > 0 {
			return verdict{score: min(v.score, mostInText), reason: v.reason}
		}
	case meansMessage:
		if kind == String {
			if text = bytes.Trim(text, `"`); salience.Builtin().Next(text, 0) < 0 {
				return verdict{}
			}
			if m := salience.Builtin().Classify(text); m.Score >= salience.MustKeep && m.Reason < salience.Summary {
				return verdict{score: int(m.Score), reason: shape.Reasons[m.Reason], after: int(m.After)}
			}
		}
	}
	return verdict{}
}

// fullUsed is the share from which on something counts as full, in per cent.
const fullUsed = 90

// isUnready reports whether a text counts fewer of something than there are: "0/1".
func isUnready(text []byte) bool {
	ready, all, ok := bytes.Cut(text, []byte("/"))
	return ok && isAmount(ready) && isAmount(all) && !bytes.Equal(ready, all)
}

// isZero reports whether a number is zero.
func isZero(text []byte) bool {
	if at := bytes.IndexAny(text, "eE"); at >= 0 {
		text = text[:at]
	}
	return len(bytes.Trim(text, "-0.")) == 0
}

// isCode reports whether a text is a number of digits that is not zero.
func isCode(text []byte) bool {
	text = bytes.TrimPrefix(bytes.Trim(text, `"`), []byte("-"))
	return len(text) > 0 && len(bytes.Trim(text, "0123456789")) == 0 && !isZero(text)
}

// isUntrue reports whether a text says no.
func isUntrue(text []byte) bool {
	var plain [24]byte
	return textscan.HasWord("false no failed failure error", textscan.PlainName(plain[:0], bytes.Trim(text, `"`)))
}

// saysSomething reports whether the text of an error is not a word for none.
func saysSomething(text []byte) bool {
	text = bytes.Trim(text, `" `)
	var plain [24]byte
	return len(text) > 0 && !textscan.HasWord("none null nil no false 0 ok success", textscan.PlainName(plain[:0], text))
}

// Words of states that say that something went wrong, in lower case without
// signs: those of GitHub, Kubernetes, Docker, Terraform, Jenkins and of loggers.
const (
	crashStates = "fatal panic crash crashed emerg emergency killed oomkilled dpanic"
	badStates   = "err severe critical crit alert broken rejected denied unhealthy degraded down offline dead evicted expired aborted lost notready " +
		"timeout timedout notfound badsetting masked defunct zombie stopped suspended startupfailure actionrequired crashloopbackoff imagepullbackoff containercannotrun deadlineexceeded unschedulable unreachable"
	warnStates = "warn warning cancelled canceled pending unknown unstable terminating restarting blocked"
)

// verdictOfWord has what a word of a state says of a failure.
var verdictOfWord = func() map[string]verdict {
	words := map[string]verdict{}
	for list, v := range map[string]verdict{
		crashStates: {score: 92, reason: shape.KeepCrash}, badStates: {score: 88, reason: shape.KeepError}, warnStates: {score: scoreWarned, reason: shape.KeepWarning},
	} {
		for word := range strings.SplitSeq(list, " ") {
			words[word] = v
		}
	}
	return words
}()

// verdictOfState returns what the value of a state says of a failure. Numbers are
// statuses of HTTP, and levels of bunyan and pino.
func verdictOfState(kind Kind, text []byte) (worst verdict) {
	switch kind {
	case Number:
		return verdictOfNumber(string(text))
	case String:
		for part := range bytes.SplitSeq(bytes.Trim(text, `"`), []byte(", ")) { // the states of several
			if v := verdictOfWords(part); v.score > worst.score {
				worst = v
			}
		}
	}
	return worst
}

// verdictOfWords returns what a state of one word or several says of a failure: "Exited (1) 2 hours
// ago", "Up 3 days (unhealthy)".
func verdictOfWords(text []byte) verdict {
	if bytes.HasPrefix(text, []byte("Exited (")) && !bytes.HasPrefix(text, []byte("Exited (0)")) || bytes.Contains(text, []byte("(unhealthy)")) {
		return verdict{score: 88, reason: shape.KeepExit}
	}
	var plain [24]byte
	word := textscan.PlainName(plain[:0], text)
	if len(word) == 0 { // it is long: its first word is the state
		first, _, _ := bytes.Cut(text, []byte(" "))
		word = textscan.PlainName(plain[:0], first)
	}
	if v, ok := verdictOfWord[string(word)]; ok {
		return v
	}
	switch {
	case bytes.HasPrefix(word, []byte("fail")) || bytes.HasSuffix(word, []byte("failed")) || bytes.HasSuffix(word, []byte("failure")):
		return verdict{score: 89, reason: shape.KeepFailure}
	case bytes.HasPrefix(word, []byte("err")) || bytes.HasSuffix(word, []byte("error")) || bytes.HasSuffix(word, []byte("backoff")):
		return verdict{score: 88, reason: shape.KeepError}
	}
	return verdict{}
}

// verdictOfNumber returns what a number that is a state says of a failure.
func verdictOfNumber(n string) verdict {
	switch {
	case n == "60" || n == "50":
		return verdict{score: 90, reason: shape.KeepError}
	case n == "40":
		return verdict{score: scoreWarned, reason: shape.KeepWarning}
	case len(n) == 3 && n[0] == '5':
		return verdict{score: 88, reason: shape.KeepError}
	case len(n) == 3 && n[0] == '4':
		return verdict{score: 84, reason: shape.KeepError}
	}
	return verdict{}
}

// verdictOfNested returns the worst that a member of a compact JSON text says. A
// container that is itself an error says so by having anything in it. Other
// texts say nothing.
func verdictOfNested(text []byte, isError bool) verdict {
	var worst verdict
	if isError && len(text) > len("{}") {
		worst = verdict{score: 86, reason: shape.KeepError}
	}
	for at := 0; at < len(text); {
		if text[at] != '"' {
			at++
			continue
		}
		end := stringEnd(text, at)
		if end >= len(text) || text[end] != ':' {
			at = end
			continue
		}
		means := meansOther
		if end-at <= mostKnownKey {
			means = meaningOf(string(text[at+1 : end-1]))
		}
		from := end + 1
		if kind := kindOf(text[from:]); kind != Nested {
			to := scalarEnd(text, from)
			if means != meansOther && means != meansMessage {
				if v := verdictOf(means, kind, text[from:to]); v.score > worst.score {
					worst, worst.at = v, int32(at)
				}
			}
			from = to
		}
		at = from
	}
	return worst
}

// mostKnownKey is a length that no known key has, with its quotes.
const mostKnownKey = 26

// kindOf returns the kind of the JSON value that a compact text begins with.
func kindOf(text []byte) Kind {
	if len(text) == 0 {
		return Absent
	}
	switch text[0] {
	case '{', '[':
		return Nested
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// stringEnd returns the offset behind the JSON string that begins at one.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}

// scalarEnd returns the offset behind the JSON scalar that begins at one.
func scalarEnd(text []byte, at int) int {
	if at < len(text) && text[at] == '"' {
		return stringEnd(text, at)
	}
	for at < len(text) && !textscan.EndsScalar(text[at]) {
		at++
	}
	return at
}
