package records

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Columns of a table that does not fit. A reader wants to know which entries there are and how
// they are: names, titles, states, messages, numbers, people, dates. Addresses, hashes and
// pictures cost more than all of these, and are one read away.

// Bounds of chosen columns.
const (
	CellBytes  = 60  // of a cell that is shown, in a table that does not fit
	leastWidth = 56  // bytes of a row of which all can be shown
	someWidth  = 280 // bytes of a row of which some can
	mostWidth  = 320 // bytes of any row
	rowTokens  = 3   // bytes of a row for each token of it, about
	leastShown = 3   // columns that matter are chosen whatever the width
	mostShown  = 64  // columns that are shown
	mostEqual  = 6   // columns that are equal in all records and are said
)

// Scores of columns by the meaning of their keys and values.
const (
	columnTitle  = 100
	columnError  = 96
	columnName   = 94 // identifies a record
	columnState  = 90
	columnFull   = 84 // the full name of a person
	columnPerson = 80
	columnAmount = 70
	columnDate   = 68
	columnWords  = 58
	columnFlag   = 46
	columnLong   = 40
	columnID     = 34
	columnMinor  = 20 // colours, order, dimensions
	columnLink   = 4
	columnMust   = 84 // from which on a column matters whatever the width
	deeperColumn = 4  // less for each object around a leaf
	besideColumn = 7  // less for each better column of the same object
	sparseColumn = 24 // less for one that few records have
	wrongColumn  = 20 // more for one that says of a record that it failed
)

// columnMeanings has the keys that matter in a table, in lower case without signs. Keys are those of
// GitHub, GitLab, Jira, Slack, Kubernetes, cloud providers, SQL catalogs, ps, docker and dpkg.
var columnMeanings = [...]struct {
	score int
	keys  string
}{
	{columnTitle, "title name subject headline summary message msg text label namespacedname unit question address identifier"},
	{columnFull, "realname fullname displayname"},
	{columnPerson, "firstname lastname givenname familyname screenname nickname"},
	{columnError, "error errors errormessage reason exception failure cause warning stderr"},
	{columnName, "number key iid culprit path file filename filepath command cmd package image repository repo pid ticket code sku symbol hostname host node endpoint"},
	{columnState, "status state phase conclusion result outcome severity level priority health active sub load ready type kind action event verdict draft " +
		"merged restarts restartcount exitcode stat suspended rc"},
	{columnPerson, "login username user author assignee owner reporter creator customer email from to sender organization team"},
	{columnAmount, "branchname size total count amount price cost score value quantity qty duration elapsed latency cpu mem memory percent used avail use stars forks comments " +
		"additions deletions changes version tag branch ref namespace age rows"},
	{columnDate, "date time timestamp created createdat updated updatedat modified started startedat finished completedat closedat mergedat duedate lasttimestamp"},
	{columnID, "id uuid sha uid guid hash oid digest"},
	{columnMinor, "color colour sortorder position order icon emoji timezone locale lang etag seq"},
}

// meaningOfWord has the scores of columnMeanings by word.
var meaningOfWord = func() map[string]int {
	words := map[string]int{}
	for _, m := range slices.Backward(columnMeanings[:]) { // the first one counts
		for word := range strings.SplitSeq(m.keys, " ") {
			words[word] = m.score
		}
	}
	return words
}()

// columnEndings are words that a key may end with.
var columnEndings = [...]struct {
	score int
	words [4]string
}{
	{columnTitle, [4]string{"_title", "Title", "_message", "Message"}},
	{columnName, [4]string{"_name", "Name", "-name", "_key"}},
	{columnError, [4]string{"_error", "Error", "_reason", "Reason"}},
	{columnState, [4]string{"_status", "Status", "_state", "State"}},
	{columnState, [4]string{"Label", "_level", "Level", "Severity"}},
	{columnDate, [4]string{"_at", "At", "_date", "Date"}},
	{columnDate, [4]string{"_time", "Time", "Timestamp", "_on"}},
	{columnAmount, [4]string{"_count", "Count", "_total", "Total"}},
	{columnID, [4]string{"_id", "Id", "ID", "_sha"}},
}

// carriers are keys that hold the value of the key before them: "properties.Name.title.plain_text".
const carriers = "value values text content plaintext raw string rendered displayvalue data attributes fields nodes items edges node name names source title"

// carrierWords are the words of carriers.
var carrierWords = wordSet(carriers)

// keyMeaning returns the score of a key; 0 for one that is not known. Its last part says it, or the one
// before if the last is but a carrier of a value.
func keyMeaning(key string) int {
	best := 0
	for range 3 {
		dot := strings.LastIndexByte(key, '.')
		last := []byte(strings.Trim(key[dot+1:], `"%_@`))
		best = max(best, wordMeaning(last))
		var plain [24]byte
		if dot < 0 || !carrierWords[string(textscan.PlainName(plain[:0], last))] {
			break
		}
		key = key[:dot]
		if isPerson(key[strings.LastIndexByte(key, '.')+1:]) {
			return columnPerson
		}
	}
	return best
}

// people are words that a key of somebody ends with.
var people = [...]string{"user", "userprofile", "profile", "author", "assignee", "creator", "owner", "sender", "member", "reporter", "committer", "customer", "people"}

// isPerson reports whether a key is of somebody, whose name says who it is and not what the record is.
func isPerson(key string) bool {
	var plain [24]byte
	name := string(textscan.PlainName(plain[:0], []byte(key)))
	return slices.ContainsFunc(people[:], func(word string) bool { return strings.HasSuffix(name, word) })
}

// wordMeaning returns the score of one part of a key; 0 for one that is not known.
func wordMeaning(word []byte) int {
	var plain [24]byte
	name := textscan.PlainName(plain[:0], word)
	if score, ok := meaningOfWord[string(name)]; ok {
		return score
	}
	for i := range columnEndings {
		for _, ending := range columnEndings[i].words {
			if bytes.HasSuffix(word, []byte(ending)) {
				return columnEndings[i].score
			}
		}
	}
	return 0
}

// measured is the measure of one column.
type measured struct {
	at       int // in Rows.Keys
	score    int
	width    int    // mean bytes of a cell, of at most CellBytes each
	filled   int    // cells with a value
	constant bool   // every record has the same value
	code     bool   // its values are hashes and the like
	sum      uint64 // of the values
}

// choose returns the records with the columns that a reader wants of rows of about some bytes, and
// the keys of those that it leaves out. Columns that are equal in all records stay, if they are
// short: a table says them once. Empty columns, and those that are equal to another, go.
func (r *Rows) choose(width int) (*Rows, []string) {
	same := r.Same()
	var list []measured
	sums := map[uint64]bool{}
	left := make([]bool, len(r.Keys)) // empty and equal ones are not even named
	for k := range r.Keys {
		m := r.measure(k)
		if m.constant = same[k]; m.filled > 0 {
			list = append(list, m)
		}
	}
	lessBeside(list, r.Keys)
	r.raiseTelling(list)
	byScore := func(a, b measured) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(list, byScore)
	list = slices.DeleteFunc(list, func(m measured) bool { // it is equal to a better one
		equal := sums[m.sum] && !m.constant
		sums[m.sum], left[m.at] = true, left[m.at] || !equal
		return equal
	})
	r.promote(list)
	slices.SortStableFunc(list, byScore)
	if full := fullWidth(list); r.Written && 2*width < min(full, someWidth) { // otherwise each row would lose most of its text
		width = someWidth
	}
	var chosen []int
	spent, must, equal := 0, 0, 0
	for _, m := range list {
		switch {
		case m.constant:
			if m.score < columnWords || r.At(0, m.at).size() > CellBytes || equal == mostEqual {
				continue
			}
			equal++
		case m.score >= columnMust && must < leastShown:
			must++
			spent += m.width + 1
		case m.score <= columnLink && must > 0 || spent+m.width+1 > width || len(chosen)-equal == mostShown:
			continue
		default:
			spent += m.width + 1
		}
		chosen = append(chosen, m.at)
	}
	if !slices.ContainsFunc(chosen, func(k int) bool { return !same[k] }) && len(list) > 0 {
		chosen = append(chosen, list[0].at) // nothing tells the records apart
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	for _, k := range chosen {
		left[k] = false
	}
	var hidden []string
	for k := range r.Keys {
		if left[k] {
			hidden = append(hidden, r.Keys[k])
		}
	}
	return r.only(chosen), hidden
}

// fullWidth returns the bytes of a row of all columns that say something.
func fullWidth(list []measured) (width int) {
	for _, m := range list {
		if !m.constant && m.score > columnMinor {
			width += m.width + 1
		}
	}
	return width
}

// raiseTelling raises the columns that tell a record from all others: without them nobody sees why it is
// shown.
func (r *Rows) raiseTelling(list []measured) {
	telling := make([]bool, len(r.Keys))
	for _, rank := range r.Ranks() {
		if rank.Column >= 0 && rank.Score >= scoreLargest {
			telling[rank.Column] = true
		}
	}
	for i := range list {
		if m := &list[i]; telling[m.at] && m.score > columnMinor && m.score < columnMust {
			m.score = min(columnMust-1, m.score+wrongColumn)
		}
	}
}

// promote raises a column of hashes or numbers that names records, if no other column does. Beside
// one that tells the records apart in words it is shown if there is space.
func (r *Rows) promote(list []measured) {
	id, score := -1, columnName
	for i, m := range list {
		switch meaning := keyMeaning(r.Keys[m.at]); {
		case m.constant:
		case m.score > columnID && meaning == columnName:
			return
		case m.score > columnID && meaning == columnTitle && r.isDistinct(m.at):
			score = columnMust - 1
		case id < 0 && m.score == columnID && m.filled == r.Len():
			id = i
		}
	}
	if id < 0 {
		return
	}
	m := &list[id]
	m.score = score
	if m.code {
		m.width = min(m.width, hashBytes+1)
		r.shorten(m.at)
	}
}

// isDistinct reports whether no two records have the same value in a column.
func (r *Rows) isDistinct(column int) bool {
	seen := make(map[string]bool, r.Len())
	for i := range r.Len() {
		text := string(r.Text(r.At(i, column)))
		if seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

// hashBytes is how much of a hash names a record, as Git has it: enough for any repository so far.
const hashBytes = 10

// shorten cuts the hashes of a column, and says so in its key.
func (r *Rows) shorten(column int) {
	for i := range r.Len() {
		c := r.At(i, column)
		c.End = min(c.End, c.Start+hashBytes)
	}
	r.Keys[column] += cellSign
}

// lessBeside lowers the columns of an object beside better ones of it.
func lessBeside(list []measured, keys []string) {
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b measured) int { return cmp.Compare(b.score, a.score) })
	better, less := map[string]int{}, map[int]int{}
	for _, m := range order {
		dot := strings.LastIndexByte(keys[m.at], '.')
		if dot < 0 {
			continue
		}
		in := keys[m.at][:dot]
		less[m.at] = besideColumn * better[in]
		better[in]++
	}
	for i := range list {
		list[i].score -= less[list[i].at]
	}
}

// measure measures a column.
func (r *Rows) measure(k int) measured {
	m := measured{at: k}
	var links, lists, remarks, codes, numbers, flags, dates, wrong, bytesOf int
	means := meaningOf(r.Keys[k])
	for i := range r.Len() {
		c := r.At(i, k)
		text := r.Text(c)
		for _, b := range text {
			m.sum = (m.sum ^ uint64(b)) * 1099511628211
		}
		m.sum = (m.sum ^ 0x1ff) * 1099511628211
		if c.Kind <= Null || len(text) == 0 || string(text) == `""` || string(text) == "[]" || string(text) == "{}" {
			continue
		}
		m.filled++
		if bytes.Count(text, []byte(" ")) > 1 && !isDate(text) {
			remarks++ // somebody wrote it
		}
		bytesOf += len(text)
		m.width += min(len(text), CellBytes)
		switch {
		case c.Kind == Bool:
			flags++
		case c.Kind == Number || isAmount(text):
			numbers++
		case isDate(text):
			dates++
		case isLink(text) || c.Kind == Nested || bytes.HasPrefix(text, []byte(`{"`)) || bytes.HasPrefix(text, []byte(`["`)) || bytes.HasPrefix(text, []byte(`[{`)):
			links++
		case bytes.Count(text, []byte(", ")) > 1 && isAmount(text[:bytes.IndexByte(text, ',')]):
			lists++
		case isCodeWord(text):
			codes++
		}
		if verdictOfCell(means, c.Kind, text).score > 0 {
			wrong++
		}
	}
	if m.filled == 0 {
		return m
	}
	most := func(n int) bool { return 4*n >= 3*m.filled }
	meaning := keyMeaning(r.Keys[k])
	if strings.Contains(r.Keys[k], "error.") || strings.Contains(r.Keys[k], "exception.") {
		meaning, wrong = columnError, wrong+1
	}
	switch {
	case r.Keys[k] == keyOfNames || r.Keys[k] == keyOfRows:
		m.score = columnTitle
	case most(links):
		m.score = columnLink
	case most(lists): // the numbers of several
		m.score = columnMinor
	case most(codes) && meaning < columnName:
		m.score, m.code = columnID, true
	case meaning > 0 && bytesOf/m.filled <= 4*CellBytes:
		m.score = meaning
	case most(flags):
		m.score = columnFlag
	case most(dates):
		m.score = columnDate - 2
	case most(numbers):
		m.score = columnAmount - 4
	case bytesOf/m.filled > 2*CellBytes:
		m.score = columnLong
	default:
		m.score = columnWords
	}
	m.score -= deeperColumn * max(0, strings.Count(r.Keys[k], ".")-1)
	if 10*m.filled < r.Len() && wrong == 0 && 2*remarks < m.filled {
		m.score -= sparseColumn
	}
	if wrong > 0 && 2*wrong <= r.Len() && means != meansOther {
		m.score += wrongColumn
	}
	m.width = m.width/r.Len() + 1
	return m
}

// isLink reports whether a text is an address.
func isLink(text []byte) bool {
	return bytes.HasPrefix(text, []byte("http://")) || bytes.HasPrefix(text, []byte("https://")) || bytes.HasPrefix(text, []byte("git://")) ||
		bytes.HasPrefix(text, []byte("git@")) || bytes.HasPrefix(text, []byte("data:")) || len(text) > 8 && text[0] == '/' && bytes.Count(text, []byte("/")) > 3 && bytes.IndexByte(text, '.') < 0
}

// leastCode is how long a word is, at least, that may be a hash.
const leastCode = 16

// isCodeWord reports whether a text is a word that no person gave: a hash, a UUID, base64.
func isCodeWord(text []byte) bool {
	if len(text) < leastCode {
		return false
	}
	digits, letters := 0, 0
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		case c == '-' || c == '_' || c == '=' || c == '+' || c == '/' || c == ':':
		default:
			return false
		}
	}
	return digits >= 3 && digits*8 >= len(text) && letters > 0 && !isDate(text)
}

// isDate reports whether a text begins like a date of ISO 8601.
func isDate(text []byte) bool {
	if len(text) < len("2006-01-02") || text[4] != '-' || text[7] != '-' {
		return false
	}
	for _, at := range [...]int{0, 1, 2, 3, 5, 6, 8, 9} {
		if text[at] < '0' || text[at] > '9' {
			return false
		}
	}
	return true
}

// only returns the records with some of their columns, in the order of these.
func (r *Rows) only(columns []int) *Rows {
	some := &Rows{Source: r.Source, Log: r.Log, Written: r.Written, Numbers: r.Numbers, All: r.All, ranks: r.ranks, Keys: make([]string, len(columns)), Cells: make([]Cell, 0, r.Len()*len(columns))}
	for i, k := range columns {
		some.Keys[i] = r.Keys[k]
	}
	for i := range r.Len() {
		for _, k := range columns {
			some.Cells = append(some.Cells, *r.At(i, k))
		}
	}
	return some
}

// rowWidth returns how many bytes a row may have for all rows to fit into a budget of tokens, if they
// can.
func rowWidth(rows, tokens int) int {
	width := tokens * rowTokens * 4 / 5 / max(rows, 1)
	if width < leastWidth { // some rows are shown: they are to say more
		return someWidth
	}
	return min(width, mostWidth)
}
