//go:build linux

package soak_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// tally is what clients have seen. Processes hand it over as JSON.
type tally struct {
	Calls    map[string]map[string]int64 // by kind and answer: OK, or a code and a reason
	Times    map[string]map[int]int64    // by kind: calls in each bucket
	Bytes    int64                       // of payloads that were sent
	Verified int64                       // artifacts read back whole, with the digest of what was sent
	Slices   int64                       // artifacts read in part
	Stored   int64                       // artifacts that answers named for the first time to their client
	Records  int64                       // answers that named their audit record
	Head     head                        // of those, the record with the highest sequence
	Bad      []string                    // what should not be
}

func newTally() *tally {
	return &tally{Calls: map[string]map[string]int64{}, Times: map[string]map[int]int64{}}
}

// maxBad bounds what is kept of failures, which may be many.
const maxBad = 40

func (t *tally) bad(format string, values ...any) {
	if len(t.Bad) < maxBad {
		t.Bad = append(t.Bad, fmt.Sprintf(format, values...))
	}
}

func (t *tally) call(kind, answer string, took time.Duration) {
	inner(t.Calls, kind)[answer]++
	inner(t.Times, kind)[bucketOf(took)]++
}

func inner[K comparable](all map[string]map[K]int64, key string) map[K]int64 {
	if all[key] == nil {
		all[key] = map[K]int64{}
	}
	return all[key]
}

// steps is how many buckets a time has until it has doubled: a percentile is at most 9 % off.
const steps = 8

func bucketOf(d time.Duration) int {
	return int(math.Round(steps * math.Log2(float64(max(d, time.Microsecond))/float64(time.Microsecond))))
}

func timeOf(bucket int) time.Duration {
	return time.Duration(math.Exp2(float64(bucket)/steps) * float64(time.Microsecond))
}

func (t *tally) add(o *tally) {
	for kind, answers := range o.Calls {
		for answer, n := range answers {
			inner(t.Calls, kind)[answer] += n
		}
	}
	for kind, times := range o.Times {
		for bucket, n := range times {
			inner(t.Times, kind)[bucket] += n
		}
	}
	t.Bytes, t.Verified, t.Slices, t.Stored = t.Bytes+o.Bytes, t.Verified+o.Verified, t.Slices+o.Slices, t.Stored+o.Stored
	t.Records += o.Records
	t.Head = t.Head.later(o.Head)
	for _, b := range o.Bad {
		t.bad("%s", b)
	}
}

// total is how many calls there were.
func (t *tally) total() (n int64) {
	for _, answers := range t.Calls {
		for _, m := range answers {
			n += m
		}
	}
	return n
}

// percentile is the time below which a share of the calls of a kind ended.
func (t *tally) percentile(kind string, share float64) time.Duration {
	times := t.Times[kind]
	var all, below int64
	for _, n := range times {
		all += n
	}
	for _, bucket := range slices.Sorted(maps.Keys(times)) {
		if below += times[bucket]; float64(below) >= share*float64(all) {
			return timeOf(bucket)
		}
	}
	return 0
}

// table is the tally for people.
func (t *tally) table() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(t.Calls)) {
		var n int64
		var answers []string
		for _, answer := range slices.Sorted(maps.Keys(t.Calls[kind])) {
			n += t.Calls[kind][answer]
			answers = append(answers, fmt.Sprintf("%s %d", answer, t.Calls[kind][answer]))
		}
		fmt.Fprintf(&b, "%9d  %-24s p50 %-9v p99 %-9v %s\n", n, kind, round(t.percentile(kind, 0.5)), round(t.percentile(kind, 0.99)), strings.Join(answers, ", "))
	}
	fmt.Fprintf(&b, "%d calls; %d artifacts named, %d read back whole with their digest, %d in part; %d answers with a record; %d MiB sent\n",
		t.total(), t.Stored, t.Verified, t.Slices, t.Records, t.Bytes>>20)
	return b.String()
}

func round(d time.Duration) time.Duration {
	if d > 10*time.Millisecond {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}

// shared is a tally of several goroutines.
type shared struct {
	mu sync.Mutex
	tally
}

func (s *shared) merge(o *tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(o)
}

// take returns what was merged since the last time.
func (s *shared) take() tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.tally
	s.tally = *newTally()
	return was
}
