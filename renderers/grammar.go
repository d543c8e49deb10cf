package renderers

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Version is the version of the receipt grammar. The same canonical result and policy
// give the same receipt for the same version.
const Version = 12

// The outcome forms. The first line of every receipt begins with one of them.
const (
	outcomeExited    = "Process exited"
	outcomeKilled    = "Process killed by signal"
	outcomeTimedOut  = "Process timed out"
	outcomeCancelled = "Process cancelled"
	outcomeEnded     = "Process ended"
	outcomePromoted  = "Command promoted to background task"
	outcomeRunning   = "Command is already running"
	outcomeBatch     = "Batch of"
	outcomeError     = "Tool error"
	outcomeFileRead  = "File read:"
	outcomeOverview  = "Earlier tool results:"
	outcomeText      = "Tool answered"
	outcomeNoChange  = "No file was changed"
)

// The labels of facts and sections.
const (
	labelMeaning       = "Exit meaning"
	labelCode          = "Exit code"
	labelOutput        = "Output"
	labelTask          = "Task"
	labelTaskStatus    = "Task status"
	labelCommand       = "Command"
	labelContinue      = "To continue"
	labelInOrder       = "In order of arrival"
	labelUnchanged     = "Output unchanged"
	labelSuperseded    = "Superseded"
	labelNames         = "Names left out"
	labelRecover       = "To recover"
	labelRetryable     = "Retryable"
	labelDetails       = "Error details"
	labelDetailsInFull = "Error details in full"
	labelShownAsText   = "Shown as text" // of external answers, texts and error details
	labelMessage       = "Error message"
	labelErrorText     = "Error text"
	labelItemsOmitted  = "Items left out"
	labelText          = "Tool output"

	labelStdout   = "stdout"
	labelStderr   = "stderr"
	labelCombined = "output" // the output itself: it needs no title if it is the only text
	labelInitial  = "Initial output"

	labelFileText = "File text" // its lines are numbered
	labelLineEnds = "Line ends"

	labelFileVersion = "File version"
	labelWholeAnswer = "Whole answer"

	labelSeen = "Already read and run" // of an overview

	labelItem = "Item" // "Item 3", alone or before another label
)

// stuffing precedes a line of tool text that begins like a reserved form, or with the
// stuffing itself.
const stuffing = `\`

// Form is a reserved beginning of a line in a receipt.
type Form struct {
	Begin string // the beginning of the line
	Use   string // its meaning, for the documentation
}

// Forms returns the closed table of reserved forms, as docs/reference/receipts.md shows it. All
// other lines of a receipt are tool text; a line of tool text that begins like one of
// these is stuffed.
func Forms() []Form { return append(contractGrammar().forms(), structuralForms...) }

// forms returns the forms of the grammar as lines have them: labels with their colon.
func (g *grammar) forms() []Form {
	forms := slices.Clone(g.outcomes)
	for _, f := range slices.Concat(g.facts, g.sections) {
		forms = append(forms, Form{f.Begin + ":", f.Use})
	}
	return forms
}

// grammar holds the forms that differ between families: beginnings of first lines, and
// labels without their colon.
type grammar struct {
	outcomes, facts, sections []Form
	brief                     map[string]bool // labels of the facts that a receipt of one line keeps
}

// contractGrammar is the grammar of the contract: the forms written here by hand, and
// those that the options of the families declare. Clients need none, and it takes time to make.
var contractGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{
		outcomes: []Form{
			{outcomeExited, "outcome of a command: its exit code"},
			{outcomeKilled, "outcome of a command: the signal that ended it"},
			{outcomeTimedOut, "outcome of a command: its time was over"},
			{outcomeCancelled, "outcome of a command: the call was cancelled"},
			{outcomeEnded, "outcome of a command: in a way that this version does not know"},
			{outcomePromoted, "outcome of a command: it goes on as a task"},
			{outcomeRunning, "outcome of a command: it was running before"},
			{outcomeBatch, "outcome of several commands: how many ran"},
			{outcomeNoChange, "outcome of file_mutation: the edit did nothing"},
			{outcomeError, "outcome of any tool: the kind of error and its message"},
			{outcomeOverview, "an overview of earlier results, and of how many"},
		},
		facts: []Form{
			{labelMeaning, "what the exit code means for this program"},
			{labelCode, "the exit code, where the outcome does not have it"},
			{labelOutput, "that there is no output, or that none was captured"},
			{labelUnchanged, "the earlier call of the session whose output was the same, byte for byte"},
			{labelSuperseded, "the later result that answers the same question, or changed what was read"},
			{labelNames, "names that a text introduced before it was compacted, and does not show any more"},
			{labelTaskStatus, "the status of the task"},
			{labelTask, "the id to ask for the task with"},
			{labelCommand, "the command line"},
			{labelContinue, "what can be done next"},
			{labelInOrder, "place of both streams in one, in the order of their chunks"},
			{labelRecover, "what can be done about an error"},
			{labelRetryable, "whether the same call may succeed when made again"},
			{labelDetails, "details of an error, as JSON"},
			{labelDetailsInFull, "size and place of details that are not all shown"},
			{labelShownAsText, "what is text although it is more than that, and why"},
			{labelMessage, "what went wrong, of one item of a batch"},
			{labelWholeAnswer, "place of an answer of which a part cannot be shown"},
			{labelItemsOmitted, "items of a batch that are not shown, and the place of all of them"},
		},
		sections: []Form{
			{labelStdout, "extent or title of standard output"},
			{labelStderr, "extent or title of standard error"},
			{labelCombined, "extent of both streams in one, or their title in a batch; without it their text follows the facts"},
			{labelInitial, "extent or title of a promoted command's output so far"},
			{labelErrorText, "extent or title of an error's message of several lines"},
			{labelSeen, "title of an overview: a line for each result, the oldest first"},
		},
		brief: map[string]bool{
			labelMeaning: true, labelTask: true, labelInOrder: true, labelUnchanged: true, labelSuperseded: true, labelNames: true, labelWholeAnswer: true, labelDetailsInFull: true, labelItemsOmitted: true,
		},
	}
	_, families := envelope.OneofFields()
	for _, f := range families {
		g.declare(string(f.Name()), f.Message())
	}
	return g
})

// declare adds the forms of a family that is declared by its options; others are
// written by hand.
func (g *grammar) declare(family string, d protoreflect.MessageDescriptor) {
	outcome, err := envelope.OutcomeTemplate(d)
	if err != nil {
		return // it is written by hand
	}
	addForm(&g.outcomes, strings.TrimRight(outcome.Fixed(), " "), "outcome", family)
	g.labels(family, d, map[protoreflect.FullName]bool{})
}

// labels adds the labels of a message and the messages inside it.
func (g *grammar) labels(family string, d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) {
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		switch role, label := envelope.FieldRole(f); role {
		case pb.Role_ROLE_FACT, pb.Role_ROLE_HANDLE:
			addForm(&g.facts, label, "fact", family)
			if role == pb.Role_ROLE_HANDLE {
				g.brief[label] = true
			}
		case pb.Role_ROLE_LARGE_TEXT:
			addForm(&g.sections, label, "text", family)
		case pb.Role_ROLE_LIST:
			addForm(&g.sections, label, "list", family)
		default:
			if f.Message() != nil && !f.IsList() && !seen[f.Message().FullName()] {
				g.labels(family, f.Message(), seen)
			}
		}
	}
}

// addForm adds a form, or another family that uses it.
func addForm(forms *[]Form, begin, use, family string) {
	for i := range *forms {
		if f := &(*forms)[i]; f.Begin == begin {
			if strings.HasPrefix(f.Use, use+" of ") && !strings.HasSuffix(f.Use, " "+family) {
				f.Use += ", " + family
			}
			return
		}
	}
	*forms = append(*forms, Form{begin, use + " of " + family})
}

// numberedLabels are the labels of sections with numbered lines. A line that begins
// with a number cannot pass for a form, so none of them is stuffed.
var numberedLabels = []string{labelFileText}

// isNumbered reports whether the lines of a section are numbered.
func isNumbered(label string) bool { return slices.Contains(numberedLabels, label) }

// numbered returns a line with its number:
//
//	12	func main() {
func numbered(number int64, line string) string {
	return strconv.FormatInt(number, 10) + numberEnd + line
}

// numberEnd separates the number of a line from its text.
const numberEnd = "\t"

// cutNumber reads a line, as numbered writes it.
func cutNumber(line string) (number int64, rest string, ok bool) {
	digits, rest, ok := strings.Cut(line, numberEnd)
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, rest, ok && err == nil && number > 0
}

// structuralForms are the forms that every family has.
var structuralForms = []Form{
	{labelItem + " ", "the same of one item of a batch, by its number"},
	{markBegin, "cut marker: lines or a part of a line left out"},
	{endingBegin, "last line of 8,000 bytes and more that leave something out: the outcome again, and the places of all of it"},
	{stuffing, "tool text that begins like one of these forms, or with this character; remove it to have the line as it was"},
}
