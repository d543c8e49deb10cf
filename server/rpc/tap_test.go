package rpc

import (
	"context"
	"regexp"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// TestUnknownCallersFillNoLog rejects calls as often as anybody may make them. Few have a line, and the lines count all of them.
func TestUnknownCallersFillNoLog(t *testing.T) {
	t.Parallel()
	lines, others := regexp.MustCompile(`msg=call `), regexp.MustCompile(`not_logged=(\d+)`)
	rapid.Check(t, func(rt *rapid.T) {
		waves := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 20).Draw(rt, "calls of each second")
		synctest.Test(t, func(*testing.T) {
			preauth, seen := newPreauth()
			total := 0
			for _, n := range waves {
				for range n {
					preauth.Calls.reject(context.Background(), pb.ToolResultService_Render_FullMethodName,
						apierror.New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, "no token"))
				}
				total += n
				time.Sleep(time.Second)
			}
			preauth.Calls.Wait()
			log := seen.log.String()
			logged := len(lines.FindAllString(log, -1))
			counted := logged
			for _, m := range others.FindAllStringSubmatch(log, -1) {
				n, _ := strconv.Atoi(m[1])
				counted += n
			}
			if counted != total || len(seen.calls) != total {
				rt.Errorf("%d calls are logged and counted, %d are in the metrics, %d were made", counted, len(seen.calls), total)
			}
			if most := unknownLinesBurst + unknownLinesPerSecond*len(waves); logged > most || logged < min(total, unknownLinesBurst) {
				rt.Errorf("%d lines of %d calls in %d seconds", logged, total, len(waves))
			}
		})
	})
}
