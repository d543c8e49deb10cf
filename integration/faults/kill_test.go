//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roundsPerStore bounds the artifacts that are verified in each round: after so many rounds a new store is begun.
const roundsPerStore = 25

// TestKilledAtRandom is K01: a process that puts artifacts is killed at a random time, again and again, in a
// store that it finds as the kill before left it.
func TestKilledAtRandom(t *testing.T) {
	leg(t)
	rounds, started := share(t, roundsVar, 160, 30), 0
	killRounds(t, rounds, verify, func(root, acks string, round int) {
		cmd := player(t, "writer", acks, storeVar+"="+root, fmt.Sprintf("%s=%d", seedVar, round))
		must(t, cmd.Start())
		killAfterRandom(t, cmd, acks, round)
		if len(acksOf(t, acks)) > 1 {
			started++
		}
	})
	if started < rounds/3 {
		t.Errorf("only %d of %d writers came to work: the kills prove nothing", started, rounds)
	}
}

// killRounds has a process work in a store and killed, again and again; look verifies the store after each.
func killRounds(t *testing.T, rounds int, look func(testing.TB, string, []string) found, kill func(root, acks string, round int)) {
	t.Helper()
	began, all := time.Now(), found{}
	var root string
	var acked []string
	for round := range rounds {
		if round%roundsPerStore == 0 {
			must(t, os.RemoveAll(root))
			root, acked = filepath.Join(shortDir(t), "store"), nil
		}
		acks := filepath.Join(t.TempDir(), "acks")
		kill(root, acks, round)
		got := acksOf(t, acks)
		wantNoFailure(t, got)
		acked = append(acked, got...)
		all.after(got, look(t, root, acked))
		if t.Failed() {
			t.Fatalf("round %d; the store is %s", round, root)
		}
	}
	if all.acked+all.records < rounds {
		t.Errorf("only %d acknowledgements in %d rounds: the kills prove nothing", all.acked+all.records, rounds)
	}
	total(t, tally{kills: rounds, found: all, took: time.Since(began)})
}

// killAfterRandom kills a writer at a random time: every third at any time from its start, the others some time
// after it has opened its store.
func killAfterRandom(t *testing.T, cmd *exec.Cmd, acks string, round int) {
	t.Helper()
	if round%3 != 0 {
		waitFor(t, "the writer to open its store", func() bool { return len(acksOf(t, acks)) > 1 })
	}
	time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it reports the signal
}

// wantNoFailure checks that no put was refused: nothing was wrong but the kill.
func wantNoFailure(t testing.TB, acks []string) {
	t.Helper()
	for _, line := range acks {
		if strings.HasPrefix(line, "failed") {
			t.Errorf("the writer says %q", line)
		}
	}
}

func countAcks(acks []string) (n int) {
	for _, line := range acks {
		if strings.Contains(line, " blake3:") && !isRecord(line) {
			n++
		}
	}
	return n
}

// TestSidecarKilledAtRandom is K01 through the sidecar, with everything that it does at once: clients project in one
// message and in streams, artifacts and old records are deleted, and the sidecar is killed. What was answered is there,
// artifact and record; what was asked is asked again of the next one.
func TestSidecarKilledAtRandom(t *testing.T) {
	leg(t)
	c := &crowd{}
	killRounds(t, share(t, roundsVar, 40, 20), verifyBooks, func(root, acks string, round int) {
		c.work(t, root, acks, round, func(s *sidecar) {
			workAWhile(t, acks, round)
			s.Signal(syscall.SIGKILL)
		})
	})
}

// workAWhile lets clients work: every third round for any time, the others for some time after a few answers.
func workAWhile(t *testing.T, acks string, round int) {
	t.Helper()
	if enough := 1 + rand.IntN(6); round%3 != 0 {
		waitFor(t, "answers", func() bool { return len(acksOf(t, acks)) >= enough })
	}
	time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
}
