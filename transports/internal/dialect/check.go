package dialect

import (
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// checkProvider returns the dialect of a provider.
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

func CheckFormat(c envelope.Checker, f pb.ToolCallFormat) {
	if _, known := pb.ToolCallFormat_name[int32(f)]; !known {
		c.Fail("format", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "has the value %d, which this version does not know", f)
	}
}

func CheckCount(c envelope.Checker, field string, n, limit int) {
	if n > limit {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d elements, at most %d are allowed", n, limit)
	}
}

// objectProblem says why a text is no JSON object that every provider takes, or nil.
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

// argumentsProblem says in a sentence why a text cannot be arguments, or "".
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
