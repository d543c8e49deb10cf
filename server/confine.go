package server

import (
	"context"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// confine returns the session that a request is about. A caller that is confined to a session may name no other,
// and where it names none its own is meant. Every service calls this with whatever a request says of a session,
// before it looks at anything else.
func confine(ctx context.Context, session string) (string, error) {
	own := callerOf(ctx).session
	switch {
	case own == "" || session == own:
		return session, nil
	case session == "":
		return own, nil
	}
	return "", apierror.SessionMismatch()
}

// mayNameFiles reports whether the payloads of a call may be files. The directories that an operator allowed are those
// of all sessions, so a caller that is confined to one sends what it has.
func mayNameFiles(ctx context.Context) bool { return callerOf(ctx).session == "" }

// confineCall does the same to the reference of a call where it is in a request. That of a confined caller is there
// afterwards.
func confineCall(ctx context.Context, call **pb.CallReference) error {
	session, err := confine(ctx, (*call).GetSessionId())
	if err == nil && session != (*call).GetSessionId() {
		confined := &pb.CallReference{}
		proto.Merge(confined, *call)
		confined.SessionId = session
		*call = confined
	}
	return err
}
