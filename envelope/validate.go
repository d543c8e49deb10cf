package envelope

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Bounds of the envelope's own fields, in bytes.
const (
	MaxSummary = 1024
	MaxKind    = 64
	MaxMessage = 2048
	MaxHint    = 1024
	MaxDetails = 2048 // of details in a canonical result
	// MaxGivenKind bounds the kind of an error as it was given.
	MaxGivenKind = 256
	maxPath      = 4096
	digestBytes  = len("blake3:") + 64
)

// ValidateComplete checks the envelope of a complete output and returns an
// *InvalidError, or nil. The family's projector checks the result inside.
func ValidateComplete(out *pb.CompleteToolOutput) error {
	c := NewChecker("output")
	if out == nil {
		c.Fail("", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
		return c.Err()
	}
	c.Name("tool_name", out.GetToolName(), true)
	c.checkExclusivity(EffectiveStatus(out), out.Result != nil, out.Error != nil)
	return c.Err()
}

// EffectiveStatus returns the status of a complete output: the stated one or, if there
// is none, the one that follows from the fields that are set.
func EffectiveStatus(out *pb.CompleteToolOutput) pb.ToolStatus {
	switch {
	case out.GetStatus() != pb.ToolStatus_TOOL_STATUS_UNSPECIFIED:
		return out.GetStatus()
	case out.GetError() != nil:
		return pb.ToolStatus_TOOL_STATUS_ERROR
	}
	return pb.ToolStatus_TOOL_STATUS_SUCCESS
}

// checkExclusivity checks that status, result and error agree. RFC "Projection
// Algorithm", step 2.
func (c Checker) checkExclusivity(status pb.ToolStatus, hasResult, hasError bool) {
	const reason = pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY
	switch status {
	case pb.ToolStatus_TOOL_STATUS_UNSPECIFIED:
		c.Fail("status", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	case pb.ToolStatus_TOOL_STATUS_SUCCESS:
		if !hasResult {
			c.Fail("result", reason, "a success needs a result of a family that this server knows")
		}
		if hasError {
			c.Fail("error", reason, "a success has no error")
		}
	case pb.ToolStatus_TOOL_STATUS_ERROR:
		if hasResult {
			c.Fail("result", reason, "an error has no result")
		}
		if !hasError {
			c.Fail("error", reason, "an error needs an error")
		}
	default:
		c.Fail("status", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no status that this server knows")
	}
}

// checkKind checks the form of an error kind.
func (c Checker) checkKind(kind string) {
	c.Required("kind", kind, MaxKind)
	wrong := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_') }
	if kind != "" && (strings.IndexFunc(kind, wrong) >= 0 || kind[0] < 'a') {
		c.Fail("kind", pb.ErrorReason_ERROR_REASON_NAME_INVALID, `may have lower-case letters, digits and "_", and begins with a letter`)
	}
}

// ValidateCanonical checks a canonical result from outside: its envelope and, by the
// conventions of the contract, every artifact index and every ledger, those of custom
// families included. It returns an *InvalidError, or nil.
func ValidateCanonical(path string, r *pb.CanonicalToolResult, types Types) error {
	c := NewChecker(path)
	if r == nil {
		c.Fail("", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
		return c.Err()
	}
	c.Name("tool_name", r.GetToolName(), true)
	c.Required("summary_text", r.GetSummaryText(), MaxSummary)
	c.checkExclusivity(r.GetStatus(), r.Result != nil, r.Error != nil)
	if r.Error != nil {
		checkError(c.At("error"), r.GetError())
	}
	name, payload := Payload(r)
	at := c.At(name)
	if custom := r.GetCustom(); custom != nil {
		payload = types.unwrap(at, custom)
		at = at.At("payload_json")
	}
	if payload != nil {
		checkPayload(at, payload)
	}
	return c.Err()
}

// checkError checks a tool error.
func checkError(c Checker, e *pb.ToolError) {
	c.checkKind(e.GetKind())
	c.Length("message", e.GetMessage(), MaxMessage)
	c.Length("recovery_hint", e.GetRecoveryHint(), MaxHint)
	if e.DetailsJson != nil {
		c.Length("details_json", e.GetDetailsJson(), MaxDetails)
		c.JSON("details_json", []byte(e.GetDetailsJson()))
	}
	c.Length("given_kind", e.GetGivenKind(), MaxGivenKind)
	checkLarge(c, e.ProtoReflect())
	if o := e.GetDetailsOmitted(); o != nil {
		c.Length("details_omitted.digest", o.GetDigest(), digestBytes)
		c.Length("details_omitted.artifact.path", o.GetArtifact().GetPath(), maxPath)
	}
}
