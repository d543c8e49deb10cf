package main

import pb "github.com/toolresult/toolresult/gen/toolresult/v1"

// sessionSide is the name of the side that calls by ProjectSession, with everything off and the store in memory.
const sessionSide = "`ProjectSession`, all off, in memory"

// sessionPayloads is the number of the first payload of a session: others than those of the unary calls to the same store.
const sessionPayloads = 1 << 18

// session returns how a burst opens a ProjectSession, which all its callers share. It reports false while the contract has no
// such stream. The tables then say that it was not measured, and TestSessionIsMeasured fails as soon as there is one.
func session() (opener, bool) { return nil, false }

// hasSession reports whether the contract has the stream.
func hasSession() bool {
	for _, s := range pb.ToolResultService_ServiceDesc.Streams {
		if s.StreamName == "ProjectSession" {
			return true
		}
	}
	return false
}
