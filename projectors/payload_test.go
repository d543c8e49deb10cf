package projectors_test

import pb "github.com/toolresult/toolresult/gen/toolresult/v1"

// inline is a payload in the request.
func inline(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}
