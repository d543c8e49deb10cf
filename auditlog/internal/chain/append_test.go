package chain

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
)

// TestFailedCommitAppendsNothing: an error that leaves no doubt passes, and the next append works.
func TestFailedCommitAppendsNothing(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	for _, want := range []error{errInjected, auditlog.ErrFull, auditlog.ErrReadOnly} {
		l.b.onCommit = func([]*Append) error { return want }
		r := rejection()
		_, err := l.Append(t.Context(), r)
		wantErr(t, err, want)
		if h, _ := l.Head(t.Context()); h.Sequence != 0 || r.GetSequence() != 0 || l.Status().Failure != nil {
			t.Errorf("%v: head %+v, record %v, %v", want, h, r, l.Status().Failure)
		}
	}
	l.b.onCommit = nil
	l.append(t, 1)
	audittest.WantIntact(t, l, 1)
}

// TestFailureIsFinal: after an ErrFailed or a panic nothing is appended, and the reason stays.
func TestFailureIsFinal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(appends []*Append) error
		says string
	}{
		"commit": {func([]*Append) error { return auditlog.ErrFailed }, ""},
		"one append": {func(appends []*Append) error {
			appends[0].Err, appends[0].Rows = auditlog.ErrFailed, nil
			return nil
		}, ""},
		"panic": {func([]*Append) error { panic("out of bounds") }, "out of bounds"},
	} {
		l := newFixture(t, &memory{})
		l.append(t, 2)
		l.b.onCommit = c.do
		_, err := l.Append(t.Context(), rejection())
		wantErr(t, err, auditlog.ErrFailed)
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		l.b.onCommit = func([]*Append) error {
			t.Errorf("%s: a failed log commits", name)
			return nil
		}
		for range 2 {
			_, err = l.Append(t.Context(), rejection())
			wantErr(t, err, auditlog.ErrFailed)
		}
		wantErr(t, l.Status().Failure, auditlog.ErrFailed)
		if n := strings.Count(l.logged.String(), "takes no more records"); n != 1 {
			t.Errorf("%s: logged %d times", name, n)
		}
		if _, err := l.Get(t.Context(), 2); err != nil {
			t.Errorf("%s: reading: %v", name, err)
		}
		audittest.WantIntact(t, l, 2)
	}
}

// TestCallersShareCommits blocks a commit: all callers that come meanwhile share the next, and OnCommit reports both.
func TestCallersShareCommits(t *testing.T) {
	t.Parallel()
	type commit struct {
		calls  int
		waited time.Duration
	}
	var commits []commit
	entered, goOn := make(chan struct{}, 9), make(chan struct{})
	b := &memory{onCommit: func([]*Append) error {
		entered <- struct{}{}
		<-goOn
		return nil
	}}
	l := newFixture(t, b, func(o *Options) {
		o.OnCommit = func(calls int, waited, took time.Duration) { commits = append(commits, commit{calls, waited}) }
	})
	var callers sync.WaitGroup
	call := func() {
		callers.Go(func() {
			if _, err := l.Append(context.Background(), rejection()); err != nil {
				t.Error(err)
			}
		})
	}
	call()
	<-entered
	for range 5 {
		call()
	}
	for l.Status().Waiting < 5 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	close(goOn)
	callers.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	calls := 0
	for i, c := range commits {
		calls += c.calls
		if i > 0 && c.waited < 20*time.Millisecond {
			t.Errorf("commit %d waited %s", i, c.waited)
		}
	}
	if calls != 6 || commits[0].calls != 1 || len(commits) > 3 {
		t.Errorf("commits of %v", commits)
	}
	if s := l.Status(); s.LastCommit <= 0 || s.Records != 6 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
}

// TestOnlyRemoteCallersLeave cancels a call whose append has begun.
func TestOnlyRemoteCallersLeave(t *testing.T) {
	t.Parallel()
	for _, remote := range []bool{false, true} {
		entered, goOn := make(chan struct{}), make(chan struct{})
		b := &memory{onCommit: func([]*Append) error {
			entered <- struct{}{}
			<-goOn
			return nil
		}}
		l := newFixture(t, b, func(o *Options) { o.Remote = remote })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := l.Append(ctx, rejection())
			ended <- err
		}()
		<-entered
		cancel()
		if remote {
			err := <-ended
			wantErr(t, err, context.Canceled)
			if !strings.Contains(err.Error(), "not known") {
				t.Error(err)
			}
			close(goOn)
		} else {
			select {
			case err := <-ended:
				t.Errorf("it left: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			close(goOn)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if b.end().Sequence != 1 {
			t.Errorf("remote %v: the append did not go on", remote)
		}
	}
}

// TestCancelledCallIsNotSubmitted cancels a call that waits for the worker.
func TestCancelledCallIsNotSubmitted(t *testing.T) {
	t.Parallel()
	entered, goOn := make(chan struct{}), make(chan struct{})
	b := &memory{onCommit: func([]*Append) error {
		entered <- struct{}{}
		<-goOn
		return nil
	}}
	l := newFixture(t, b)
	var first sync.WaitGroup
	first.Go(func() { l.append(t, 1) })
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := l.Append(ctx, rejection())
	wantErr(t, err, context.DeadlineExceeded)
	close(goOn)
	first.Wait()
	if b.end().Sequence != 1 {
		t.Errorf("%d records", b.end().Sequence)
	}
}

// TestCloseFinishesWhatWasBegun closes a log during a commit: Stop is called at once, Close of the backend afterwards.
func TestCloseFinishesWhatWasBegun(t *testing.T) {
	t.Parallel()
	entered, stopped := make(chan struct{}), make(chan struct{})
	b := &memory{stopped: func() { close(stopped) }}
	b.onCommit = func([]*Append) error {
		close(entered)
		<-stopped
		return nil
	}
	l := newFixture(t, b)
	var call sync.WaitGroup
	call.Go(func() { l.append(t, 1) })
	<-entered
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	call.Wait()
	_, err := l.Append(t.Context(), rejection())
	wantErr(t, err, auditlog.ErrClosed)
	wantErr(t, l.flush(t.Context()), auditlog.ErrClosed)
	if !b.closed || b.end().Sequence != 1 {
		t.Errorf("closed %v, %d records", b.closed, b.end().Sequence)
	}
}

func TestAppendNamesTheInvalidRecord(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	bad := rejection()
	bad.ToolName = "\xff"
	_, err := l.Append(t.Context(), rejection(), bad)
	wantErr(t, err, auditlog.ErrInvalidRecord)
	if !strings.Contains(err.Error(), "record 2 of 2") {
		t.Error(err)
	}
}

func TestCloseReturnsTheErrorOfTheBackend(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{closeErr: errInjected})
	for range 2 {
		wantErr(t, l.Close(), errInjected)
	}
}
