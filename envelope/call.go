package envelope

import pb "github.com/toolresult/toolresult/gen/toolresult/v1"

// CheckCall checks the reference to the call of a tool. A call may be missing; its session may not.
func CheckCall(check Checker, call *pb.CallReference) {
	if call != nil {
		check.Name("call.session_id", call.GetSessionId(), true)
		check.CallID("call.call_id", call.GetCallId(), false)
		check.Name("call.agent_id", call.GetAgentId(), false)
	}
}
