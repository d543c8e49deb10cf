package projectors

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

const (
	// leastUnchanged is how many bytes an output has for it to be worth a line of the receipt that it is the same as before.
	leastUnchanged = 256
	// unchangedTokens is what the receipt of such an output may cost: enough for the lines that matter most, so that it
	// stands by itself when the earlier one is gone.
	unchangedTokens = 400
)

// Fingerprint identifies what a tool wrote and how it ended; outputs with the same fingerprint have the same bytes. It is
// empty for families whose outputs are not compared, and for outputs that are too short.
func Fingerprint(ctx context.Context, out *pb.CompleteToolOutput, streams map[string]Stream) (string, error) {
	c := out.GetCommand()
	if c == nil || dispositionOf(c) != pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED {
		return "", nil
	}
	var b strings.Builder
	if c.ExitStatus != nil {
		fmt.Fprintf(&b, "%d", c.GetExitStatus())
	}
	total := int64(0)
	for _, p := range []*pb.Payload{c.GetStdout(), c.GetStderr(), c.GetCombinedOutput()} {
		b.WriteByte(' ')
		if p == nil {
			continue
		}
		blob := artifactstore.BytesBlob(p.GetInline())
		if s, ok := streams[Key(p)]; ok {
			blob = s.Blob
		}
		total += blob.Size()
		digest, err := artifactstore.Digest(ctx, blob)
		if err != nil {
			return "", err
		}
		b.WriteString(digest)
	}
	if total < leastUnchanged {
		return "", nil
	}
	return b.String(), nil
}
