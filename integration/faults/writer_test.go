//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// What a writer process is told.
const (
	storeVar = "TOOLRESULT_FAULTS_STORE"
	seedVar  = "TOOLRESULT_FAULTS_SEED"
)

// play is what the test binary does when it is another process. What it writes to standard output goes to a
// file outside of the store under test:
//
//	opening              before the store is opened
//	opened               the store is open
//	NAME DIGEST SIZE     this artifact was acknowledged
//	failed TEXT          a put was refused
//	end                  everything was done
func play(role string) int {
	var err error
	switch role {
	case "writer":
		err = writeForEver()
	case "collector":
		err = collectForEver()
	case "client":
		err = uploadForEver()
	case "steps":
		err = writeStepByStep()
	case "recorder":
		err = recordStepByStep()
	default:
		err = fmt.Errorf("no role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// player is a command that runs the test binary in a role. Its acknowledgements are appended to the file.
func player(t testing.TB, role, acks string, env ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Env = append(cmd.Env, env...)
	out, err := os.OpenFile(acks, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(t, err)
	t.Cleanup(func() { _ = out.Close() })
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	return cmd
}

// writeForEver puts artifacts of all sizes in all ways, several at a time, until the process is killed.
func writeForEver() error {
	seed, err := strconv.ParseUint(os.Getenv(seedVar), 10, 64)
	if err != nil {
		return err
	}
	fmt.Println("opening")
	d, err := dir.Open(os.Getenv(storeVar), dir.Options{})
	if err != nil {
		return err
	}
	fmt.Println("opened")
	var failed sync.Once
	var writers sync.WaitGroup
	for worker := range uint64(4) {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(seed, worker))
			for {
				ref, err := put(d, random.IntN(3), payload(random))
				if err != nil {
					failed.Do(func() { fmt.Println("failed", err) })
					return
				}
				fmt.Println(ack(ref))
			}
		})
	}
	writers.Wait()
	return io.ErrUnexpectedEOF
}

// ack is the line of an acknowledgement. One system call writes it.
func ack(ref artifactstore.Ref) string { return fmt.Sprint(ref.Name, " ", ref.Digest, " ", ref.Size) }

// payload is mostly small; one in sixteen fills several chunks, and some of these have an index.
func payload(random *rand.Rand) []byte {
	size := 1 + random.IntN(4000)
	if random.IntN(16) == 0 {
		size = 1 + random.IntN(1_400_000)
	}
	b := bytes.Repeat([]byte(fmt.Sprintf("%016x\n", random.Uint64())), size/17+1)
	return b[:size]
}

// put stores b in one of the three ways.
func put(d *dir.Store, way int, b []byte) (artifactstore.Ref, error) {
	switch way {
	case 0:
		return d.Put(context.Background(), artifactstore.BytesBlob(b))
	case 1:
		return d.Put(context.Background(), source(b))
	}
	st, err := d.Stage(context.Background())
	if err != nil {
		return artifactstore.Ref{}, err
	}
	defer st.Discard() // what was put stays
	for half := range [2]int{} {
		if _, err := st.Write(b[half*len(b)/2 : (half+1)*len(b)/2]); err != nil {
			return artifactstore.Ref{}, err
		}
	}
	blob, err := st.Seal()
	if err != nil {
		return artifactstore.Ref{}, err
	}
	return d.Put(context.Background(), blob)
}

// source is a blob that has to be read.
type source []byte

func (s source) Size() int64                  { return int64(len(s)) }
func (s source) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s)), nil }

// writeStepByStep makes a store, puts each kind of artifact once, opens the store again and puts one more. It
// stays on one thread, so that the n-th system call of a kind is the same one in every run. A put that is
// refused is tried once more: what is injected is a single fault.
func writeStepByStep() error {
	runtime.LockOSThread()
	random := rand.New(rand.NewPCG(7, 7))
	large := bytes.Repeat([]byte("large\n"), 200_000) // has an index
	first := [][]byte{payload(random)[:1], large[:300_000], []byte("staged"), large, []byte("staged")}
	for _, batch := range [][][]byte{first, {[]byte("later")}} {
		fmt.Println("opening")
		d, err := open(os.Getenv(storeVar))
		if err != nil {
			return err
		}
		fmt.Println("opened")
		for way, b := range batch {
			ref, err := put(d, way%3, b)
			if err != nil {
				fmt.Println("failed", err)
				if ref, err = put(d, way%3, b); err != nil {
					return err
				}
			}
			fmt.Println(ack(ref))
		}
		if err := d.Close(); err != nil {
			fmt.Println("failed", err)
		}
	}
	fmt.Println("end")
	return nil
}

// open opens a store, and tries once more.
func open(root string) (*dir.Store, error) {
	d, err := dir.Open(root, dir.Options{})
	if err != nil {
		fmt.Println("failed", err)
		return dir.Open(root, dir.Options{})
	}
	return d, nil
}
