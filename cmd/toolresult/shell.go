package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/early"
	"github.com/toolresult/toolresult/cmd/toolresult/internal/shell"
	"github.com/toolresult/toolresult/cmd/toolresult/internal/shell/inner"
	"github.com/toolresult/toolresult/internal/spool"
)

// shell is in the place of a host's shell: as the prefix of its lines, as $SHELL, or as bash first in PATH. The host decides about the
// user's command and sees a shell; a long output is a receipt. Whatever is no command of an agent is for the real shell, which then
// is in the place of this process. It has no flags, because its arguments are those of a shell: variables are its settings.

// maxTokensVariable sets the tokens of a receipt.
const maxTokensVariable = "TOOLRESULT_MAX_TOKENS"

// Limits of shell.
const (
	// shellTokens is the size of a receipt.
	shellTokens = 900
	// untouchedBytes is the largest output that is passed as it was.
	untouchedBytes = 4 << 10
	// hostPatience is how long a sidecar is waited for that goes on to take the output: a host takes longer to read a GiB by itself.
	hostPatience = 2 * time.Second
	// showAfter is how long a command runs before as much of its output is shown while it runs, for hosts that leave it in the
	// background then, or end it.
	showAfter = 20 * time.Second
	// releaseSilent is for how many seconds a command is silent before what may be the beginning of a secret is shown, too.
	releaseSilent = 10
)

// shellCommand returns `shell`.
func shellCommand() *cobra.Command {
	return &cobra.Command{
		Use: "shell [ARGS...]", Short: "Be the shell of an agent's host: long output becomes a receipt", DisableFlagParsing: true,
		Long: "Runs the real shell with its arguments. What -c LINE writes is passed as it was up to 4 KiB, and is a receipt beyond that; " +
			"so is the one argument of a shell prefix (CLAUDE_CODE_SHELL_PREFIX), if it is a command of the agent. Everything else, such as " +
			"scripts, interactive shells and servers, becomes the real shell. A program of this name, toolresult-shell, bash, sh or zsh, " +
			"does the same.\n\nTOOLRESULT_SHELL is the real shell, TOOLRESULT_MAX_TOKENS the size of a receipt (900), and TOOLRESULT_RAW=1 " +
			"turns receipts off.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Equal(args, []string{"--help"}) {
				return cmd.Help()
			}
			return runShell(cmd, calledAs(), args)
		},
	}
}

// calledAs returns the name of a shell by which this program was called, or toolresult.
func calledAs() string { return shell.CalledAs(os.Args[0]) }

// runShell runs the command of a call with receipts, or becomes the real shell. Most of it is done already when main begins
// (package early).
func runShell(cmd *cobra.Command, name string, args []string) error {
	call, err := shell.Read(name, args, os.Environ(), isTerminal(os.Stdout))
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "toolresult:", err)
		return exitError{codeNotFound}
	}
	if call.Line == "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolresult: %s: %v\n", call.Path, call.Become(os.Environ()))
		return exitError{codeNotStarted}
	}
	e := shellExecution(inner.Command(call.Line))
	go e.target.warm(cmd.Context())
	return e.run(cmd, append([]string{call.Path}, call.Args...))
}

// shellExecution returns the use of exec that runs the command of a call.
func shellExecution(command string) *execution {
	e := &execution{
		output: "receipt", line: command, untouched: untouchedBytes, showAfter: showAfter, total: hostPatience, env: shell.Environ(os.Environ()),
	}
	e.target.running, e.target.ensured = true, &starting{apart: !early.IsBegun()}
	e.policy.flags(pflag.NewFlagSet("", pflag.ContinueOnError)) // the defaults
	e.policy.tokens = shellTokens
	if n, err := strconv.ParseUint(os.Getenv(maxTokensVariable), 10, 32); err == nil && n > 0 {
		e.policy.tokens = uint32(n)
	}
	return e
}

// show shows the beginning of the output after some time, as much as is never replaced, while the command runs.
func (d *delivery) show(ctx context.Context, after time.Duration, limit int64) {
	timer := time.NewTimer(after)
	defer timer.Stop()
	silent := 0 // seconds
	for limit > 0 {
		select {
		case <-timer.C:
			n, err := d.spool.Show(limit, d.raw[spool.Stdout], d.raw[spool.Stderr])
			if err != nil {
				return
			}
			limit -= n
			if silent++; n > 0 {
				silent = 0
			}
			for _, m := range d.raw {
				m.release(silent > releaseSilent)
			}
			timer.Reset(time.Second)
		case <-ctx.Done():
			return
		}
	}
}
