package server_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
)

// The one mapping from the errors of the rooms to statuses.
func TestStatusOfErrors(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("results[3]: artifact 3fa9: %w", err) }
	for _, c := range []struct {
		err    error
		code   codes.Code
		reason string
	}{
		{&envelope.InvalidError{Violations: []envelope.Violation{{Field: "output", Reason: pb.ErrorReason_ERROR_REASON_FIELD_MISSING, Message: "x"}}}, codes.InvalidArgument, "FIELD_MISSING"},
		{wrap(&envelope.ShortfallError{Unit: "tokens", Needed: 40, Budget: 16}), codes.InvalidArgument, "BUDGET_TOO_SMALL"},
		{wrap(renderers.ErrNotSanitised), codes.InvalidArgument, "TEXT_NOT_SANITISED"},
		{wrap(artifactstore.ErrFull), codes.ResourceExhausted, "DISK_FULL"},
		{wrap(artifactstore.ErrTooManyFiles), codes.ResourceExhausted, "FD_LIMIT"},
		{wrap(artifactstore.ErrTooLarge), codes.ResourceExhausted, "ARTIFACT_TOO_LARGE"},
		{wrap(artifactstore.ErrReadOnly), codes.FailedPrecondition, "STORE_READ_ONLY"},
		{wrap(fmt.Errorf("%w: connection refused", artifactstore.ErrUnavailable)), codes.Unavailable, "OBJECT_STORE_UNAVAILABLE"},
		{wrap(artifactstore.ErrClosed), codes.Unavailable, "DRAINING"},
		{wrap(context.Canceled), codes.Canceled, "CLIENT_CANCELLED"},
		{wrap(context.DeadlineExceeded), codes.DeadlineExceeded, "DEADLINE"},
		{wrap(syscall.EIO), codes.Internal, "STORE_FAILED"},
		{wrap(&fs.PathError{Op: "write", Path: "x", Err: errors.New("odd")}), codes.Internal, "STORE_FAILED"},
		{wrap(artifactstore.ErrDamaged), codes.Internal, "STORE_FAILED"},
		{wrap(catalog.ErrCatalogUnreadable), codes.Internal, "STORE_FAILED"},
		{errors.New("anything"), codes.Internal, "INTERNAL"},
		{status.Error(codes.Unknown, "anything"), codes.Internal, "INTERNAL"},
		{status.Error(codes.Internal, "anything"), codes.Internal, "INTERNAL"},
		{status.Error(codes.Unimplemented, "method New not implemented"), codes.Unimplemented, "METHOD_UNKNOWN"},
		{status.Error(codes.NotFound, "unknown service"), codes.NotFound, "SERVICE_UNKNOWN"},
		{wrap(status.Error(codes.Canceled, "context canceled")), codes.Canceled, "CLIENT_CANCELLED"},
	} {
		st := status.Convert(toStatus(c.err))
		var infos []*errdetails.ErrorInfo
		for _, d := range st.Details() {
			if info, ok := d.(*errdetails.ErrorInfo); ok {
				infos = append(infos, info)
			}
		}
		if st.Code() != c.code || len(infos) != 1 || infos[0].GetReason() != c.reason || infos[0].GetDomain() != apierror.Domain {
			t.Errorf("%v is %v %v, want %v %s", c.err, st, infos, c.code, c.reason)
		}
	}
}
