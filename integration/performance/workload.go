package main

import (
	"crypto/rand"
	"fmt"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// payload is a size of output.
type payload struct {
	name  string
	bytes int
	cut   bool // more than the default budget shows, so that the rest is an artifact
}

// payloads are those of the tables.
var payloads = []payload{{"4 KB whole", 4 << 10, false}, {"64 KB cut", 64 << 10, true}, {"1 MB cut", 1 << 20, true}}

// callers are the numbers of callers of the tables.
var callers = []int{1, 8, 64}

// config is a configuration of the sidecar.
type config struct {
	name   string
	flags  []string
	memory bool // the store is in memory
	noIDs  bool // requests have no id: there is no log that could know it
}

// configs are those of the tables. The first one is what users get.
var configs = []config{
	{name: defaults},
	{name: "`--volatile`", flags: []string{"--volatile"}},
	{name: "`--audit off`", flags: []string{"--audit=off"}, noIDs: true},
	{name: "`--redaction values`", flags: []string{"--redaction=values"}},
	{name: allOff, flags: []string{"--volatile", "--audit=off", "--redaction=values"}, memory: true, noIDs: true},
}

// Names of configurations that a bar is about.
const (
	defaults = "defaults"
	allOff   = "all off, in memory"
)

// commandLine is a command without a profile, whose output is shown as it is.
const commandLine = "./ci.sh"

// request returns the output of a command, as a client makes it for a call of an agent.
func request(stdout []byte, session int, noID bool) *pb.ProjectRequest {
	r := &pb.ProjectRequest{
		Output: command(&pb.Payload{Source: &pb.Payload_Inline{Inline: stdout}}),
		Call:   &pb.CallReference{SessionId: fmt.Sprintf("session-%d", session), CallId: "call_" + rand.Text()},
	}
	if !noID {
		r.RequestId = rand.Text() // as clients/go
	}
	return r
}

// command returns the output of a command that printed a payload.
func command(stdout *pb.Payload) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)), CommandLine: commandLine, Stdout: stdout,
		}},
	}
}
