package streams

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// noticeOf tells a model of its calls that were not made, and that it was cut off.
func incompleteNotice(calls []*pb.IncompleteToolCall, end pb.StreamEnd) string {
	var said []string
	switch len(calls) {
	case 0:
	case 1:
		said = append(said, "Not made, because it is not complete: "+listCalls(calls)+". Nothing of this was done.")
	default:
		said = append(said, fmt.Sprintf("%d calls were not made, because they are not complete: %s. Nothing of this was done.", len(calls), listCalls(calls)))
	}
	if end == pb.StreamEnd_STREAM_END_LENGTH {
		said = append(said, "Your answer reached its limit of tokens and was cut off; go on in smaller steps.")
	}
	return strings.Join(said, " ")
}

// listOf names calls and says why they were not made, as far as a notice has room.
func listCalls(calls []*pb.IncompleteToolCall) string {
	const room = dialect.MaxNoticeBytes - 512 // for what stands around it
	var list []string
	for i, c := range calls {
		one := shortName(c.GetName()) + " (" + c.GetReason() + ")"
		if room < len(strings.Join(list, "; "))+len(one) {
			list = append(list, fmt.Sprintf("and %d more", len(calls)-i))
			break
		}
		list = append(list, one)
	}
	return strings.Join(list, "; ")
}

// shortName is the name of a call, as far as it came.
func shortName(name string) string {
	switch {
	case name == "":
		return "a call without a name"
	case !dialect.OpenAINames.Accepts(name):
		return fmt.Sprintf("%+.60q", name)
	}
	return name
}
