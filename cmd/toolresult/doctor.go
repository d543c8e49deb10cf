package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/hosts"
	"github.com/toolresult/toolresult/tokens"
)

// doctor looks at an installation as the host does: its settings files, the shell that they name, the sidecar, and one command on the
// way that the host takes.

// doctorCommand returns `doctor`.
func doctorCommand() *cobra.Command {
	h := hostCommand{}
	cmd := &cobra.Command{
		Use: "doctor HOST", Short: "Check that toolresult works in an agent host", Args: cobra.ExactArgs(1),
		Long: "Checks the settings of an agent host, runs a command that fails with 30,001 lines on the path that the host takes, and " +
			"says what would reach the model, with toolresult and without. The exit code is 1 if something is wrong.\n\n" + hostNames,
		RunE: func(cmd *cobra.Command, args []string) error { return h.doctor(cmd, hooks.Host(args[0])) },
	}
	textOrJSON(cmd.Flags(), &h.output)
	return cmd
}

// doctor prints its findings.
func (h *hostCommand) doctor(cmd *cobra.Command, host hooks.Host) error {
	store, o, err := h.hostStore()
	if err != nil {
		return err
	}
	o, installed, err := store.Recorded(host, o)
	if err != nil {
		return err
	}
	plan, err := hosts.NewPlan(host, o)
	if err != nil {
		return err
	}
	d := &diagnosis{out: cmd.OutOrStdout(), report: doctorReport{Host: string(host), Findings: []doctorFinding{}}}
	if h.output == formJSON {
		d.out = io.Discard
	}
	d.note(installed, "toolresult is installed for "+string(host), "toolresult is not installed for "+string(host)+": run `toolresult install "+string(host)+"`")
	if installed {
		files, err := store.Check(host)
		if err != nil {
			return err
		}
		d.settings(files)
		d.surroundings(plan)
		d.sidecar(cmd.Context())
		d.command(cmd.Context(), plan)
		d.say(plan.Permissions)
		for _, note := range plan.Notes {
			d.say(note)
		}
	}
	if h.output == formJSON {
		d.report.OK = !d.failed
		d.err = cmp.Or(d.err, printValue(cmd.OutOrStdout(), d.report))
	}
	if d.failed {
		return exitError{1}
	}
	return d.err
}

// doctorReport is what `doctor --output json` prints.
type doctorReport struct {
	Host     string          `json:"host"`
	OK       bool            `json:"ok"` // nothing is wrong
	Findings []doctorFinding `json:"findings"`
}

// doctorFinding is a line of doctor.
type doctorFinding struct {
	Kind string `json:"kind"` // "ok", "wrong" or, for what is neither, "note"
	Text string `json:"text"`
}

// diagnosis collects what doctor finds.
type diagnosis struct {
	out    io.Writer
	report doctorReport
	failed bool
	err    error
}

// say prints a line that is neither right nor wrong.
func (d *diagnosis) say(line string) { d.add("note", strings.TrimSpace(line), line) }

// add prints a line, and adds it to the report without what is there to align it.
func (d *diagnosis) add(kind, text, line string) {
	d.report.Findings = append(d.report.Findings, doctorFinding{kind, text})
	d.err = cmp.Or(d.err, writeln(d.out, line))
}

// note prints what is right, or what is wrong.
func (d *diagnosis) note(ok bool, right, wrong string) {
	if ok {
		d.add("ok", right, "ok     "+right)
		return
	}
	d.failed = true
	d.add("wrong", wrong, "wrong  "+wrong)
}

// settings says of each file whether toolresult is still in it.
func (d *diagnosis) settings(files map[string]error) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		d.note(files[path] == nil, path, fmt.Sprintf("%s: %v", path, files[path]))
	}
}

// surroundings says what keeps the host from taking the settings.
func (d *diagnosis) surroundings(plan hosts.Plan) {
	if shell := os.Getenv("SHELL"); plan.NeedsBash() && shell != "" && filepath.Base(shell) != "bash" {
		d.note(false, "", "the host runs commands with your shell, "+shell+", and toolresult is reached from bash alone: uninstall, and install with --rewrite")
	}
	folder, err := os.Getwd()
	if err != nil {
		return
	}
	if file := plan.Hides(folder); file != "" {
		d.note(false, "", file+" is read in this folder, in the place of the file with BASH_ENV: copy that line there")
	}
}

// sidecar makes sure that one runs, as the commands of the host do.
func (d *diagnosis) sidecar(ctx context.Context) {
	e := ensure{patience: defaultPatience, wait: defaultWait, idleExit: defaultIdleExit}
	place, err := e.run(ctx)
	d.note(err == nil, "a sidecar serves at "+place.Address, fmt.Sprintf("there is no sidecar, and every output is as without toolresult: %v", err))
}

// command runs a command as the host does, and says what reaches the model.
func (d *diagnosis) command(ctx context.Context, plan hosts.Plan) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	whole, _, _ := hostOutput(ctx, nil, nil, "bash", "-c", hosts.FailingLine) // it fails
	begun := time.Now()
	var text []byte
	var err error
	if args, env := plan.Try(hosts.FailingLine); args != nil {
		var code int
		text, code, err = hostOutput(ctx, nil, env, args...)
		d.note(code == 2, "a command that exits with 2 exits with 2", fmt.Sprintf("a command that exits with 2 ends with %d: %v", code, err))
	} else {
		text, err = hooked(ctx, plan.Hook(), whole)
		d.note(err == nil, "the hook answers", fmt.Sprintf("the hook: %v", err))
	}
	took := time.Since(begun).Round(time.Millisecond)
	got, all := reading(text), reading(whole)
	d.note(got.Line && 4*got.Bytes < all.Bytes, fmt.Sprintf("of %v the model reads %v, with the error, after %v", all, got, took),
		fmt.Sprintf("of %v the model reads %v, which is no receipt (error line shown: %t)", all, got, got.Line))
	measured, err := hosts.Measurements()
	d.err = cmp.Or(d.err, err)
	for _, m := range measured {
		if m.Host == plan.Host {
			with := map[bool]string{true: "with", false: "without"}[m.Without.Line]
			d.say(fmt.Sprintf("       without toolresult it reads %v, %s the error (measured with %s %s)", m.Without, with, m.Host, m.Version))
		}
	}
}

// hostOutput runs a program as a host would that is not itself a command of another one, and returns its standard output and exit code.
func hostOutput(ctx context.Context, stdin []byte, env []string, args ...string) (text []byte, code int, err error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TOOLRESULT_RAW=") })
	c.Env, c.Stdin, c.WaitDelay = append(own, env...), bytes.NewReader(stdin), time.Second
	text, err = c.Output()
	return text, c.ProcessState.ExitCode(), err
}

// hooked gives a hook of Copilot CLI the output of a command, as the host does, and returns what the model reads.
func hooked(ctx context.Context, line string, whole []byte) ([]byte, error) {
	file, err := os.CreateTemp("", "1-copilot-tool-output-*.txt") // where the host has its own, and as it names them
	if err != nil {
		return nil, err
	}
	path := file.Name()
	defer func() { _ = os.Remove(path) }()
	_, err = file.Write(whole)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	payload, err := json.Marshal(map[string]any{"toolName": "bash", "toolArgs": map[string]any{"command": hosts.FailingLine}, "toolResult": map[string]any{
		"resultType":       "success",
		"textResultForLlm": "Output too large to read at once (165.0 KB). Saved to: " + path + "\nPreview\n<shellId: 0 completed with exit code 2>",
	}})
	if err != nil {
		return nil, err
	}
	text, _, err := hostOutput(ctx, payload, nil, "bash", "-c", line)
	if err != nil {
		return nil, err
	}
	var answer struct {
		ModifiedResult struct{ TextResultForLlm string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("it leaves the result as it is: %q", text)
	}
	return []byte(answer.ModifiedResult.TextResultForLlm), nil
}

// reading returns what a model reads of a text.
func reading(text []byte) hosts.Reading {
	r := hosts.Reading{Bytes: len(text), Line: bytes.Contains(text, []byte(hosts.DecidingLine))}
	if counter, err := tokens.O200k(); err == nil {
		r.Tokens = counter.Count(string(text))
	}
	return r
}
