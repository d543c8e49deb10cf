package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zeebo/blake3"
)

// roundsPerStore bounds the artifacts that are verified in each round: after so many rounds a new store is begun.
const roundsPerStore = 25

// TestKilledAtRandom is K01: a process that puts artifacts is killed at a random time, again and again, in a
// store that it finds as the kill before left it.
func TestKilledAtRandom(t *testing.T) {
	leg(t)
	rounds, started := count(t, roundsVar, 300)*4/5, 0 // the sidecar has the others
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
	if all.acked < rounds {
		t.Errorf("only %d acknowledgements in %d rounds: the kills prove nothing", all.acked, rounds)
	}
	total(t, "%d kills, %d acknowledged, %d lost, %d torn, %v", rounds, all.acked, all.lost, all.torn, time.Since(began).Round(time.Second))
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
		if strings.Contains(line, " blake3:") {
			n++
		}
	}
	return n
}

// TestSidecarKilledAtRandom is K01 through the sidecar: clients project in one message and in streams and write
// down what was answered, and the sidecar is killed.
func TestSidecarKilledAtRandom(t *testing.T) {
	leg(t)
	killRounds(t, count(t, roundsVar, 300)/5, verify, func(root, acks string, round int) {
		projectUntilKilled(t, root, acks, uint64(round))
	})
}

// projectUntilKilled runs a sidecar for a random time, with three clients.
func projectUntilKilled(t *testing.T, root, acks string, seed uint64) {
	t.Helper()
	s := startSidecar(t, launch{store: root, killed: true})
	file, err := os.OpenFile(acks, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(t, err)
	defer func() { must(t, file.Close()) }()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var clients sync.WaitGroup
	for client := range uint64(3) {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(seed, client))
			for {
				text := strings.Repeat(fmt.Sprintf("%d of client %d\n", random.Uint64(), client), 300+random.IntN(6_000))
				way := s.inOneMessage
				if client == 0 {
					way = s.inAStream
				}
				answer, err := way(ctx, text)
				if err != nil {
					return // the sidecar was killed
				}
				if _, err := fmt.Fprintln(file, ackOfPath(artifactOf(answer), text)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	time.Sleep(20*time.Millisecond + time.Duration(rand.IntN(120_000))*time.Microsecond)
	s.signal(t, syscall.SIGKILL)
	s.wait(t)
	clients.Wait()
}

// ackOfPath is the line of an acknowledgement of the text at a path.
func ackOfPath(path, text string) string {
	name := filepath.Base(filepath.Dir(path))[:2] + filepath.Base(path)
	return fmt.Sprintf("%s blake3:%x %d", name, blake3.Sum256([]byte(text)), len(text))
}
