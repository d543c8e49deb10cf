package dialect

import (
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// CheckProvider returns the dialect of a provider, and reports a provider that this version does not know.
func CheckProvider(c envelope.Checker, p pb.Provider) Dialect {
	d, ok := Lookup(p)
	switch {
	case p == pb.Provider_PROVIDER_UNSPECIFIED:
		c.Fail("provider", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	case !ok:
		c.Fail("provider", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "has the value %d, which this version does not know", p)
	}
	return d
}

// CheckFormat reports a format of calls that this version does not know.
func CheckFormat(c envelope.Checker, f pb.ToolCallFormat) {
	if _, known := pb.ToolCallFormat_name[int32(f)]; !known {
		c.Fail("format", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "has the value %d, which this version does not know", f)
	}
}

// CheckCount reports a list with more than limit elements.
func CheckCount(c envelope.Checker, field string, n, limit int) {
	if n > limit {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d elements, at most %d are allowed", n, limit)
	}
}

// ObjectProblem returns the violation of a text that is no JSON object, or not one that every provider accepts (see
// envelope.Checker.JSON), and nil otherwise.
func ObjectProblem(text string) *envelope.Violation {
	c := envelope.NewChecker("")
	c.JSON("", []byte(text))
	if invalid, bad := c.Err().(*envelope.InvalidError); bad {
		return &invalid.Violations[0]
	}
	if !rawjson.IsObject(text) {
		return &envelope.Violation{Reason: pb.ErrorReason_ERROR_REASON_JSON_INVALID, Message: rawjson.ErrNotObject.Error()}
	}
	return nil
}

// ArgumentsProblem returns a phrase that says why a text cannot be the arguments of a call, or "".
func ArgumentsProblem(text string) string {
	problem := ObjectProblem(text)
	switch {
	case problem == nil:
		return ""
	case strings.HasPrefix(problem.Message, "is "):
		return "the text of the arguments " + problem.Message
	}
	return "the arguments: " + problem.Message
}
