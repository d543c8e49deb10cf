package toolresult

import (
	"context"
	"iter"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Selection is the part of an artifact that is read; nil is all of it.
type Selection func(*pb.ReadArtifactRequest)

// ReadOption sets something else about a read.
type ReadOption func(*pb.ReadArtifactRequest)

// Lines selects lines, from 1 and inclusive; a last line of 0 is that of the artifact.
func Lines(first, last uint64) Selection {
	return func(r *pb.ReadArtifactRequest) {
		r.Selection = &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: first, Last: last}}
	}
}

// Bytes selects bytes, from 0 and up to end, which is not one of them; an end of 0 is that of the artifact.
func Bytes(start, end uint64) Selection {
	return func(r *pb.ReadArtifactRequest) {
		r.Selection = &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: start, End: end}}
	}
}

// Tail selects the last lines.
func Tail(lines uint64) Selection {
	return func(r *pb.ReadArtifactRequest) {
		r.Selection = &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: lines}}
	}
}

// Around selects a line and as many before and behind it.
func Around(line uint64, context uint32) Selection {
	return func(r *pb.ReadArtifactRequest) {
		r.Selection = &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: line, Before: context, After: context}}
	}
}

// Match selects lines that match a pattern of RE2, and as many before and behind each.
func Match(pattern string, context uint32) Selection {
	return func(r *pb.ReadArtifactRequest) {
		r.Selection = &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: pattern, Before: context, After: context}}
	}
}

// Pointer selects the value of a JSON text at a pointer (RFC 6901), such as "/items/3/name".
func Pointer(pointer string) Selection {
	return func(r *pb.ReadArtifactRequest) {
		r.Selection = &pb.ReadArtifactRequest_JsonPointer{JsonPointer: pointer}
	}
}

// Most bounds one answer, in bytes and lines; 0 is the default of the sidecar, 32,768 bytes and 2,000 lines.
func Most(bytes, lines uint32) ReadOption {
	return func(r *pb.ReadArtifactRequest) { r.Budget = &pb.ReadBudget{MaxBytes: bytes, MaxLines: lines} }
}

// OfSession reads for a session: what is of another is answered as if it did not exist. Default: the session of the client, or any.
func OfSession(id string) ReadOption {
	return func(r *pb.ReadArtifactRequest) { r.SessionId = id }
}

// Page reads on behind an answer, by its NextPageToken.
func Page(token string) ReadOption {
	return func(r *pb.ReadArtifactRequest) { r.PageToken = token }
}

// Read reads a part of an artifact, with a nil selection all of it: as much as one answer has. The answer says whether that is complete.
func (c *Client) Read(ctx context.Context, path string, selection Selection, options ...ReadOption) (*pb.ReadArtifactResponse, error) {
	return c.Artifacts.ReadArtifact(ctx, c.reading(path, selection, options))
}

// reading returns the request for a part of an artifact.
func (c *Client) reading(path string, selection Selection, options []ReadOption) *pb.ReadArtifactRequest {
	r := &pb.ReadArtifactRequest{Path: path, SessionId: c.session}
	if selection != nil {
		selection(r)
	}
	for _, set := range options {
		set(r)
	}
	return r
}

// ReadPages reads a part of an artifact in as many answers as it takes. An error is the last element. Of a log that is still written
// it ends with what is there now.
func (c *Client) ReadPages(ctx context.Context, path string, selection Selection, options ...ReadOption) iter.Seq2[*pb.ReadArtifactResponse, error] {
	return func(yield func(*pb.ReadArtifactResponse, error) bool) {
		r := c.reading(path, selection, options)
		for {
			page, err := c.Artifacts.ReadArtifact(ctx, r)
			if !yield(page, err) || err != nil || page.GetComplete() {
				return
			}
			r.PageToken = page.GetNextPageToken()
		}
	}
}
