package identity

import (
	"context"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// Confine returns the session that a request is about. A caller that is confined to a session may name no other,
// and where it names none its own is meant. Every service calls this with whatever a request says of a session,
// before it looks at anything else.
func Confine(ctx context.Context, session string) (string, error) {
	own := FromContext(ctx).Session
	switch {
	case own == "" || session == own:
		return session, nil
	case session == "":
		return own, nil
	}
	return "", apierror.SessionMismatch()
}

// MayNameFiles reports whether the payloads of a call may be files. The directories that an operator allowed are those
// of all sessions, so a caller that is confined to one sends what it has.
func MayNameFiles(ctx context.Context) bool { return FromContext(ctx).Session == "" }

// ConfineCall does the same to the reference of a call where it is in a request. That of a confined caller is there
// afterwards.
func ConfineCall(ctx context.Context, call **pb.CallReference) error {
	session, err := Confine(ctx, (*call).GetSessionId())
	if err == nil && session != (*call).GetSessionId() {
		confined := &pb.CallReference{}
		proto.Merge(confined, *call)
		confined.SessionId = session
		*call = confined
	}
	return err
}
