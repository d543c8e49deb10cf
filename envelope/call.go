package envelope

import pb "github.com/toolresult/toolresult/gen/toolresult/v1"

// CheckCall checks the reference to the call of a tool; nil is valid. Within a reference
// the session is required, because artifacts and repeats are found by it, and the ids of
// the call and of the agent are optional.
func CheckCall(check Checker, call *pb.CallReference) {
	if call != nil {
		check.Name("call.session_id", call.GetSessionId(), true)
		check.CallID("call.call_id", call.GetCallId(), false)
		check.Name("call.agent_id", call.GetAgentId(), false)
	}
}

// Bounded returns a number of a request, or what stands for a missing one when it is 0, and fails outside of the bounds.
func (c Checker) Bounded(field string, value uint32, missing, lowest, highest int) int {
	n := int(value)
	if n == 0 {
		return missing
	}
	if n < lowest || n > highest {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is %d, and %d to %d are allowed", n, lowest, highest)
	}
	return n
}

// AtMost returns a number of a request that may be 0, and fails above the highest.
func (c Checker) AtMost(field string, value uint32, highest int) int {
	if int64(value) > int64(highest) {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is %d, and at most %d is allowed", value, highest)
		return 0
	}
	return int(value)
}
