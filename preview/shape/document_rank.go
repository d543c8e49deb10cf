package shape

import (
	"bytes"
	"slices"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Ranks of the lines of a JSON value: which member says what its object is
// about, which one identifies it, and which are more of the same. Keys
// decide, because their meaning is shared by most APIs.

// jsonRank is how much a line of JSON matters.
type jsonRank struct {
	parent   int32 // the line that opens the container of the value; of the outermost one 0
	identity int32 // of a line that opens an object, the member that identifies it among those beside it; otherwise 0
	turn     int32 // among lines of the same score
	score    uint8
}

// Scores of lines by their keys. What KeyScore returns of a key that is known is
// ScoreMore or more.
const (
	scoreSays   = 95 // what happened, or what an object is about, in words: one member of each object
	ScoreStates = 86 // which one it is, and its state
	ScoreMore   = 78 // more words about it
	scoreOther  = 60
	scoreItem   = 56 // a value in an array
	scoreEmpty  = 30 // the brackets of a container, with nothing of what is in it
)

// Adjustments of a score: what a line further in has less, for each object
// around, and what a member of the outermost object has more.
const (
	insideSays  = 3
	insideOther = 12
	outermost   = 15
	leastScore  = 5
	sameAgain   = 20 // less for a member that an object before in the list has with the same value
)

// keyScore is how much a member matters, by its key.
type keyScore struct {
	score    int
	says     int  // how well it says what its object is about: the lower the better, 0 not at all
	identity bool // it identifies its object among others
	same     bool // an object before in the list has the same
}

// keyTable has the keys that matter, in lower case without signs; see
// docs/reference/shapes.md.
var keyTable = [...]struct {
	keyScore
	keys string
}{
	{keyScore{score: ScoreStates, says: 1, identity: false}, "message msg error errors errormessage errormsg failure exception title"},
	{keyScore{score: ScoreStates, says: 2, identity: false}, "summary subject headline reason cause warning"},
	{keyScore{score: ScoreMore, says: 3, identity: false}, "description shortdescription details detail text note question"},
	{keyScore{score: ScoreStates, says: 9, identity: true}, "name displayname fullname login username label"},
	{keyScore{score: ScoreStates, says: 0, identity: true}, "number key id uuid sha ruleid rule checkid cve path file filename filepath"},
	{keyScore{score: ScoreStates, says: 0, identity: false}, "line startline status state severity level priority conclusion result outcome phase code exitcode type kind"},
	{keyScore{score: ScoreStates, says: 0, identity: false}, "version uri url htmlurl package module total count totalcount date success ok passed failed"},
	{keyScore{score: ScoreMore, says: 0, identity: false}, "notes hint help fix remediation recommendation body stderr output content log stack"},
}

// endings are words that a key may end with: "flight_number", "userId".
var endings = [...]struct {
	keyScore
	words [3]string
}{
	{keyScore{score: ScoreStates, says: 4, identity: false}, [3]string{"_message", "Message", "_title"}},
	{keyScore{score: ScoreStates, says: 4, identity: false}, [3]string{"_error", "Error", "Title"}},
	{keyScore{score: ScoreStates, says: 10, identity: true}, [3]string{"_name", "Name", "-name"}},
	{keyScore{score: ScoreStates, says: 0, identity: true}, [3]string{"_number", "Number", "-number"}},
	{keyScore{score: ScoreStates, says: 0, identity: true}, [3]string{"_id", "Id", "ID"}},
	{keyScore{score: ScoreStates, says: 0, identity: true}, [3]string{"_path", "Path", "-id"}},
	{keyScore{score: ScoreStates, says: 0, identity: false}, [3]string{"_status", "Status", "_type"}},
	{keyScore{score: ScoreStates, says: 0, identity: false}, [3]string{"_code", "Code", "_state"}},
}

// wordsOfNames is the least value of says for a key whose value is only a name,
// of which nested objects have many.
const wordsOfNames = 9

// KeyScore returns how much the value of a member with a key matters, from 1 to
// 100.
func KeyScore(key []byte) int { return lookUpKey(key).score }

// lookUpKey returns the score of a key.
func lookUpKey(key []byte) keyScore {
	var plain [24]byte
	word := textscan.PlainName(plain[:0], key)
	for i := range keyTable {
		k := &keyTable[i]
		if textscan.HasWord(k.keys, word) {
			return k.keyScore
		}
	}
	for i := range endings {
		e := &endings[i]
		for _, word := range e.words {
			if bytes.HasSuffix(key, []byte(word)) {
				return e.keyScore
			}
		}
	}
	return keyScore{score: scoreOther}
}

// Order returns the lines but for the outermost ones, those that matter most
// first. The caller must not change it.
func (d *Document) Order() []int32 {
	d.rank()
	return d.order
}

// Score returns how much line i matters, from 1 to 100.
func (d *Document) Score(i int) int {
	d.rank()
	return int(d.ranks[i].score)
}

// Says reports whether line i says what happened.
func (d *Document) Says(i int32) bool { return d.Score(int(i)) >= scoreSays }

// Minor reports whether line i matters less than a member of which nothing is
// known.
func (d *Document) Minor(i int) bool { return d.Score(i) < scoreOther }

// Parent returns the line that opens the container of the value at line i; 0 for
// the outermost.
func (d *Document) Parent(i int) int {
	d.rank()
	return int(d.ranks[i].parent)
}

// Identity returns the line of the member that identifies the object that line i
// opens among those beside it; 0 where none does.
func (d *Document) Identity(i int) int {
	d.rank()
	return int(d.ranks[i].identity)
}

// rank ranks every line, once.
func (d *Document) rank() {
	if d.ranks != nil {
		return
	}
	d.ranks, d.order = make([]jsonRank, len(d.lines)), make([]int32, 0, len(d.lines))
	r := jsonRanking{d, keyScores{}, map[uint64]struct{}{}}
	d.ranks[0] = jsonRank{score: scoreHeading}
	if last := d.Last(0); last > 0 {
		d.ranks[last] = d.ranks[0]
		r.container(0, 0, 0)
	}
	d.byRank()
}

// jsonRanking is the state of one ranking.
type jsonRanking struct {
	*Document
	keys keyScores
	seen map[uint64]struct{}
}

// Turns: an element of an array comes after those before it in arrays beside; a
// member of an object in the order of the object.
const mostTurn = 1 << 30

// container ranks the lines of a container. Inside is the number of objects
// around its values.
func (r *jsonRanking) container(i, inside int, turn int32) {
	array := r.IsArray(i)
	if !array {
		inside++
	}
	best, bestAt, n := keyScore{}, 0, int32(0)
	for at := i + 1; at < int(r.lines[i].closer); at = r.Last(at) + 1 {
		one := turn
		if array && turn < mostTurn-n-1 {
			one += n + 1
		}
		n++
		k := keyScore{score: scoreItem}
		if !array {
			k = r.keys.score(r.key(at))
		}
		rank := jsonRank{parent: int32(i), turn: one, score: k.within(inside, i == 0 && !array)}
		if last := r.Last(at); last > at { // what is in it says whether it matters
			rank.score = min(rank.score, scoreEmpty)
			r.ranks[at], r.ranks[last] = rank, rank
			r.container(at, inside, one)
		} else {
			list := int(r.ranks[i].parent)
			if isElement := i > 0 && !array && r.IsArray(list); isElement && k.says > 0 && k.says < wordsOfNames {
				list = 0 // a message is the same in whatever list
			} else if !isElement {
				list = -1
			}
			if list >= 0 && r.again(list, at) {
				rank.score = uint8(max(leastScore, int(rank.score)-sameAgain))
				k.same = true
			}
			r.ranks[at] = rank
			if k.says > 0 && (bestAt == 0 || k.says < best.says) && r.isText(at) {
				best, bestAt = k, at
			}
		}
		r.order = append(r.order, int32(at))
	}
	if bestAt > 0 {
		if best.score = scoreSays - best.says + 1; best.same {
			best.score -= sameAgain
		}
		r.ranks[bestAt].score = best.within(inside, i == 0)
	}
	if !array {
		r.identify(i, bestAt)
	}
}

// mostSeen bounds how many members are remembered.
const mostSeen = 1 << 16

// again reports whether an object before in the list that begins at a line has
// the same member as that at another line.
func (r *jsonRanking) again(list, at int) bool {
	const offset, prime = 14695981039346656037, 1099511628211
	h := (uint64(offset) ^ uint64(list)) * prime
	for _, c := range memberEnds.TrimRight(r.text[r.lines[at].start:r.end(at)]) {
		h = (h ^ uint64(c)) * prime
	}
	_, seen := r.seen[h]
	if !seen && len(r.seen) < mostSeen {
		r.seen[h] = struct{}{}
	}
	return seen
}

// within returns the score of a member with some objects around it.
func (k keyScore) within(inside int, root bool) uint8 {
	less := insideOther
	if k.score >= ScoreStates && k.says > 0 && k.says < wordsOfNames {
		less = insideSays
	}
	score := k.score - less*max(0, inside-1)
	if root {
		score += outermost
	}
	return uint8(min(max(score, leastScore), 98))
}

// identify finds the member that identifies an element of an array and
// costs no mark: it is beside the bracket, or beside the member that says what
// the object is about.
func (r *jsonRanking) identify(i, says int) {
	if i > 0 && !r.IsArray(int(r.ranks[i].parent)) {
		return // its key does
	}
	for _, at := range [...]int{says - 1, says + 1, i + 1} {
		if at > i && at < int(r.lines[i].closer) && r.ranks[at].parent == int32(i) && r.lines[at].closer == 0 && r.keys.score(r.key(at)).identity {
			r.ranks[i].identity = int32(at)
			return
		}
	}
}

// isText reports whether the value of a member is a text that says something: a
// string that is not empty.
func (d *Document) isText(i int) bool {
	text := memberEnds.TrimRight(d.text[d.lines[i].start:d.end(i)])
	return len(text) > 2 && text[len(text)-1] == '"' && text[len(text)-2] != ' ' && !bytes.HasSuffix(text, []byte(`: ""`))
}

// keyScores remembers the keys that were looked up: there are few, and many of
// each.
type keyScores map[string]keyScore

func (s keyScores) score(key []byte) keyScore {
	k, ok := s[string(key)]
	if !ok {
		k = lookUpKey(key)
		if len(s) < 4096 {
			s[string(key)] = k
		}
	}
	return k
}

// key returns the key that line i begins with, as it is written.
func (d *Document) key(i int) []byte {
	text := bytes.TrimLeft(d.text[d.lines[i].start:d.end(i)], " ")
	if len(text) == 0 || text[0] != '"' {
		return nil
	}
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return text[1:at]
		}
	}
	return nil
}

// byRank sorts lines by score and turn.
func (d *Document) byRank() {
	slices.SortStableFunc(d.order, func(a, b int32) int {
		x, y := &d.ranks[a], &d.ranks[b]
		if x.score != y.score {
			return int(y.score) - int(x.score)
		}
		return int(x.turn) - int(y.turn)
	})
}
