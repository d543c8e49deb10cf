package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/sidecar"
	"github.com/toolresult/toolresult/internal/systemd"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/rpc"
)

// ensure is for hosts of agents, which start nothing by themselves: it makes sure that one sidecar of this user runs. Package
// sidecar has the rule by which it is found and the lock by which one is started; here are the process that is started, and
// how it is asked whether it serves.

// Times of ensure that need no flag.
const (
	defaultPatience = 750 * time.Millisecond
	defaultIdleExit = 30 * time.Minute
	defaultWait     = 10 * time.Second
)

// ensureCommand returns `ensure`.
func ensureCommand() *cobra.Command {
	e := ensure{patience: defaultPatience}
	var output string
	cmd := &cobra.Command{
		Use: "ensure", Short: "Make sure that a sidecar of this user runs, and print its address", Args: cobra.NoArgs,
		Long: "Prints the address of the sidecar that docs/discovery.md finds. If none serves, it starts one that ends by itself, and waits\n" +
			"until it serves; of several at once one does. The settings of the sidecar are those of the environment and of its files.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := e.check(cmd); err != nil {
				return err
			}
			place, err := e.run(cmd.Context())
			if err != nil {
				return err
			}
			if output == formJSON {
				return printValue(cmd.OutOrStdout(), ensured{place.Address, e.logged})
			}
			return writeln(cmd.OutOrStdout(), place.Address)
		},
	}
	textOrJSON(cmd.Flags(), &output)
	cmd.Flags().DurationVar(&e.idleExit, "idle-exit", defaultIdleExit, "end the sidecar that is started after so long without calls; 0s is never")
	cmd.Flags().DurationVar(&e.patience, "patience", defaultPatience, "wait so long for the answer of one that runs (also TOOLRESULT_PATIENCE)")
	cmd.Flags().DurationVar(&e.wait, "wait", defaultWait, "wait so long for one that is starting")
	return cmd
}

// ensured is what `ensure --output json` prints.
type ensured struct {
	Address string `json:"address"` // a target of gRPC
	Started bool   `json:"started"` // by this call; else it served already, or another call started it
}

// ensure is one use of `ensure`.
type ensure struct {
	idleExit, patience, wait time.Duration
	idleExitGiven            bool
	logged                   bool // a sidecar was started, and has a log
}

// check returns the mistake in the flags, and takes the variable in the place of a flag that was not given.
func (e *ensure) check(cmd *cobra.Command) error {
	e.idleExitGiven = cmd.Flags().Changed("idle-exit")
	if text := os.Getenv("TOOLRESULT_PATIENCE"); text != "" && !cmd.Flags().Changed("patience") {
		patience, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("TOOLRESULT_PATIENCE %q: is not a duration with a unit, such as 750ms", text)
		}
		e.patience = patience
	}
	if e.patience <= 0 || e.wait <= 0 {
		return errors.New("--patience and --wait have to be more than 0s")
	}
	return nil
}

// run returns the place of a sidecar that serves.
func (e *ensure) run(ctx context.Context) (sidecar.Place, error) {
	names, err := sidecarNames()
	if err != nil {
		return sidecar.Place{}, err
	}
	ensurer := sidecar.Ensurer{
		Names: names, Serves: serves, Start: func() (<-chan error, error) { return e.start(names) },
		IsBusy: isBusy, Patience: e.patience, Wait: e.wait,
	}
	return ensurer.Ensure(ctx)
}

// serves returns nil when the sidecar at an address says that it makes results.
func serves(ctx context.Context, address string) error {
	options, err := (&credentialFlags{}).options(address)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(address, options...)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	answer, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: pb.ToolResultService_ServiceDesc.ServiceName})
	if err != nil {
		return errors.New(explain(err))
	}
	if status := answer.GetStatus(); status != healthpb.HealthCheckResponse_SERVING {
		return fmt.Errorf("it says %s, and its log says why", status)
	}
	return nil
}

// isBusy reports whether a sidecar did not start because another one has what it needs.
func isBusy(err error) bool {
	text := err.Error()
	return strings.Contains(text, rpc.ErrSocketInUse.Error()) || strings.Contains(text, artifactstore.ErrLocked.Error())
}

// start starts a sidecar: `serve` in a session of its own, with a log beside the socket, so that nothing of the caller ends it or
// waits for it. Its directory is that of the caller, as for `serve`: settings may have relative paths. The channel gets the last
// line of its log when it has ended.
func (e *ensure) start(names sidecar.Names) (<-chan error, error) {
	loaded, err := config.Load(nil, os.Environ())
	if err != nil {
		return nil, err
	}
	if err := loaded.Validate(); err != nil {
		return nil, err
	}
	log, err := e.openLog(filepath.Join(filepath.Dir(names.Socket), "toolresult.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, append([]string{"serve"}, e.flags(names, loaded)...)...)
	cmd.Args[0] = "toolresult" // a copy of the program can have the name of a shell
	cmd.Stderr = log
	cmd.Env = withoutVariables(os.Environ(), systemd.Variables()) // a manager of the caller has not started the sidecar
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := keepDescriptors(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		_ = cmd.Wait()
		ended <- errors.New(lastLine(log.Name()))
	}()
	return ended, nil
}

// withoutVariables returns an environment without some variables.
func withoutVariables(env, names []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}

// keepDescriptors has programs that are started from now on inherit no descriptors but 0 to 2. Those that a host has left open, such
// as the end of a pipe, would stay open for as long as the sidecar lives.
func keepDescriptors() error {
	list, err := os.ReadDir(descriptors)
	if err != nil {
		return fmt.Errorf("inherited descriptors: %w", err)
	}
	for _, entry := range list {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// flags returns the flags of serve for what the configuration does not say.
func (e *ensure) flags(names sidecar.Names, loaded *config.Loaded) []string {
	var flags []string
	if names.AddressFile != "" {
		flags = append(flags, "--address-file="+names.AddressFile)
	}
	if e.idleExitGiven || loaded.Origin("idle_exit") == "default" {
		flags = append(flags, "--idle-exit="+e.idleExit.String())
	}
	if loaded.Origin("log_level") == "default" { // nobody reads it but after a fault
		flags = append(flags, "--log-level=warn")
	}
	return flags
}

// openLog opens the log of a sidecar, a new one for the first. The one before keeps its lines under another name: they may say why
// that sidecar ended.
func (e *ensure) openLog(path string) (*os.File, error) {
	if !e.logged {
		if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	e.logged = true
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
}

// maxLastLine is how much of the end of a log is looked at, in bytes.
const maxLastLine = 4 << 10

// lastLine returns the last line of a log, without the name of the program that begins its errors.
func lastLine(path string) string {
	nothing := "it has said nothing in " + path
	f, err := os.Open(path)
	if err != nil {
		return nothing
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil {
		_, _ = f.Seek(max(0, info.Size()-maxLastLine), io.SeekStart)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxLastLine))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], "toolresult: ")
	if err != nil || last == "" {
		return nothing
	}
	return last
}
