//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server"
)

// crowd are clients of a sidecar that is ended again and again in one store. They write down what was answered, and
// ask again after each end.
type crowd struct {
	root  string   // of the store
	acks  []string // in this store
	asked []question
	mu    sync.Mutex
}

// question is a call that can be made again: its text follows from its request id.
type question struct {
	session, request string
	stream           bool
	more             string // than follows from the id
}

// text is what the tool wrote. What no session needs is one of a few hundred contents, so that they are put and
// deleted again and again.
func (q question) text() string {
	sum := blake3.Sum256([]byte(q.request))
	random := rand.New(rand.NewPCG(uint64(sum[0])<<8|uint64(sum[1]), uint64(len(q.session))))
	if q.session == "" {
		return strings.Repeat(fmt.Sprintln("content", random.IntN(300)), 900)
	}
	return strings.Repeat(q.request+"\n", 300+random.IntN(3_000)) + q.more
}

// call is what a request says of the call of the tool.
func (q question) call() *pb.CallReference {
	if q.session == "" {
		return nil
	}
	return &pb.CallReference{SessionId: q.session, CallId: q.request}
}

// ask projects the text of a question, and returns the line that acknowledges the record.
func (s *sidecar) ask(ctx context.Context, q question) (*pb.ProjectResponse, ackedRecord, error) {
	var trailer metadata.MD
	var resp *pb.ProjectResponse
	var err error
	if q.stream {
		resp, err = s.askInAStream(ctx, q, &trailer)
	} else {
		resp, err = s.Project(ctx, &pb.ProjectRequest{
			Output: command(&pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(q.text())}}), Call: q.call(), RequestId: q.request,
			Policy: asRecorded(),
		}, grpc.Trailer(&trailer))
	}
	if err != nil {
		return nil, ackedRecord{}, err
	}
	r := ackedRecord{answer: answerDigest(resp.GetCanonical(), resp.GetReceipt()), request: q.request}
	if head := trailer.Get(server.AuditTrailer); len(head) == 1 {
		_, err = fmt.Sscan(head[0], &r.log, &r.sequence, &r.hash)
	} else {
		err = fmt.Errorf("%d trailers say where the record is", len(head))
	}
	return resp, r, err
}

// asRecorded asks for the canonical result as the record has it, so that they can be compared.
func asRecorded() *pb.ProjectionPolicy { return &pb.ProjectionPolicy{Segments: true} }

func (s *sidecar) askInAStream(ctx context.Context, q question, trailer *metadata.MD) (*pb.ProjectResponse, error) {
	call, err := s.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{
		Family: "command", Streams: []string{"stdout"}, Call: q.call(), RequestId: q.request,
		Policy: asRecorded(),
	}}}) // Recv says why
	for text := q.text(); len(text) > 0; text = text[min(len(text), chunkSize):] {
		_ = call.Send(chunk(text[:min(len(text), chunkSize)]))
	}
	resp, err := finish(call)
	if err != nil {
		return nil, err
	}
	if _, err := call.Recv(); !errors.Is(err, io.EOF) {
		return nil, err
	}
	*trailer = call.Trailer()
	return resp, nil
}

// work starts a sidecar, asks again what was asked of the last one, and then has clients at work until end has ended
// it. What it deletes is garbage and, in every fourth round, old records.
func (c *crowd) work(t *testing.T, root, acks string, round int, end func(*sidecar)) {
	t.Helper()
	if c.root != root || round%roundsPerStore == 0 {
		c.root, c.acks, c.asked = root, nil, nil
	}
	keep, same := "0s", round%4 != 0
	if retains(round) {
		keep, same = "300ms", false
	}
	s := startSidecar(t, launch{Store: root, AnyExit: true, Args: []string{"--gc-interval=1s", "--keep-for=1ms", "--session-lease=24h", "--audit-keep-for=" + keep}})
	defer s.forget(t)
	c.askAgain(t, s, same)
	c.asked = nil
	file, err := os.OpenFile(acks, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(t, err)
	var clients sync.WaitGroup
	for client := range 3 {
		q := question{session: []string{"streams", "messages", ""}[client], stream: client == 0}
		clients.Go(func() {
			for n := 0; c.one(t, s, file, q, fmt.Sprintf("r%d.%d.%d", round, client, n)); n++ {
			}
		})
	}
	clients.Go(func() {
		for {
			if _, err := s.artifacts.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{}); err != nil {
				return // the sidecar was ended
			}
		}
	})
	end(s)
	s.Wait()
	clients.Wait()
	must(t, file.Close())
	c.acks = append(c.acks, acksOf(t, acks)...)
}

// retains reports whether old records are deleted in a round.
func retains(round int) bool { return round%4 == 3 }

// one asks one question, and reports whether the sidecar is still there.
func (c *crowd) one(t *testing.T, s *sidecar, file *os.File, q question, request string) bool {
	q.request = request
	c.mu.Lock()
	c.asked = append(c.asked, q)
	c.mu.Unlock()
	resp, record, err := s.ask(t.Context(), q)
	switch status.Code(err) {
	case codes.OK:
	case codes.Unavailable, codes.Canceled:
		return false
	case codes.Aborted: // garbage, and now it was deleted
		return true
	default:
		t.Errorf("%v: %v", q, err)
		return false
	}
	lines := record.String() + "\n"
	if q.session != "" {
		lines += ackOfPath(artifactOf(resp), q.text()) + "\n"
	}
	if _, err := file.WriteString(lines); err != nil {
		t.Error(err)
	}
	return true
}

// askAgain asks the last questions of each client again: what was answered is answered again, byte for byte and from
// the same record, unless retention may have deleted that; what was not has one record now. Then it has some records
// made again, and follows the chain to the last that was acknowledged.
func (c *crowd) askAgain(t *testing.T, s *sidecar, same bool) {
	t.Helper()
	answered := map[string]ackedRecord{}
	acked := recordsOf(c.acks)
	for _, r := range acked {
		answered[r.request] = r
	}
	left := map[string]int{}
	for _, q := range slices.Backward(c.asked) {
		if left[q.session]++; left[q.session] > 2 {
			continue
		}
		_, record, err := s.ask(t.Context(), q)
		if status.Code(err) == codes.Aborted {
			continue
		}
		must(t, err)
		if was, ok := answered[q.request]; ok && same && was != record {
			t.Errorf("%v was answered by %v, and is now by %v", q, was, record)
		}
		list, err := s.audit.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: q.session, RequestId: q.request})
		must(t, err)
		if n := len(list.GetRecords()); n > 1 || n == 0 && same {
			t.Errorf("%v has %d records", q, n)
		}
		c.acks = append(c.acks, record.String())
		if q.session != "" && same {
			s.wantReplayed(t, record.sequence)
		}
	}
	s.wantChain(t, acked)
}

// wantReplayed has a record made again, which must come to the same.
func (s *sidecar) wantReplayed(t testing.TB, sequence uint64) {
	t.Helper()
	v, err := s.audit.VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: sequence})
	if err != nil || !v.GetHolds() || !v.GetComplete() {
		t.Errorf("record %d made again: %v, %v", sequence, v, err)
	}
}

// wantChain follows the chain, which must have the last record that was acknowledged.
func (s *sidecar) wantChain(t testing.TB, acked []ackedRecord) {
	t.Helper()
	req := &pb.VerifyLogRequest{}
	for _, r := range acked {
		if r.sequence > req.GetHeadSequence() {
			req.HeadSequence, req.HeadHash = r.sequence, r.hash
		}
	}
	call, err := s.audit.VerifyLog(t.Context(), req)
	must(t, err)
	for {
		answer, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		if b := answer.GetInconsistent(); b != nil {
			t.Errorf("record %d: %s", b.GetSequence(), b.GetReason())
		}
	}
}

// ackOfPath is the line of an acknowledgement of the text at a path.
func ackOfPath(path, text string) string {
	name := filepath.Base(filepath.Dir(path))[:2] + filepath.Base(path)
	return fmt.Sprintf("%s blake3:%x %d", name, blake3.Sum256([]byte(text)), len(text))
}
