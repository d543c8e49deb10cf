package envelope

import (
	"fmt"
	"slices"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Violation states what is wrong with one field.
type Violation struct {
	Field   string         // path as in the contract, such as "output.error.kind"
	Reason  pb.ErrorReason // one of the INVALID_ARGUMENT reasons
	Message string         // one sentence without tool bytes
}

// InvalidError is returned for a message that breaks the contract. It has at least one
// Violation.
type InvalidError struct{ Violations []Violation }

// Error states the first violation, and the number of others.
func (e *InvalidError) Error() string {
	v := e.Violations[0]
	text := v.Message
	if v.Field != "" {
		text = v.Field + ": " + text
	}
	if more := len(e.Violations) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// maxViolations bounds the violations of one error. More of them help nobody, and
// would make the answer as large as a hostile request.
const maxViolations = 16

// WithPrefix returns a copy of the error whose fields are below path.
func (e *InvalidError) WithPrefix(path string) *InvalidError {
	moved := &InvalidError{Violations: slices.Clone(e.Violations)}
	for i := range moved.Violations {
		moved.Violations[i].Field = join(path, moved.Violations[i].Field)
	}
	return moved
}

// Checker collects violations of a message. Copies made by At share the collection, so
// a function can check a part and its caller asks once for the error.
type Checker struct {
	path       string
	violations *[]Violation
}

// NewChecker returns a Checker for the message at path.
func NewChecker(path string) Checker { return Checker{path: path, violations: new([]Violation)} }

// At returns a Checker for a field of the message, such as "error" or "items[2]".
func (c Checker) At(field string) Checker {
	return Checker{path: join(c.path, field), violations: c.violations}
}

func join(path, field string) string {
	if path == "" || field == "" {
		return path + field
	}
	return path + "." + field
}

// Fail adds a violation of a field. The text must hold no bytes of a tool.
func (c Checker) Fail(field string, reason pb.ErrorReason, format string, args ...any) {
	if len(*c.violations) < maxViolations {
		*c.violations = append(*c.violations, Violation{join(c.path, field), reason, fmt.Sprintf(format, args...)})
	}
}

// Err returns an *InvalidError with all violations, or nil.
func (c Checker) Err() error {
	if len(*c.violations) == 0 {
		return nil
	}
	return &InvalidError{Violations: *c.violations}
}

// Length checks that a text has at most limit bytes.
func (c Checker) Length(field, text string, limit int) {
	if len(text) > limit {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "has %d bytes, at most %d are allowed", len(text), limit)
	}
}

// Required checks that a text is not empty and has at most limit bytes.
func (c Checker) Required(field, text string, limit int) {
	if text == "" {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	c.Length(field, text, limit)
}

// bounded checks the length of a text, and that it is there if it is required.
func (c Checker) bounded(field, text string, limit int, required bool) {
	if required {
		c.Required(field, text, limit)
	} else {
		c.Length(field, text, limit)
	}
}

// maxNameBytes bounds names and ids, in bytes.
const maxNameBytes = 128

// Name checks a name or id against the closed pattern of the contract. An empty name
// is valid unless it is required.
func (c Checker) Name(field, name string, required bool) {
	c.bounded(field, name, maxNameBytes, required)
	if len(name) <= maxNameBytes && strings.IndexFunc(name, notName) >= 0 || name != "" && strings.IndexByte("-.:/", name[0]) >= 0 {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_NAME_INVALID,
			`may have letters, digits and "_", "-", ".", ":", "/", and begins with one of the first three`)
	}
}

// maxCallIDBytes bounds the ids of calls, in bytes.
const maxCallIDBytes = 256

// CallID checks the id of a call, as providers make it: printable ASCII without
// spaces. An empty id is valid unless it is required.
func (c Checker) CallID(field, id string, required bool) {
	c.bounded(field, id, maxCallIDBytes, required)
	if len(id) <= maxCallIDBytes && strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_NAME_INVALID, "may have printable ASCII characters without spaces")
	}
}

func notName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/", r))
}
