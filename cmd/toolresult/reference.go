package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// reference says which call of a tool an output is of.
type reference struct{ session, call string }

func (r *reference) flags(fs *pflag.FlagSet) {
	fs.StringVar(&r.session, "session", "", "session of the agent, to which the artifacts belong (default: none)")
	fs.StringVar(&r.call, "call", "", "call of the tool, such as the provider's tool_call_id; needs --session")
}

// message is the reference as the contract has it; nil when there is none.
func (r *reference) message() (*pb.CallReference, error) {
	if r.session == "" && r.call == "" {
		return nil, nil //nolint:nilnil // a reference is optional
	}
	if r.session == "" {
		return nil, errors.New("--call: needs --session")
	}
	check := envelope.NewChecker("")
	check.Name("--session", r.session, true)
	check.CallID("--call", r.call, false)
	return &pb.CallReference{SessionId: r.session, CallId: r.call}, check.Err()
}
