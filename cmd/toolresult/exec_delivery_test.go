package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"google.golang.org/genproto/googleapis/rpc/errdetails"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/spool"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/rpc"
)

var errSend = errors.New("sent enough")

// sent is the sidecar's side of a stream: all that it received. The n-th message fails, if fails is not 0.
type sent struct {
	grpc.ClientStream
	header   *pb.StreamHeader
	finish   *pb.StreamFinish
	all      []byte
	n, fails int
}

func (s *sent) Send(m *pb.ProjectStreamRequest) error {
	if s.n++; s.n == s.fails {
		return errSend
	}
	switch m := m.GetMessage().(type) {
	case *pb.ProjectStreamRequest_Header:
		s.header = m.Header
	case *pb.ProjectStreamRequest_Chunk:
		s.all = append(s.all, m.Chunk.GetData()...)
	case *pb.ProjectStreamRequest_Finish:
		s.finish = m.Finish
	}
	return nil
}

func (s *sent) Recv() (*pb.ProjectStreamResponse, error) { return nil, nil }

// delivered returns a delivery whose command has written, and ended.
func delivered(t *testing.T, chunks ...string) *delivery {
	t.Helper()
	d := deliver(t.Context(), &target{}, &pb.ProjectRequest{Call: &pb.CallReference{SessionId: "s"}}, "make", limits{})
	t.Cleanup(d.close)
	for i, chunk := range chunks {
		if n, err := d.writer(spool.Stream(i % 2)).Write([]byte(chunk)); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	d.spool.End()
	return d
}

// TestStreamsAreSentInTheirOrder: the header claims the order, and the finish has the sizes.
func TestStreamsAreSentInTheirOrder(t *testing.T) {
	t.Parallel()
	chunks := []string{"out\n", "err\n", strings.Repeat("o", maxInline), strings.Repeat("e", 3*chunkBytes+1)}
	d, s := delivered(t, chunks...), &sent{}
	if err := d.sendAll(s, d.spool.NewReader()); err != nil {
		t.Fatal(err)
	}
	if string(s.all) != strings.Join(chunks, "") || !s.header.GetKeepOrder() || s.header.GetCommandLine() != "make" || s.header.GetCall().GetSessionId() != "s" {
		t.Errorf("%d bytes, %v", len(s.all), s.header)
	}
	if size := s.finish.GetStreamBytes(); size["stdout"] != 4+maxInline || size["stderr"] != 4+3*chunkBytes+1 || d.behind() != 0 {
		t.Errorf("sizes %v, %d bytes behind", size, d.behind())
	}
	select {
	case <-d.large:
	default:
		t.Error("a large stream is not sent as one")
	}
}

func TestEverySendErrorIsReturned(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 5; n++ { // header, two chunks of the two streams, finish
		d := delivered(t, strings.Repeat("o", 2*chunkBytes), "e")
		err := d.sendAll(&sent{fails: n}, d.spool.NewReader())
		if !errors.Is(err, errSend) {
			t.Errorf("message %d: %v", n, err)
		}
	}
}

// TestOutputThatCannotBeKeptIsPassedOn has no directory for files: what both streams wrote comes in the order of the writes,
// after the reason, and what follows comes at once.
func TestOutputThatCannotBeKeptIsPassedOn(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	d := deliver(t.Context(), &target{}, &pb.ProjectRequest{}, "", limits{})
	defer d.close()
	var terminal bytes.Buffer
	d.printTo(&terminal, &terminal)
	d.why = func(reason string) { fmt.Fprintln(&terminal, reason) }
	want := ""
	for i, text := range []string{"first\n", "second\n", strings.Repeat("x", maxInline-1) + "\n", "later\n"} {
		if _, err := d.writer(spool.Stream(i % 2)).Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if want += text; i < 2 && terminal.Len() > 0 {
			t.Fatalf("passed on before it had to be: %q", terminal.String())
		}
	}
	d.flush()
	reason, rest, _ := strings.Cut(terminal.String(), "\n")
	if rest != want || !strings.Contains(reason, "/nonexistent") || !strings.Contains(reason, "TMPDIR") {
		t.Errorf("%d bytes of %d after %q", len(rest), len(want), reason)
	}
	if _, err := d.wait(nil); !errors.Is(err, errPassedOn) {
		t.Error(err)
	}
}

// TestWhatIsSentAgain: what the sidecar asks to be sent again later is, for as long as it asks; a sidecar that is away is tried once
// more; a rejection is final.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	busy, err := status.New(codes.ResourceExhausted, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	idle, err := status.New(codes.DeadlineExceeded, "idle").WithDetails(&errdetails.ErrorInfo{Reason: "STREAM_IDLE"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err     error
		attempt int
		again   bool
	}{
		{busy.Err(), 1, true}, {busy.Err(), 9, true}, {idle.Err(), 2, true},
		{status.Error(codes.Unavailable, ""), 1, true}, {status.Error(codes.Unavailable, ""), 2, false}, {status.Error(codes.Aborted, ""), 1, true},
		{status.Error(codes.InvalidArgument, ""), 1, false}, {status.Error(codes.ResourceExhausted, ""), 1, false}, {errSend, 1, false},
	} {
		d := delivered(t)
		close(d.finished)
		if got := d.again(c.err, c.attempt); got != c.again {
			t.Errorf("%v, attempt %d: %v", c.err, c.attempt, got)
		}
	}
	d := delivered(t)
	d.cancel()
	if later, _ := status.New(codes.Unavailable, "").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Hour)}); d.again(later.Err(), 1) {
		t.Error("a sidecar that was given up is called again")
	}
}

// TestFastCommandsArePaced: a sidecar that keeps pace with a command at full speed takes a processor from it. It gets the rest when the
// command has ended.
func TestFastCommandsArePaced(t *testing.T) {
	synctest.Test(t, testFastCommandsArePaced)
}

func testFastCommandsArePaced(t *testing.T) {
	short := limits{patience: 50 * time.Millisecond, total: time.Second}
	for _, c := range []struct {
		limits
		ended, waits bool
	}{
		{short, false, true}, {limits{patience: time.Minute, total: time.Minute}, false, false}, {short, true, false},
		{limits{patience: 50 * time.Millisecond}, false, false},
	} {
		d := deliver(t.Context(), &target{}, &pb.ProjectRequest{}, "", c.limits)
		if c.ended {
			close(d.finished)
		}
		d.sent.Store(burst) // for a second of the patience
		paced := make(chan struct{})
		go func() {
			d.pace()
			close(paced)
		}()
		synctest.Wait()
		waits := true
		select {
		case <-paced:
			waits = false
		default:
		}
		if waits != c.waits {
			t.Errorf("%+v, ended: %v: it waits: %v", c.limits, c.ended, waits)
		}
		d.close()
		<-paced
	}
}

// TestWhoIsLate: a sidecar has its patience after it took something, and no more than the total after the end of the command.
func TestWhoIsLate(t *testing.T) {
	t.Parallel()
	const unit = time.Minute // no pause of the machine is as long
	for name, c := range map[string]struct {
		limits
		ended, busy, taken time.Duration // ago; 0: never
		sent               int64         // of a MiB, since the end
		late               bool
		serving            time.Duration // ago; 0: an hour; less: never
	}{
		"in time":            {limits{patience: unit, total: 9 * unit}, unit / 2, 0, 0, 0, false, 0},
		"silent":             {limits{patience: unit, total: 9 * unit}, 2 * unit, 0, 0, 0, true, 0},
		"takes":              {limits{patience: unit, total: 9 * unit}, 2 * unit, unit / 2, unit / 2, 0, false, 0},
		"takes for long":     {limits{patience: unit, total: 9 * unit}, 10 * unit, unit / 2, unit / 2, 0, true, 0},
		"took":               {limits{patience: unit, total: 9 * unit}, 5 * unit, 2 * unit, 2 * unit, 0, true, 0},
		"silent before":      {limits{patience: unit, total: 9 * unit}, unit / 2, 2 * unit, 3 * unit, 0, true, 0},
		"strict":             {limits{patience: unit}, unit / 2, 2 * unit, 3 * unit, 0, false, 0},
		"strict and silent":  {limits{patience: unit}, 2 * unit, 0, 0, 0, true, 0},
		"strict, goes on":    {limits{patience: unit}, 2 * time.Hour, unit / 2, unit / 2, 0, false, 0},
		"no more than total": {limits{patience: unit, perMiB: time.Hour, total: 2 * unit}, 3 * unit, unit / 9, unit / 9, 0, true, 0},
		"too slow":           {limits{patience: unit, total: 9 * unit}, unit, unit / 9, unit / 9, 100 << 10, true, 0},
		"fast enough":        {limits{patience: unit, total: 9 * unit}, unit, unit / 9, unit / 9, 200 << 10, false, 0},
		"too early to say":   {limits{patience: unit, total: 9 * unit}, unit / 5, unit / 9, unit / 9, 1, false, 0},
		"starts":             {limits{patience: unit, total: unit, starting: 4 * unit}, 3 * unit, 0, 0, 0, false, -1},
		"does not start":     {limits{patience: unit, total: unit, starting: 4 * unit}, 5 * unit, 0, 0, 0, true, -1},
		"has just started":   {limits{patience: unit, total: unit}, time.Hour, 0, 0, 0, false, unit / 2},
		"started and silent": {limits{patience: unit, total: 9 * unit}, time.Hour, 0, 0, 0, true, 2 * unit},
		"works":              {limits{patience: unit, total: unit, work: 5 * unit}, 4 * unit, 0, unit / 2, 0, false, 0},
		"works for long":     {limits{patience: unit, total: unit, work: 5 * unit}, 6 * unit, 0, unit / 2, 0, true, 0},
	} {
		d := delivered(t, strings.Repeat("o", 1<<20))
		d.limits = c.limits
		ago := func(t time.Duration) int64 { return time.Now().Add(-t).UnixNano() }
		if c.serving >= 0 {
			d.serving.Store(ago(cmp.Or(c.serving, time.Hour)))
		}
		d.sent.Store(c.sent)
		if c.busy > 0 {
			d.busy.Store(ago(c.busy))
		}
		if c.taken > 0 {
			d.taken.Store(ago(c.taken))
		}
		if err := d.late(time.Now().Add(-c.ended)); (err != nil) != c.late {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPreparedConnectionIsUsedOnce and for a while only.
func TestPreparedConnectionIsUsedOnce(t *testing.T) {
	t.Parallel()
	closed := 0
	c := &connection{close: func() error { closed++; return nil }}
	p := &prepared{c, time.Now().Add(time.Hour)}
	if p.take() != c || p.take() != nil {
		t.Error("it is not taken once")
	}
	p.close()
	old := &prepared{c, time.Now().Add(-time.Second)}
	if old.take() != nil || closed != 0 {
		t.Error("it is taken too late, or closed by who does not own it")
	}
	if old.close(); closed != 1 {
		t.Error("it stays open")
	}
	var none *prepared
	if none.close(); none.take() != nil {
		t.Error("none is taken")
	}
}

// badSidecar is a listener that does what a sidecar should not.
func badSidecar(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "tr") // shorter than that of the test, whose path is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return "unix://" + l.Addr().String()
}

// execBeside runs a line beside a sidecar that a variable would name, and waits for it for 300 ms.
func execBeside(t *testing.T, address string, strict bool, line string) *outcome {
	t.Helper()
	e := execution{output: "receipt", patience: 300 * time.Millisecond, strict: strict, target: target{address: address}}
	e.policy.flags(pflag.NewFlagSet("", pflag.ContinueOnError)) // the defaults
	var cmd cobra.Command
	var out, said bytes.Buffer
	cmd.SetContext(t.Context())
	cmd.SetIn(strings.NewReader(""))
	cmd.SetOut(&out)
	cmd.SetErr(&said)
	exit, _ := errors.AsType[exitError](e.run(&cmd, []string{"sh", "-c", line}))
	return &outcome{t, []string{line}, out.String(), said.String(), exit.code}
}

// TestBadSidecars: whatever the sidecar does, the output comes as it was, with the code, and nothing else on standard error.
// With --strict the reason is there.
func TestBadSidecars(t *testing.T) {
	t.Parallel()
	hang := func(net.Conn) {}
	for name, address := range map[string]string{
		"absent": "unix:///nonexistent/s",
		"silent": badSidecar(t, hang),
		"closes": badSidecar(t, func(c net.Conn) { _ = c.Close() }),
		"junk":   badSidecar(t, func(c net.Conn) { _, _ = io.WriteString(c, strings.Repeat("HTTP/1.1 200 OK\r\n", 1000)) }),
		"greets": badSidecar(t, func(c net.Conn) { _, _ = c.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0}) }), // settings of HTTP/2, and no more
	} {
		for _, n := range []int{10, 3 << 20, 80 << 20} {
			if n > maxBehind && name != "silent" && testing.Short() {
				continue
			}
			t.Run(fmt.Sprint(name, ", ", n, " bytes"), func(t *testing.T) {
				t.Parallel()
				script := fmt.Sprintf("head -c %d /dev/zero; echo trouble >&2; exit 3", n)
				o := execBeside(t, address, false, script).want(3)
				if o.err != "trouble\n" || o.out != string(make([]byte, n)) {
					t.Errorf("%d bytes of %d, %q", len(o.out), n, o.err)
				}
			})
		}
		t.Run(name+", strict", func(t *testing.T) {
			t.Parallel()
			o := execBeside(t, address, true, "echo out; exit 9")
			o.want(9, "! toolresult: no receipt, the output follows as it is: ")
			if o.out != "out\n" {
				t.Errorf("%q", o.out)
			}
		})
	}
}

// TestEmbeddedSidecarIsGivenUp: others have locked its stores.
func TestEmbeddedSidecarIsGivenUp(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "toolresult-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // which who waits for the lock may get, and write to, until this process ends
	store := filepath.Join(dir, "store")
	for _, locked := range []string{store, store + "-embedded"} {
		c, err := defaultConfig()
		if err != nil {
			t.Fatal(err)
		}
		c.Store = locked
		s, err := server.New(c, server.Options{Logger: slog.New(slog.DiscardHandler), Listener: rpc.ListenInProcess()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
	}
	o := toolresult(t, "", "exec", "--patience", "300ms", "--store", store, "--", "sh", "-c", "echo out; exit 6").want(6)
	if o.out != "out\n" || o.err != "" {
		t.Errorf("%q and %q", o.out, o.err)
	}
}

// TestPatience: the sidecar is waited for as long as the variable says, and a flag precedes it.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		e        execution
		variable string
		want     limits
	}{
		{execution{}, "", limits{8 * time.Second, 750 * time.Millisecond, time.Millisecond, time.Second, 5 * time.Second}},
		{execution{}, "2s", limits{8 * time.Second, 2 * time.Second, time.Millisecond, 8 * time.Second / 3, 5 * time.Second}},
		{execution{}, "30s", limits{30 * time.Second, 30 * time.Second, time.Millisecond, 40 * time.Second, 40 * time.Second}},
		{execution{}, "soon", limits{8 * time.Second, 750 * time.Millisecond, time.Millisecond, time.Second, 5 * time.Second}},
		{execution{patience: time.Second, total: 10 * time.Second}, "2s", limits{8 * time.Second, time.Second, time.Millisecond, 10 * time.Second, 5 * time.Second}},
		{*shellExecution("true"), "", limits{4 * time.Second, 750 * time.Millisecond, time.Millisecond, 2 * time.Second, 5 * time.Second}},
		{execution{strict: true}, "", limits{time.Minute, time.Minute, time.Second, 0, 0}},
	} {
		t.Setenv(patienceVariable, c.variable)
		if got := c.e.limits(); got != c.want {
			t.Errorf("%+v with %q: %+v, want %+v", c.e, c.variable, got, c.want)
		}
	}
}

// TestChildInTheBackgroundIsNotWaitedFor: it keeps the pipes, and ends when the receipt is there.
func TestChildInTheBackgroundIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo, done := filepath.Join(dir, "fifo"), filepath.Join(dir, "done")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), syscall.Mkfifo(done, 0o600)); err != nil {
		t.Fatal(err)
	}
	child := fmt.Sprintf("(read x <%s; echo late; echo $? >%s)", fifo, done)
	toolresult(t, "", "exec", "--", "sh", "-c", child+" & echo hi; exit 7").want(7, "Process exited with code 7\nstdout:\nhi")
	write(t, fifo, "\n")
	if said, err := os.ReadFile(done); err != nil || string(said) != "0\n" {
		t.Errorf("the child was ended by its pipe: %q, %v", said, err)
	}
}

// TestSignalsBesideReceipts: a signal to exec alone reaches the command, and what it wrote until then has a receipt.
func TestSignalsBesideReceipts(t *testing.T) {
	end := make(chan *outcome, 1)
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		end <- toolresult(t, "", "exec", "--", "sh", "-c", "echo important; : >"+begun+"; exec sleep 60")
	}()
	if _, err := os.ReadFile(begun); err != nil { // waits for the command to open it
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	(<-end).want(128+int(syscall.SIGUSR1), "Process killed by signal 10 (SIGUSR1)\nstdout:\nimportant")
}
