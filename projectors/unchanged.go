package projectors

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// leastUnchanged is how many bytes an output has for it to be worth saying that it is the same as before. A shorter one is
// simply shown.
const leastUnchanged = 256

// Fingerprint identifies a command, what it wrote and how it ended; outputs with the same fingerprint are of the same
// command line and have the same bytes. It is empty for families whose outputs are not compared, for commands that nobody
// named, and for outputs that are too short.
func Fingerprint(ctx context.Context, out *pb.CompleteToolOutput, streams map[string]Stream) (string, error) {
	c := out.GetCommand()
	if c.GetCommandLine() == "" || dispositionOf(c) != pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED {
		return "", nil
	}
	var b strings.Builder
	b.WriteString(digestOf([]byte(c.GetCommandLine())) + " ")
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
