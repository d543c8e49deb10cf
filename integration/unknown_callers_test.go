package integration_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// unknownCallersMemory is what the memory of the sidecar may grow by, whatever unknown callers do, as docs/reference/limits.md says.
const unknownCallersMemory = 16 << 20

// dialer connects to a sidecar.
type dialer func() (net.Conn, error)

// plain connects over TCP.
func plain(address string) dialer {
	return func() (net.Conn, error) { return net.Dial("tcp", address) }
}

// sealed connects with TLS.
func sealed(address string, rules *tls.Config) dialer {
	return func() (net.Conn, error) {
		return tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", address, rules)
	}
}

// floods are what unknown callers send over TCP, on a connection of their own each.
func floods() map[string]func(t testing.TB, dial dialer) {
	return map[string]func(t testing.TB, dial dialer){
		"silence": func(_ testing.TB, dial dialer) {
			if conn, err := dial(); err == nil {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}
		},
		"messages without a token": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				f.begin(t, pb.ToolResultService_Project_FullMethodName)
				return body(f)
			})
		},
		"a large message to the health of all": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				f.begin(t, "/grpc.health.v1.Health/Check")
				return body(f)
			})
		},
		"calls without end": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				for {
					f.begin(t, pb.ToolResultService_ProjectStream_FullMethodName)
					if err := f.WritePing(true, [8]byte{}); err != nil { // begin does not say that the connection is closed
						return err
					}
				}
			})
		},
		"frames before the first call": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				for i := uint32(1); ; i += 2 {
					err := errors.Join(
						f.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1 << 30}), f.WritePing(false, [8]byte{}),
						f.WritePriority(i, http2.PriorityParam{Weight: 9}), f.WriteWindowUpdate(0, 1), f.WriteRawFrame(0xfe, 0, 0, make([]byte, 16<<10)))
					if err != nil {
						return err
					}
				}
			})
		},
		"calls that are reset": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				for {
					f.begin(t, pb.ToolResultService_Project_FullMethodName, "authorization", "Bearer wrong")
					if err := f.WriteRSTStream(f.last, http2.ErrCodeCancel); err != nil {
						return err
					}
				}
			})
		},
		"empty CONTINUATION frames": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error { return continued(f, nil) })
		},
		"headers without end": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				return continued(f, append([]byte{0x40, 1, 'x', 0x7f, 0xff, 0x7f}, make([]byte, 16000)...))
			})
		},
		"headers that unpack": func(t testing.TB, dial dialer) { // one of 4,000 bytes is remembered, and said again with a byte
			flood(t, dial, func(f *frames) error {
				block := append(append([]byte{0x40, 1, 'x', 0x7f, 0xa1, 0x1e}, make([]byte, 4000)...), bytes.Repeat([]byte{0xbe}, 12000)...)
				if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block}); err != nil {
					return err
				}
				for {
					if err := f.WriteContinuation(1, false, bytes.Repeat([]byte{0xbe}, 16000)); err != nil {
						return err
					}
				}
			})
		},
		"a byte at a time": func(t testing.TB, dial dialer) {
			flood(t, dial, func(f *frames) error {
				f.begin(t, pb.ToolResultService_Project_FullMethodName)
				for {
					if err := f.WriteData(f.last, false, []byte{0}); err != nil {
						return err
					}
				}
			})
		},
	}
}

// continued goes on with headers without end.
func continued(f *frames, block []byte) error {
	if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x83}}); err != nil {
		return err
	}
	for {
		if err := f.WriteContinuation(1, false, block); err != nil {
			return err
		}
	}
}

// flood sends until the connection ends.
func flood(t testing.TB, dial dialer, send func(*frames) error) {
	conn, err := dial()
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	f := &frames{Framer: http2.NewFramer(conn, conn), conn: conn, block: &bytes.Buffer{}}
	f.encoder = hpack.NewEncoder(f.block)
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil || f.WriteSettings() != nil {
		return
	}
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	_ = send(f)
}

// body sends a message of just under 4 MiB on the last stream, and goes on.
func body(f *frames) error {
	data := append([]byte{0, 0, 0x3f, 0, 0}, make([]byte, 16<<10-5)...)
	for {
		if err := f.WriteData(f.last, false, data); err != nil {
			return err
		}
	}
}

// TestUnknownCallersInBoundedMemory floods the TCP listener from 96 connections at a time, each replaced as soon as it ends. It
// compares the anonymous pages of the sidecar during 1,000 calls of the owner with those of the same calls before. A low GOGC keeps
// garbage small, which a busy machine collects late.
func TestUnknownCallersInBoundedMemory(t *testing.T) {
	needAlone(t)
	ours := newSigner(t, "ours")
	cert, key := ours.pair(t, "sidecar")
	for name, flags := range map[string][]string{"plain": nil, "TLS": {"--tls-cert", cert, "--tls-key", key}} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, launch{Env: []string{"GOGC=10"}, Args: append([]string{"--tcp", "127.0.0.1:0", "--token-file", tokenFile(t, 0o600)}, flags...)})
			at := []string{s.TCP}
			if flags != nil {
				at = append(at, ours.file)
			}
			before := s.memoryDuring(t, ownerCalls)
			end, began := storm(t, at...), s.processorTime(t)
			after := s.memoryDuring(t, ownerCalls)
			used := s.processorTime(t) - began
			t.Logf("%s; from %d to %d KiB, %v of a processor", end(), before>>10, after>>10, used)
			if after-before > unknownCallersMemory {
				t.Errorf("unknown callers take %d KiB", (after-before)>>10)
			}
		})
	}
}

// stormAt is how a process is asked to flood: the address, and the file of the signer where it is to use TLS, too.
const stormAt = "TOOLRESULT_STORM"

// TestStorm is the process that floods, so that what they take of the processors is not taken from the client of the owner. It ends
// when its parent closes its input.
func TestStorm(t *testing.T) {
	at := os.Getenv(stormAt)
	if at == "" {
		t.Skip("skipped: it is a process of other tests")
	}
	address, signer, _ := strings.Cut(at, " ")
	dialers := []dialer{plain(address)}
	if signer != "" {
		pem, err := os.ReadFile(signer)
		rules := &tls.Config{RootCAs: x509.NewCertPool(), NextProtos: []string{"h2"}}
		if err != nil || !rules.RootCAs.AppendCertsFromPEM(pem) {
			t.Fatalf("%s: %v", signer, err)
		}
		dialers = append(dialers, sealed(address, rules))
	}
	attacks := floods()
	names := slices.Sorted(maps.Keys(attacks))
	var over atomic.Bool
	var count atomic.Int64
	for i := range 96 {
		attack, dial := attacks[names[i%len(names)]], dialers[i/len(names)%len(dialers)]
		go func() {
			for !over.Load() {
				attack(t, dial)
				count.Add(1)
			}
		}()
	}
	fmt.Println("it begins")
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Printf("%d connections of unknown callers\n", count.Load())
	os.Exit(0) // those who are silent wait for an answer
}

// storm floods a sidecar from a process that has one processor, until end is called, which returns what it says.
func storm(t testing.TB, at ...string) (end func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestStorm$")
	cmd.Env = append(os.Environ(), stormAt+"="+strings.Join(at, " "), "GOMAXPROCS=1", "TOOLRESULT_BINARY="+binary)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(output)
	if _, err := said.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return func() string {
		_ = input.Close()
		line, _ := said.ReadString('\n')
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return strings.TrimSpace(line)
	}
}

// ownerCalls is how many calls the owner makes alone, and among unknown callers.
const ownerCalls = 1000

// memoryDuring makes calls of the owner and returns the 90th percentile of the memory after each, in bytes.
func (s *sidecar) memoryDuring(t *testing.T, calls int) int64 {
	t.Helper()
	output, measured := completed(0, numbered(2000)), make([]int64, calls)
	for i := range measured {
		s.project(t, output)
		measured[i] = s.memory(t, "RssAnon")
	}
	slices.Sort(measured)
	return measured[calls*9/10]
}

// TestRightTokenIsServedAmongUnknownCallers: while others send nothing, or wrong tokens, who has the right one is served over TCP.
func TestRightTokenIsServedAmongUnknownCallers(t *testing.T) {
	t.Parallel()
	s := startTCP(t)
	for range 100 {
		dialRaw(t, "tcp", s.TCP)
		_, err := pb.NewToolResultServiceClient(dial(t, s.TCP)).GetServerInfo(bearing(t.Context(), "wrong"), &pb.GetServerInfoRequest{})
		if err == nil {
			t.Fatal("a wrong token is served")
		}
	}
	if _, err := pb.NewToolResultServiceClient(dial(t, s.TCP)).GetServerInfo(bearing(t.Context(), secret), &pb.GetServerInfoRequest{}); err != nil {
		t.Error(err)
	}
}

// TestMessagesOfUnknownCallersAreAnswered: a client that sends a large message with a wrong token, and does not read before it has sent
// what it may, reads the status all the same.
func TestMessagesOfUnknownCallersAreAnswered(t *testing.T) {
	t.Parallel()
	s := startTCP(t)
	for range 20 {
		f := dialFrames(t, "tcp", s.TCP)
		f.begin(t, pb.ToolResultService_Project_FullMethodName, "authorization", "Bearer wrong")
		f.message(0, make([]byte, 40<<10), false) // the window of a client that has read nothing has 64 KiB
		time.Sleep(5 * time.Millisecond)
		if e := f.answer(t); e.headers["grpc-status"] != fmt.Sprint(int(codes.Unauthenticated)) {
			t.Errorf("the answer is %+v", e)
		}
		_ = f.conn.Close()
	}
}

// TestPreauthHasTheSettingsOfGrpc: a client is told the same twice, first before it is known and then by gRPC.
func TestPreauthHasTheSettingsOfGrpc(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	f := dialFrames(t, "unix", s.Socket)
	settings := func() (list []http2.Setting) {
		frame, err := f.ReadFrame()
		said, ok := frame.(*http2.SettingsFrame)
		if err != nil || !ok || said.IsAck() {
			t.Fatalf("%v, %v", frame, err)
		}
		_ = said.ForeachSetting(func(one http2.Setting) error { list = append(list, one); return nil })
		return list
	}
	first := settings()
	f.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName)
	if again := settings(); len(first) < 4 || !slices.Equal(first, again) {
		t.Errorf("Preauth says %v, and gRPC %v", first, again)
	}
}

// BenchmarkOwnerAmongUnknownCallers compares how long calls of the owner take alone with how long they take among unknown callers, who have one
// processor. It says the 50th and the 99th of a hundred of both, and their ratios.
func BenchmarkOwnerAmongUnknownCallers(b *testing.B) {
	s := startSidecar(b, launch{Args: []string{"--tcp", "127.0.0.1:0", "--token-file", tokenFile(b, 0o600)}})
	output := completed(0, numbered(200))
	measure := func() (took []time.Duration) {
		for range max(b.N, 2000) {
			began := time.Now()
			if _, err := s.Project(b.Context(), output); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
			time.Sleep(time.Millisecond) // an owner who has something else to do
		}
		slices.Sort(took)
		return took
	}
	measure()
	alone := measure()
	end := storm(b, s.TCP)
	among := measure()
	b.Log(end())
	for _, percent := range []int{50, 99} {
		before, after := alone[len(alone)*percent/100], among[len(among)*percent/100]
		b.ReportMetric(float64(before.Microseconds()), fmt.Sprintf("us-p%d-alone", percent))
		b.ReportMetric(float64(after.Microseconds()), fmt.Sprintf("us-p%d-among", percent))
		b.ReportMetric(float64(after)/float64(before), fmt.Sprintf("p%d-ratio", percent))
	}
}
