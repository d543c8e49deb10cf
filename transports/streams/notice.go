package streams

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// A call that is incomplete must not be made with what is there of its arguments: half a path is another path. It does
// not appear in the transcript either, because no result could answer it. So that the model does not take it for done,
// the next turn carries a notice.

// incompleteNotice returns a text for the model: which of its calls were not made, and that its answer was cut off.
// "" if there is nothing to report.
func incompleteNotice(calls []*pb.IncompleteToolCall, end pb.StreamEnd) string {
	var parts []string
	switch len(calls) {
	case 0:
	case 1:
		parts = append(parts, "Not made, because it is not complete: "+listCalls(calls)+". Nothing of this was done.")
	default:
		parts = append(parts, fmt.Sprintf("%d calls were not made, because they are not complete: %s. Nothing of this was done.", len(calls), listCalls(calls)))
	}
	if end == pb.StreamEnd_STREAM_END_LENGTH {
		parts = append(parts, "Your answer reached its limit of tokens and was cut off; go on in smaller steps.")
	}
	return strings.Join(parts, " ")
}

// listCalls names calls and the reasons why they were not made. It omits the last ones if a notice has no space for
// them.
func listCalls(calls []*pb.IncompleteToolCall) string {
	const space = dialect.MaxNoticeBytes - 512 // for the words around the list
	var list []string
	for i, c := range calls {
		one := shortName(c.GetName()) + " (" + c.GetReason() + ")"
		if space < len(strings.Join(list, "; "))+len(one) {
			list = append(list, fmt.Sprintf("and %d more", len(calls)-i))
			break
		}
		list = append(list, one)
	}
	return strings.Join(list, "; ")
}

// shortName returns the name of a call, quoted and cut if it is not a name. A name from a broken stream may be
// anything.
func shortName(name string) string {
	switch {
	case name == "":
		return "a call without a name"
	case !dialect.OpenAINames.Accepts(name):
		return fmt.Sprintf("%+.60q", name)
	}
	return name
}
