package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// side is one of those that are measured in turns: a server, and how it is called.
type side struct {
	name string
	*server
	open  opener
	noIDs bool
	next  atomic.Int64 // number of the next payload
}

// opener opens a way to make calls, which all callers of a burst share. It is closed when the context ends.
type opener func(ctx context.Context, s *server) (caller, error)

// caller makes one call and waits for its answer. Safe for concurrent use.
type caller func(ctx context.Context, r *pb.ProjectRequest) (*pb.ProjectResponse, error)

// unary is a call of Project.
func unary(_ context.Context, s *server) (caller, error) {
	return func(ctx context.Context, r *pb.ProjectRequest) (*pb.ProjectResponse, error) {
		return s.client.Project(ctx, r)
	}, nil
}

// sample is one side in one round.
type sample struct {
	p50, p99 float64 // microseconds
	rate     float64 // calls a second
	cpu      float64 // microseconds of the server's processor time for a call, with what it does after its answers
}

// burst has callers make calls, one after the other each, for a time.
func (b *bench) burst(s *side, callers, size int, length time.Duration) (sample, error) {
	cpu, err := s.cpu()
	if err != nil {
		return sample{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
	defer cancel()
	call, err := s.open(ctx, s.server)
	if err != nil {
		return sample{}, err
	}
	times := make([][]float64, callers)
	errs := make([]error, callers)
	var all sync.WaitGroup
	begin := time.Now()
	for c := range callers {
		all.Go(func() { times[c], errs[c] = b.call(ctx, s, call, c, size, begin.Add(length)) })
	}
	all.Wait()
	took := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return sample{}, fmt.Errorf("%s, %d callers: %w", s.name, callers, err)
		}
	}
	if err := b.settle(s.server); err != nil {
		return sample{}, err
	}
	after, err := s.cpu()
	if err != nil {
		return sample{}, err
	}
	sorted := slices.Sorted(slices.Values(slices.Concat(times...)))
	n := len(sorted)
	return sample{p50: sorted[n/2], p99: sorted[n*99/100], rate: float64(n) / took.Seconds(), cpu: micros(after-cpu) / float64(n)}, nil
}

// call makes calls until a time, at least one, and returns how long each took in microseconds.
func (b *bench) call(ctx context.Context, s *side, call caller, session, size int, until time.Time) (times []float64, err error) {
	for {
		r := request(b.logs.payload(int(s.next.Add(1)), size), session, s.noIDs)
		begin := time.Now()
		if _, err := call(ctx, r); err != nil {
			return nil, err
		}
		end := time.Now()
		times = append(times, micros(end.Sub(begin)))
		if end.After(until) {
			return times, nil
		}
	}
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// answers makes calls with a payload, checks that they are cut or not as the payload should be, and returns the answer of
// the median size.
func (b *bench) answers(s *server, p payload, n int) (*pb.ProjectResponse, error) {
	var all []*pb.ProjectResponse
	for i := range n {
		r, err := s.client.Project(context.Background(), request(b.logs.payload(i, p.bytes), 0, false))
		if err != nil {
			return nil, err
		}
		if cut := len(r.GetCanonical().GetCommand().GetArtifacts()) > 0; cut != p.cut {
			return nil, fmt.Errorf("payload %d of %s: cut is %v", i, p.name, cut)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *pb.ProjectResponse) int { return proto.Size(a) - proto.Size(b) })
	return all[n/2], nil
}
