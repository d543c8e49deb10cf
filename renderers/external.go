package renderers

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// maxStoredAttachments is the number of attachments of a result that have artifacts of
// their own, as external.proto states it.
const maxStoredAttachments = 64

// External renders an external family as its options declare it. It adds the place of
// the whole answer if some content has an unknown type, or if attachments may be
// nowhere else.
func External(family string) Renderer {
	describe, ok := Declared(family).(Describe)
	if !ok {
		return nil // the registry says so
	}
	return Describe(func(payload protoreflect.Message) Document {
		d := describe(payload)
		r, ok := payload.Interface().(externalResult)
		if !ok || !envelope.IsSet(payload, payload.Descriptor().Fields().ByName("source_artifact")) {
			return d
		}
		mcp, _ := r.(*pb.ExternalMcpResult)
		if len(mcp.GetUnknownContent()) == 0 && r.GetAttachmentsTotal() <= maxStoredAttachments {
			return d
		}
		if at := int(r.GetSourceArtifact()); at < len(r.GetArtifacts()) {
			d.fact(labelWholeAnswer, r.GetArtifacts()[at].GetPath())
		}
		return d
	})
}

// externalResult is what the external families have in common.
type externalResult interface {
	GetAttachmentsTotal() uint64
	GetSourceArtifact() uint32
	GetArtifacts() []*pb.ArtifactReference
}
