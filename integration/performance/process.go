package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// server is a process that is measured: the sidecar or a floor.
type server struct {
	name   string
	dir    string // that it has for itself
	target string
	pid    int
	client pb.ToolResultServiceClient
	conn   *grpc.ClientConn
	end    func() error // ends the process
}

// startSidecar starts the sidecar with a directory that is made for it: its home, its socket and its store.
func (b *bench) startSidecar(name string, memory bool, flags ...string) (*server, error) {
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own descriptor
	store := filepath.Join(dir, "store")
	if memory {
		store = "memory"
	}
	s, err := sidecartest.Serve(sidecartest.Options{
		Binary: b.binary, Home: dir, Socket: filepath.Join(dir, "run", "s"), Store: store, Log: log, Env: b.env,
		Args: append([]string{"--log-level=info"}, flags...),
	})
	if err != nil {
		text, _ := os.ReadFile(log.Name()) // it says why
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return b.connect(&server{name: name, dir: dir, target: s.Target(), pid: s.PID(), end: s.Stop})
}

// startFloor starts this program as a floor. Paths of options are names in a directory that is made for it.
func (b *bench) startFloor(name string, o floorOptions) (*server, error) {
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	o.socket = filepath.Join(dir, "s")
	for _, path := range []*string{&o.log, &o.files, &o.copies} {
		if *path != "" {
			*path = filepath.Join(dir, *path)
		}
	}
	if o.files != "" {
		if err := os.Mkdir(o.files, 0o700); err != nil {
			return nil, err
		}
	}
	if o.copies != "" {
		o.copies = dir
	}
	cmd := exec.Command(b.self, o.args()...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	end := func() error {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // by the signal
		return nil
	}
	if err := waitForSocket(o.socket); err != nil {
		return nil, errors.Join(err, end())
	}
	return b.connect(&server{name: name, dir: dir, target: "unix://" + o.socket, pid: cmd.Process.Pid, end: end})
}

// patience is the time limit of a start and of the work that a server does after its last answer.
const patience = 30 * time.Second

func waitForSocket(path string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			return nil // it is there as soon as it listens
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no socket %s after %v", path, patience)
		}
	}
}

// connect gives a server a client: a stock one, the same for all.
func (b *bench) connect(s *server) (*server, error) {
	conn, err := grpc.NewClient(s.target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, errors.Join(err, s.end())
	}
	s.conn, s.client = conn, pb.NewToolResultServiceClient(conn)
	b.servers = append(b.servers, s)
	return s, nil
}

// stopAll ends the servers that were started, and removes what they wrote.
func (b *bench) stopAll() error {
	var errs []error
	for _, s := range b.servers {
		errs = append(errs, s.stop())
	}
	b.servers = nil
	return errors.Join(errs...)
}

func (s *server) stop() error { return errors.Join(s.conn.Close(), s.end(), os.RemoveAll(s.dir)) }

// newDir makes a directory for one server. Its name is short: the kernel takes 107 bytes for the path of a socket.
func (b *bench) newDir() (string, error) { return os.MkdirTemp(b.dir, "") }

// cpu returns the processor time of a process, with that of its threads that ended.
func (s *server) cpu() (time.Duration, error) {
	t, err := cpuOf(s.pid)
	if err != nil {
		return 0, fmt.Errorf("processor time of %s: %w", s.name, err)
	}
	return t, nil
}

// settle waits until a server has done what it does after its answers, and until nothing waits to be written to the disk. So
// no side pays for another one, and the processor time of a side is all that its calls cost.
func (b *bench) settle(s *server) error {
	const window, quiet = 20 * time.Millisecond, time.Millisecond / 2
	before, err := s.cpu()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; {
		time.Sleep(window)
		now, err := s.cpu()
		if err != nil {
			return err
		}
		if now-before < quiet {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s was still busy %v after its last answer", s.name, patience)
		}
		before = now
	}
	d, err := os.Open(b.dir)
	if err != nil {
		return err
	}
	defer d.Close() // of a directory
	return syncFileSystem(d)
}
