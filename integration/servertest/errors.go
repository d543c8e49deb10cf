package servertest

import (
	"context"

	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// Confined returns a context whose caller is confined to a session.
func Confined(ctx context.Context, session string) context.Context {
	return identity.NewContext(ctx, identity.Caller{Session: session})
}

// ToStatus returns the status that an error becomes.
func ToStatus(err error) error { return apierror.ToStatus(err).GRPCStatus().Err() }

// Reason returns the reason of the status that an error becomes, and the field that is to blame.
func Reason(err error) (reason, field string) {
	s := apierror.ToStatus(err)
	return apierror.ReasonName(s.Reason), s.Metadata["field"]
}
