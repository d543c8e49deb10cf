package server_test

import (
	"bytes"
	"fmt"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// logText is text of a build and test log.
func logText(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "--- PASS: TestParse/case_%d (0.0%ds)\n    parse_test.go:%d: reading testdata/in-%04d.txt\n", i, i%9, 40+i%300, i)
	}
	return b.Bytes()[:n]
}

// The work of one call without the transport; the artifact goes to memory.
func BenchmarkProject(b *testing.B) {
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			h := newHouse(b)
			req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
				ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
				Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
					Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
					Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: logText(size)}},
				}},
			}}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Project(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
