package costs

import (
	"context"
	"errors"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// chunkBytes is the size of a chunk of a stream.
const chunkBytes = 256 << 10

// Prepared is the call of a recipe, whose request is made.
type Prepared struct {
	Recipe   Recipe
	method   protoreflect.MethodDescriptor
	request  proto.Message
	streamed []byte
}

// Prepare makes the request of a recipe.
func (r Recipe) Prepare() (*Prepared, error) {
	request, method, streamed, err := r.Request()
	return &Prepared{r, method, request, streamed}, err
}

// Call makes the call, and takes all that is answered. It may be made more than once.
func (p *Prepared) Call(ctx context.Context, conn grpc.ClientConnInterface) error {
	if p.Recipe.Streamed {
		return p.project(ctx, conn)
	}
	name := "/" + string(p.method.Parent().FullName()) + "/" + string(p.method.Name())
	if !p.method.IsStreamingClient() && !p.method.IsStreamingServer() {
		return conn.Invoke(ctx, name, p.request, p.answer())
	}
	call, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, name)
	if err != nil {
		return err
	}
	if header := p.request.ProtoReflect().Descriptor().Fields().ByName("header"); header != nil && !p.request.ProtoReflect().Has(header) {
		first := p.request.ProtoReflect().New()
		if h, ok := first.Mutable(header).Message().Interface().(*pb.StreamHeader); ok {
			h.Family = "text"
		}
		complete(first)
		if err := call.SendMsg(first.Interface()); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	if err := call.SendMsg(p.request); err != nil && !errors.Is(err, io.EOF) { // the answer says why
		return err
	}
	return p.receive(call)
}

// answer returns an empty answer.
func (p *Prepared) answer() proto.Message {
	t, err := protoregistry.GlobalTypes.FindMessageByName(p.method.Output().FullName())
	if err != nil {
		return nil
	}
	return t.New().Interface()
}

// receive takes all answers of a stream.
func (p *Prepared) receive(call grpc.ClientStream) error {
	if err := call.CloseSend(); err != nil {
		return err
	}
	for {
		if err := call.RecvMsg(p.answer()); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// project sends the payload in chunks.
func (p *Prepared) project(ctx context.Context, conn grpc.ClientConnInterface) error {
	req, ok := p.request.(*pb.ProjectRequest)
	if !ok {
		return errors.New("only an output is streamed")
	}
	call, err := pb.NewToolResultServiceClient(conn).ProjectStream(ctx)
	if err != nil {
		return err
	}
	family := strings.Split(p.Recipe.Fill, ".")[1]
	messages := []*pb.ProjectStreamRequest{{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: family, Policy: req.GetPolicy()}}}}
	for rest := p.streamed; len(rest) > 0; rest = rest[min(chunkBytes, len(rest)):] {
		chunk := &pb.StreamChunk{Stream: "s", Data: rest[:min(chunkBytes, len(rest))]}
		messages = append(messages, &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}})
	}
	messages = append(messages, &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: req.GetOutput()}}})
	for _, m := range messages {
		if err := call.Send(m); err != nil {
			break // Recv says why
		}
	}
	if err := call.CloseSend(); err != nil {
		return err
	}
	_, err = call.Recv()
	return err
}
