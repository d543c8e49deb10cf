//go:build linux

package soak_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

const (
	callsVar  = "TOOLRESULT_SOAK_CALLS"  // how many calls; unset: the short form
	totalsVar = "TOOLRESULT_SOAK_TOTALS" // a file that the totals are appended to
	storeVar  = "TOOLRESULT_SOAK_DIR"    // where the store is made; unset: the temporary directory

	// The test binary runs itself as a client that may be killed.
	clientVar = "TOOLRESULT_SOAK_CLIENT" // its socket, name and seed
)

const (
	shortCalls = 6000
	// steady are clients of this process, whose calls count for the number that is asked for. Several have one
	// connection.
	steady, connections = 8, 4
	// fragile are client processes, of two goroutines each.
	fragile = 3
	seed    = 8
	// roomPerCall is more than the calls leave in the store, in bytes, were nothing collected: 31 KiB were measured,
	// most of them of huge streams.
	roomPerCall = 48 << 10
	// leastRoom is for the streams that are under way, of up to 64 MiB for each client, and for the files that are made ahead: the
	// store of the short form had at most 700 MiB in all.
	leastRoom = 1 << 30
)

// The bounds of what may be left at the end.
const (
	settling    = 5 * time.Second
	maxGrowth   = 64 << 20        // bytes of resident memory, over the whole run
	warm        = 4 * time.Minute // a shorter run is all warm-up: the heap grows to its goal
	maxLive     = 16 << 20        // bytes of live heap, likewise
	moreThreads = 40
	moreRoutine = 4 // goroutines more than an idle sidecar has that served a few calls
	moreFiles   = 2 // descriptors; SQLite opens its journal and a shard when it must
)

func TestMain(m *testing.M) {
	if role := os.Getenv(clientVar); role != "" {
		if err := beFragile(strings.Fields(role)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestSoak(t *testing.T) {
	if !sidecartest.All() {
		t.Skip("leg skipped: `make integration` and `make soak` run it")
	}
	calls := int64(shortCalls)
	if text := os.Getenv(callsVar); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		must(t, err)
		calls = n
	}
	dir, err := os.MkdirTemp(os.Getenv(storeVar), "soak")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	room := leastRoom + roomPerCall*uint64(calls)
	if free := freeBytes(t, dir); free < room {
		t.Fatalf("only %d MiB are free, and %d are needed", free>>20, room>>20)
	}
	binary := built(t, dir)
	s := &soak{totals: newTally(), room: room, rate: syncRate(t, dir)}
	idle := s.idle(t, binary, filepath.Join(dir, "idle"))

	s.sidecar = start(t, binary, filepath.Join(dir, "store"), room)
	s.warmUp(t)
	s.base = s.look(t, time.Now(), false)
	s.drive(t, calls)
	s.settle(t)
	routines := s.goroutines(t)
	s.comesBack(t, binary)

	var resident []reading
	for _, one := range s.samples {
		resident = append(resident, reading{one.at, one.rss})
	}
	growth, live := trend(lowest(resident)), trend(lowest(s.heap()))
	if growth > maxGrowth && s.took > warm || live > maxLive {
		t.Errorf("the memory grew by %d KiB, what is live of it by %d KiB", growth>>10, live>>10)
	}
	if routines > idle+moreRoutine {
		t.Errorf("%d goroutines are left, and an idle sidecar has %d:\n%.20000s", routines, idle, s.Log)
	}
	for _, b := range s.totals.Bad {
		t.Error(b)
	}
	s.report(t, growth, live, idle, routines, syncRate(t, dir))
}

// soak is one run.
type soak struct {
	*sidecar
	totals  *tally
	room    uint64  // bytes that the store may have
	rate    float64 // syncs a second, before
	base    sample
	samples []sample
	began   time.Time
	took    time.Duration
	frail   struct{ killed, stopped, started int64 }
	last    []stored // artifacts that were named last
	log     *pb.VerifiedLog
}

// built builds the sidecar.
func built(t *testing.T, dir string) string {
	t.Helper()
	path, err := sidecartest.Build(dir)
	must(t, err)
	return path
}

// idle is how many goroutines a sidecar has that served a few calls and has no client.
func (s *soak) idle(t *testing.T, binary, store string) int {
	t.Helper()
	s.sidecar = start(t, binary, store, s.room)
	s.warmUp(t)
	return s.goroutines(t)
}

// warmUp makes a call of every kind, and some more, and waits for the connections to go.
func (s *soak) warmUp(t *testing.T) {
	t.Helper()
	c, err := newClient(s.Socket, "warm", seed)
	must(t, err)
	for i := range c.kinds {
		c.make(t.Context(), &c.kinds[i])
	}
	for range 100 {
		c.one(t.Context())
	}
	must(t, c.conn.Close())
	for _, b := range c.tally.Bad {
		t.Error(b)
	}
	time.Sleep(time.Second)
}

// drive makes the calls.
func (s *soak) drive(t *testing.T, calls int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.began = time.Now()
	var sums shared
	sums.tally = *newTally()
	var frail, sampling, clients sync.WaitGroup
	for i := range fragile {
		frail.Go(func() { s.breakClients(ctx, t, &sums, i) })
	}
	sampling.Go(func() { s.watch(ctx, t) })
	var left atomic.Int64
	left.Store(calls)
	var mu sync.Mutex
	var shared *client
	var open []*grpc.ClientConn
	for i := range steady {
		c, err := newClient(s.Socket, fmt.Sprintf("steady%d", i), seed+uint64(i))
		must(t, err)
		if i%(steady/connections) == 0 {
			shared = c
		} else {
			must(t, c.conn.Close())
			c.conn, c.ToolResultServiceClient, c.artifacts = nil, shared.ToolResultServiceClient, shared.artifacts
		}
		clients.Go(func() {
			for left.Add(-1) >= 0 && len(c.tally.Bad) < maxBad {
				c.one(ctx)
			}
			sums.merge(c.tally)
			mu.Lock()
			defer mu.Unlock()
			s.last = append(s.last, c.known...)
			if c.conn != nil {
				open = append(open, c.conn)
			}
		})
	}
	clients.Wait()
	s.took = time.Since(s.began)
	for _, conn := range open {
		must(t, conn.Close())
	}
	cancel()
	frail.Wait()
	sampling.Wait()
	*s.totals = sums.take()
}

// watch takes samples, so many that a short run has enough of them for a trend.
func (s *soak) watch(ctx context.Context, t *testing.T) {
	every, walked := 100*time.Millisecond, time.Time{}
	for {
		walk := time.Since(walked) > 30*time.Second
		if walk {
			walked = time.Now()
		}
		s.samples = append(s.samples, s.look(t, s.began, walk))
		if len(s.samples) == 600 && every < 2*time.Second {
			every *= 2
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// breakClients starts a client process again and again. It is killed, or stopped and let
// go on, or stopped and killed.
func (s *soak) breakClients(ctx context.Context, t *testing.T, sums *shared, number int) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	pause := func(most time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Duration(rng.Int64N(int64(most)))):
			return true
		}
	}
	for life := 0; ctx.Err() == nil; life++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s fragile%d-%d %d", clientVar, s.Socket, number, life, 1000*number+life))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Error(err)
			return
		}
		atomic.AddInt64(&s.frail.started, 1)
		heard := make(chan struct{})
		go func() {
			defer close(heard)
			for lines := json.NewDecoder(bufio.NewReader(out)); ; {
				part := newTally()
				if lines.Decode(part) != nil {
					return // it was killed, perhaps inside of a line
				}
				sums.merge(part)
			}
		}()
		for alive := true; alive && pause(3*time.Second); {
			switch rng.IntN(3) {
			case 0:
				alive = false
			case 1:
				atomic.AddInt64(&s.frail.stopped, 1)
				_ = cmd.Process.Signal(syscall.SIGSTOP)
				pause(2 * idleOfStreams)
				_ = cmd.Process.Signal(syscall.SIGCONT)
			default:
				atomic.AddInt64(&s.frail.stopped, 1)
				_ = cmd.Process.Signal(syscall.SIGSTOP)
				pause(2 * idleOfStreams)
				alive = false
			}
		}
		atomic.AddInt64(&s.frail.killed, 1)
		_ = cmd.Process.Kill()
		<-heard
		_ = cmd.Wait() // killed
	}
}

// beFragile is a client process. It makes calls until it is killed, and writes what it
// has seen every 100 ms.
func beFragile(role []string) error {
	number, err := strconv.ParseUint(role[2], 10, 64)
	if err != nil {
		return err
	}
	var sums shared
	sums.tally = *newTally()
	for i := range 2 {
		c, err := newClient(role[0], fmt.Sprintf("%s-%d", role[1], i), number+uint64(i)<<32)
		if err != nil {
			return err
		}
		c.frozen = true
		go func() {
			for {
				c.one(context.Background())
				sums.merge(c.tally)
				c.tally = newTally()
			}
		}()
	}
	for out := json.NewEncoder(os.Stdout); ; {
		time.Sleep(100 * time.Millisecond)
		if err := out.Encode(sums.take()); err != nil {
			return err
		}
	}
}

// settle waits until the sidecar holds no more than before the calls.
func (s *soak) settle(t *testing.T) {
	t.Helper()
	var now sample
	back := func() bool { return now.fds <= s.base.fds+moreFiles && now.temp == 0 }
	for deadline := time.Now().Add(settling); ; time.Sleep(50 * time.Millisecond) {
		if now = s.look(t, s.began, false); back() || time.Now().After(deadline) {
			break
		}
	}
	if !back() {
		t.Errorf("%v after the last call there are %d descriptors and %d files in tmp/; before there were %d descriptors", settling, now.fds, now.temp, s.base.fds)
	}
	if now.threads > s.base.threads+moreThreads {
		t.Errorf("there are %d threads, and before there were %d", now.threads, s.base.threads)
	}
	s.samples = append(s.samples, s.look(t, s.began, true))
}

// comesBack starts another process on the store, which the one before left at once. It
// reads what was named last, and follows the log of audit records.
func (s *soak) comesBack(t *testing.T, binary string) {
	t.Helper()
	again := start(t, binary, s.Store, s.room)
	c, err := newClient(again.Socket, "after", seed)
	must(t, err)
	for _, a := range s.last {
		if a.bytes > 1<<20 {
			continue
		}
		switch digest, err := readAll(t.Context(), c.artifacts, a.path); {
		case c.expired(a, err):
		case err != nil || digest != a.digest:
			t.Errorf("%s is %s, and %s was acknowledged: %v", a.path, digest, a.digest, err)
		default:
			s.totals.Verified++
		}
	}
	s.followsLog(t, c.conn)
	must(t, c.conn.Close())
	if code := again.Terminate(); code != 0 {
		t.Errorf("the sidecar exited with code %d\n%s", code, again.Log)
	}
	if n := entries(filepath.Join(s.Store, "tmp")); n > 0 {
		t.Errorf("%d files are in tmp/", n)
	}
}

// followsLog follows the chain of records, which must have the last that was named, and at
// least as many as answers named. Clients that were killed did not tell of all of theirs.
func (s *soak) followsLog(t *testing.T, conn *grpc.ClientConn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	call, err := pb.NewAuditServiceClient(conn).VerifyLog(ctx, &pb.VerifyLogRequest{
		HeadSequence: s.totals.Head.Sequence, HeadHash: s.totals.Head.Hash,
	})
	must(t, err)
	for {
		answer, err := call.Recv()
		must(t, err)
		if broken := answer.GetInconsistent(); broken != nil {
			t.Errorf("record %d: %s", broken.GetSequence(), broken.GetReason())
			continue
		}
		s.log = answer.GetVerified()
		break
	}
	if s.totals.Records == 0 || int64(s.log.GetIntact()) < s.totals.Records || s.log.GetInconsistent() > 0 {
		t.Errorf("the log has %d records that hold and %d that do not, and %d were named", s.log.GetIntact(), s.log.GetInconsistent(), s.totals.Records)
	}
}

// report says what was measured.
func (s *soak) report(t *testing.T, growth, live int64, idle, routines int, after float64) {
	t.Helper()
	var b strings.Builder
	first, last := s.samples[0], s.samples[len(s.samples)-1]
	most := first
	var store sample
	for _, one := range s.samples {
		if one.rss > most.rss {
			most = one
		}
		if one.store > store.store {
			store = one
		}
	}
	perSecond := float64(s.totals.total()) / s.took.Seconds()
	rate := (s.rate + after) / 2
	fmt.Fprintf(&b, "%s\n%v, %.0f calls a second; %d artifacts named to steady and fragile clients, %.0f a second\n", s.totals.table(), s.took.Round(time.Second), perSecond,
		s.totals.Stored, float64(s.totals.Stored)/s.took.Seconds())
	fmt.Fprintf(&b, "%d records in the log, all of them sound, %.0f a second\n", s.log.GetIntact(), float64(s.log.GetIntact())/s.took.Seconds())
	fmt.Fprintf(&b, "the disk syncs 4 KiB %.0f times a second before and %.0f after, so that calls are %.2f and named artifacts %.2f of its rate\n",
		s.rate, after, perSecond/rate, float64(s.totals.Stored)/s.took.Seconds()/rate)
	fmt.Fprintf(&b, "%d client processes: %d killed, %d stopped for up to %v\n", s.frail.started, s.frail.killed, s.frail.stopped, 2*idleOfStreams)
	fmt.Fprintf(&b, "memory: %d MiB before, %d at the most, %d at the end, trend %+d KiB; descriptors %d and %d; threads %d and %d; goroutines %d of an idle sidecar, %d at the end; store at the most %d MiB in %d files\n",
		s.base.rss>>20, most.rss>>20, last.rss>>20, growth>>10, s.base.fds, last.fds, s.base.threads, last.threads, idle, routines, store.store>>20, store.artifacts)
	b.WriteString("memory over time, MiB:")
	for i := 0; i < len(s.samples); i += max(1, len(s.samples)/24) {
		fmt.Fprintf(&b, " %d", s.samples[i].rss>>20)
	}
	fmt.Fprintf(&b, "\nlive heap, the least of each twentieth after the first fifth, trend %+d KiB, MiB:", live>>10)
	for _, bytes := range lowest(s.heap()) {
		fmt.Fprintf(&b, " %d", bytes>>20)
	}
	t.Logf("\n%s", &b)
	path := os.Getenv(totalsVar)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(t, err)
	_, err = fmt.Fprintf(f, "%s\n\n", &b)
	must(t, err)
	must(t, f.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
