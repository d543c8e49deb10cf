package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	client "github.com/toolresult/toolresult/clients/go"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/privatedir"
	"github.com/toolresult/toolresult/redact"
)

// A hook is a program that an agent host runs before or after a tool. It must never be the reason that a host does not work:
// whatever fails, this command prints nothing, which every host takes for "no change", and ends with 0.

// hookCommand returns `hook`.
func hookCommand() *cobra.Command {
	h := hook{}
	cmd := &cobra.Command{
		Use: "hook HOST", Short: "Answer a hook of an agent host, with the host's JSON on stdin", Args: cobra.ExactArgs(1),
		Long: "Reads the JSON that an agent host gives to a hook, and prints the JSON that the host takes, or nothing. After a tool " +
			"a large result becomes a receipt, and secrets of a shorter one are replaced (TOOLRESULT_REDACT=off); before a tool the command runs through `toolresult shell`; a prompt says what the agent " +
			"looks for, by which its next receipts are made. Where no sidecar runs, one is started, as `toolresult ensure` does. The exit " +
			"code is always 0.\n\n" +
			"`toolresult install HOST` writes the settings that run it. Hosts: claude-code, gemini-cli, codex, copilot-cli, opencode, pi.",
		RunE: func(cmd *cobra.Command, args []string) error {
			h.target.running, h.target.ensured = true, &starting{}
			out, err := h.answer(cmd.Context(), hooks.Host(args[0]), cmd.InOrStdin())
			if h.explain && err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "toolresult:", explain(err))
			}
			_, _ = cmd.OutOrStdout().Write(out) // a host that has gone reads nothing
			return nil
		},
	}
	cmd.Flags().BoolVar(&h.reads, "reads", false, "make receipts also of files that the model reads whole")
	cmd.Flags().BoolVar(&h.allow, "allow", false, "before a tool: allow the command, whatever the rules of the host's user say")
	cmd.Flags().BoolVar(&h.explain, "explain", false, "say on stderr why a result is left alone")
	cmd.Flags().DurationVar(&h.patience, "patience", 0, "wait so long for a sidecar that says nothing (default: "+patienceVariable+", or 750ms)")
	h.policy.flags(cmd.Flags())
	h.target.flags(cmd.Flags())
	if err := cmd.Flags().Set("max-tokens", "900"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// hook is one use of `hook`.
type hook struct {
	reads, allow, explain bool
	patience              time.Duration
	policy                policyFlags
	target                target
}

// Times of a hook, for which its host waits.
const (
	// hookLimit is how long all of it may take, also with a sidecar that works. Hosts end a hook after 10 s.
	hookLimit = 8 * time.Second
	// startPatience is how long a sidecar is waited for that is only starting.
	startPatience = 4 * time.Second
	// perMiBAtEnd is the time of a sidecar for each MiB that it was sent, to make the receipt.
	perMiBAtEnd = 10 * time.Millisecond
)

// errLeftAlone says why a hook does nothing although nothing failed.
var errLeftAlone = errors.New("left alone: it is short, failed, is a receipt, or has a form that is not known")

// maxHookInput is the largest payload of a hook that is read, in bytes.
const maxHookInput = 64 << 20

// recent is the age up to which a file that the host wrote for this result is taken for one.
const recent = 10 * time.Minute

// answer returns what the hook prints; nil, and mostly the reason, when the host goes on as without us.
func (h *hook) answer(ctx context.Context, host hooks.Host, stdin io.Reader) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, max(hookLimit, patienceOr(h.patience, defaultPatience)))
	defer cancel()
	payload, err := payloadInTime(ctx, stdin)
	if err != nil {
		return nil, err
	}
	if hooks.IsBefore(payload) {
		return h.before(host, payload)
	}
	if focus, ok := hooks.Prompt(payload); ok {
		if focus == "" {
			return nil, errLeftAlone
		}
		return nil, h.setFocus(ctx, focus)
	}
	out, err = h.after(ctx, host, payload)
	if out != nil || !isRedacting() {
		return out, err
	}
	clean, failed := hooks.Clean(host, payload, func(text []byte) ([]byte, bool) {
		plain, found, err := redact.Whole(ctx, redact.Options{Patterns: redact.BuiltIn()}, text)
		return plain, err == nil && len(found) > 0
	})
	return clean, cmp.Or(err, failed)
}

// after returns the receipt of a result, as the host takes it.
func (h *hook) after(ctx context.Context, host hooks.Host, payload []byte) ([]byte, error) {
	r, err := hooks.After(host, payload, hooks.Options{Reads: h.reads, Regular: isOwnFile, Written: isWrittenByHost})
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errLeftAlone
	}
	receipt, err := h.receiptInTime(ctx, r)
	if err != nil {
		return nil, err
	}
	return r.Reply(receipt)
}

// payloadInTime returns what the host writes, or an error when ctx ends first: a host may leave its end of the pipe open. The reading
// goroutine ends with the process.
func payloadInTime(ctx context.Context, stdin io.Reader) ([]byte, error) {
	type input struct {
		payload []byte
		err     error
	}
	whole := make(chan input, 1)
	go func() {
		var i input
		i.payload, i.err = readPayload(stdin)
		whole <- i
	}()
	select {
	case i := <-whole:
		return i.payload, i.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the payload did not end: %w", ctx.Err())
	}
}

// readPayload returns the payload. One longer than maxHookInput is read to its end and discarded, because a host may fail if its pipe is not
// drained.
func readPayload(stdin io.Reader) ([]byte, error) {
	payload, err := io.ReadAll(io.LimitReader(stdin, maxHookInput+1))
	if err != nil {
		return nil, err
	}
	if len(payload) <= maxHookInput {
		return payload, nil
	}
	_, err = io.Copy(io.Discard, stdin)
	return nil, errors.Join(fmt.Errorf("the payload has more than %d bytes", maxHookInput), err)
}

// before returns the rewritten command.
func (h *hook) before(host hooks.Host, payload []byte) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return hooks.Before(host, payload, program, h.allow)
}

// isOwnFile reports whether a path is a regular file of this user, and no link.
func isOwnFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && privatedir.IsOurs(info)
}

// isWrittenByHost reports whether a path is a file of this user that was written just now in the directory for temporary files itself,
// where hosts keep outputs. No tool can name another file of the user, such as one of a repository below it.
func isWrittenByHost(path string) bool {
	there, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false
	}
	temporary, err := os.Stat(os.TempDir())
	if err != nil || !os.SameFile(there, temporary) {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && privatedir.IsOurs(info) && time.Since(info.ModTime()) < recent
}

// watch gives a sidecar up that says nothing for as long as the patience lasts. What it does is progress: it is found, and takes bytes.
type watch struct{ progress chan time.Duration }

// moved notes progress, after which the sidecar is waited for so long.
func (w watch) moved(patience time.Duration) {
	select {
	case w.progress <- patience:
	default: // the one before is not read yet
	}
}

// receiptInTime returns the receipt of a result, or an error when the patience, or ctx, is over. The goroutine that waits for a sidecar
// ends with the process.
func (h *hook) receiptInTime(ctx context.Context, r *hooks.Result) (string, error) {
	patience := patienceOr(h.patience, defaultPatience)
	type answer struct {
		receipt string
		err     error
	}
	answered := make(chan answer, 1)
	w := watch{make(chan time.Duration, 1)}
	go func() {
		var a answer
		a.receipt, a.err = h.ask(ctx, r, w, patience)
		answered <- a
	}()
	timer := time.NewTimer(max(patience, startPatience))
	defer timer.Stop()
	for {
		select {
		case a := <-answered:
			return a.receipt, a.err
		case next := <-w.progress:
			timer.Reset(next)
		case <-timer.C:
			return "", fmt.Errorf("the sidecar has said nothing for %v", patience)
		case <-ctx.Done():
			return "", fmt.Errorf("no receipt within %v", hookLimit)
		}
	}
}

// ask finds a sidecar, or starts one, and returns its receipt.
func (h *hook) ask(ctx context.Context, r *hooks.Result, w watch, patience time.Duration) (receipt string, err error) {
	where, err := h.target.find(ctx)
	if err != nil {
		return "", err
	}
	if where.address != "" { // one in this process is busy, and not away
		w.moved(patience)
	}
	err = h.target.withConnection(ctx, func(c *connection) error {
		asking, stop := context.WithCancel(ctx)
		defer stop()
		go c.beat(asking, patience, func() { w.moved(patience) })
		receipt, err = h.receipt(ctx, c, r, func(sent int64) { w.moved(patience + time.Duration(sent>>20)*perMiBAtEnd) })
		return err
	})
	return receipt, err
}

// receipt returns the receipt of a result: of its text in one message, or of its file in a stream.
func (h *hook) receipt(ctx context.Context, c *connection, r *hooks.Result, sent func(int64)) (string, error) {
	policy, err := h.policy.projection()
	if err != nil {
		return "", err
	}
	policy.FocusSession = hostSession()
	if is, err := isReceipt(ctx, c, r); is || err != nil {
		return "", cmp.Or(err, errLeftAlone)
	}
	if r.File != "" {
		return streamFile(ctx, c, r, policy, sent)
	}
	output := r.Output(&pb.Payload{Source: &pb.Payload_Inline{Inline: r.Text}})
	resp, err := c.Project(ctx, &pb.ProjectRequest{Output: output, Policy: policy})
	return resp.GetReceipt().GetText(), err
}

// isReceipt reports whether the text of a result is a receipt, as it claims: the sidecar has artifacts at all places that it names, and
// they have more bytes than the text.
func isReceipt(ctx context.Context, c *connection, r *hooks.Result) (bool, error) {
	total := uint64(0)
	for _, place := range r.Places {
		page, err := c.ReadArtifact(ctx, &pb.ReadArtifactRequest{Path: place, Budget: &pb.ReadBudget{MaxBytes: 1, MaxLines: 1}})
		switch status.Code(err) {
		case codes.OK:
			total += page.GetTotalBytes()
		case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
			return false, err
		default: // whatever it is, it is no place of ours
			return false, nil
		}
	}
	return total > uint64(len(r.Text)), nil
}

// streamFile projects the file of a result. It notes what is sent.
func streamFile(ctx context.Context, c *connection, r *hooks.Result, policy *pb.ProjectionPolicy, note func(int64)) (string, error) {
	file, size, err := openFile(r)
	if err != nil {
		return "", err
	}
	defer file.Close()
	output := r.Output(&pb.Payload{Source: &pb.Payload_Stream{Stream: "output"}})
	caller := client.Client{Stubs: client.Stubs{Results: c}}
	call, err := caller.Stream(ctx, output.GetToolName(), client.Family(r.Family()), client.Policy(policy),
		client.CommandLine(output.GetCommand().GetCommandLine()))
	if err != nil {
		return "", err
	}
	defer call.Close()
	buf := make([]byte, chunkBytes)
	for sent := int64(0); sent < size; note(sent) {
		n, err := io.ReadFull(file, buf[:min(size-sent, chunkBytes)])
		if err == nil {
			_, err = call.Write(buf[:n])
		}
		if err != nil {
			return "", err
		}
		sent += int64(n)
	}
	result, err := call.Finish(output)
	if err != nil {
		return "", err
	}
	return result.Receipt, nil
}

// openFile opens the file of a result, and returns its size.
func openFile(r *hooks.Result) (*os.File, int64, error) {
	file, err := os.OpenFile(r.File, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", r.File)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}
