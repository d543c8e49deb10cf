package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// maxFloorMessage is the largest message that floors take, in bytes: payloads of 1 MB with all around them.
const maxFloorMessage = 4 << 20

// floorOptions say what a floor does. The zero value with a socket does nothing.
type floorOptions struct {
	socket string
	answer string // path of the answer to every call, as protobuf; empty: an empty answer
	log    string // path of a log; empty: nothing is appended
	append int    // bytes appended to the log for each call
	files  string // directory for a file of the payload's bytes for each call; empty: none
	copies string // directory for what a connection sends, without gRPC; empty: the floor is a gRPC server
	sync   bool   // of copies
}

// args are the arguments of a process that is the floor.
func (o floorOptions) args() []string {
	return []string{floorCommand, "-socket", o.socket, "-answer", o.answer, "-log", o.log, "-append", strconv.Itoa(o.append), "-files", o.files,
		"-copies", o.copies, "-sync=" + strconv.FormatBool(o.sync)}
}

// floorCommand is the first argument of a process that is a floor.
const floorCommand = "floor"

// runFloor serves a floor until the process is ended.
func runFloor(args []string) error {
	var o floorOptions
	flags := flag.NewFlagSet(floorCommand, flag.ContinueOnError)
	flags.StringVar(&o.socket, "socket", "", "")
	flags.StringVar(&o.answer, "answer", "", "")
	flags.StringVar(&o.log, "log", "", "")
	flags.IntVar(&o.append, "append", 0, "")
	flags.StringVar(&o.files, "files", "", "")
	flags.StringVar(&o.copies, "copies", "", "")
	flags.BoolVar(&o.sync, "sync", false, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.copies != "" {
		return serveCopies(o)
	}
	f, err := newFloor(o)
	if err != nil {
		return err
	}
	l, err := net.Listen("unix", o.socket)
	if err != nil {
		return err
	}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(maxFloorMessage))
	pb.RegisterToolResultServiceServer(g, f)
	return g.Serve(l)
}

// floor is a stock gRPC server that does what nothing durable can do without, and no more.
type floor struct {
	pb.UnimplementedToolResultServiceServer
	answer *pb.ProjectResponse
	log    *groupLog // nil: nothing is appended
	entry  []byte
	files  string // empty: no files
	number atomic.Int64
}

func newFloor(o floorOptions) (*floor, error) {
	f := &floor{answer: &pb.ProjectResponse{}, files: o.files}
	if o.answer != "" {
		text, err := os.ReadFile(o.answer)
		if err != nil {
			return nil, err
		}
		if err := proto.Unmarshal(text, f.answer); err != nil {
			return nil, err
		}
	}
	if o.log != "" {
		var err error
		if f.log, err = newGroupLog(o.log, logBytes); err != nil {
			return nil, err
		}
		f.entry = make([]byte, o.append)
		for i := range f.entry {
			f.entry[i] = byte(i*i/7 + 1)
		}
	}
	return f, nil
}

// Project writes the file and the entry of the log, if the floor has them, and answers.
func (f *floor) Project(_ context.Context, r *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	if f.files != "" {
		// A new name each time: to replace a file costs a flush.
		path := filepath.Join(f.files, strconv.FormatInt(f.number.Add(1), 10))
		if err := os.WriteFile(path, r.GetOutput().GetCommand().GetStdout().GetInline(), 0o600); err != nil {
			return nil, err
		}
	}
	if f.log != nil {
		if err := f.log.append(f.entry); err != nil {
			return nil, err
		}
	}
	return f.answer, nil
}

// serveCopies copies what each connection sends to a file, one after the other, and answers with a byte.
func serveCopies(o floorOptions) error {
	l, err := net.Listen("unix", o.socket)
	if err != nil {
		return err
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		if err := copyToFile(conn, o); err != nil {
			fmt.Fprintln(os.Stderr, "copy:", err) // the other side gets no answer
		}
	}
}

func copyToFile(conn net.Conn, o floorOptions) error {
	f, err := os.CreateTemp(o.copies, "copy")
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	// Nothing but read and write: no splice, and no larger buffer than the chunks of the stream.
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{conn}, make([]byte, streamChunk))
	if err == nil && o.sync {
		err = f.Sync()
	}
	if err == nil {
		_, err = conn.Write([]byte{1})
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()), conn.Close())
}
