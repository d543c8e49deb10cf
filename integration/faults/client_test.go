//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// socketVar is the socket that a client process uploads to.
const socketVar = "TOOLRESULT_FAULTS_SOCKET"

// uploadForEver uploads a line every millisecond, says "sent" after each, and never finishes.
func uploadForEver() error {
	conn, err := grpc.NewClient("unix://"+os.Getenv(socketVar), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	s := sidecar{ToolResultServiceClient: pb.NewToolResultServiceClient(conn)}
	call, err := s.upload(context.Background())
	if err != nil {
		return err
	}
	for {
		if err := call.Send(chunk("one more line\n")); err != nil {
			return err
		}
		fmt.Println("sent")
		time.Sleep(time.Millisecond)
	}
}
