// Command call is the least client of a sidecar: it starts, connects, makes one call, prints the receipt and ends. BenchmarkExec
// measures exec beside it.
package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func main() {
	if err := call(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// call asks the sidecar at an address for the receipt of a command without output.
func call(address string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	command := &pb.CommandOutput{CommandLine: "true", ExitStatus: new(int32(0)), Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED}
	resp, err := pb.NewToolResultServiceClient(conn).Project(context.Background(), &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: command},
	}})
	if err == nil {
		_, err = fmt.Println(resp.GetReceipt().GetText())
	}
	return err
}
