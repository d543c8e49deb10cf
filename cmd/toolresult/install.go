package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/shell"
	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/hosts"
)

// A person adds this program to an agent host with one command, and takes it away with another. Both show what they change
// in the host's settings, and ask.

// hostCommand is what the commands share that install, check and uninstall.
type hostCommand struct {
	dryRun, yes    bool
	rewrite, reads bool
	output         string // text or json
}

// hostNames is the list of hosts in help texts.
const hostNames = "Hosts: claude-code, gemini-cli, codex, copilot-cli, opencode, pi."

// installCommand returns `install`.
func installCommand() *cobra.Command {
	h := hostCommand{}
	cmd := &cobra.Command{
		Use: "install HOST", Short: "Add toolresult to an agent host", Args: cobra.ExactArgs(1),
		Long: "Edits the settings of an agent host so that its commands, and other large results, become receipts. Shows the difference " +
			"and asks before it writes; `toolresult uninstall HOST` restores the files byte for byte.\n\n" + hostNames,
		RunE: func(cmd *cobra.Command, args []string) error { return h.install(cmd, hooks.Host(args[0])) },
	}
	h.flags(cmd)
	cmd.Flags().BoolVar(&h.rewrite, "rewrite", false, "rewrite commands by a hook of the host, which changes permissions (gemini-cli, codex, copilot-cli)")
	cmd.Flags().BoolVar(&h.reads, "reads", false, "make receipts also of files that the model reads whole")
	return cmd
}

// uninstallCommand returns `uninstall`.
func uninstallCommand() *cobra.Command {
	h := hostCommand{}
	cmd := &cobra.Command{
		Use: "uninstall HOST", Short: "Take toolresult away from an agent host", Args: cobra.ExactArgs(1),
		Long: "Restores the settings of an agent host byte for byte. In a file that was changed since, only the settings of toolresult go.\n\n" + hostNames,
		RunE: func(cmd *cobra.Command, args []string) error { return h.uninstall(cmd, hooks.Host(args[0])) },
	}
	h.flags(cmd)
	return cmd
}

// flags defines the flags of commands that write.
func (h *hostCommand) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&h.dryRun, "dry-run", false, "show the difference and write nothing")
	cmd.Flags().BoolVar(&h.yes, "yes", false, "do not ask")
	outputFlag(cmd.Flags(), &h.output, "(json needs --yes or --dry-run)", formText, formJSON)
}

// hostStore returns the store of records, and the options of plans.
func (h *hostCommand) hostStore() (hosts.Store, hosts.Options, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return hosts.Store{}, hosts.Options{}, err
	}
	program, err := programPath()
	if err != nil {
		return hosts.Store{}, hosts.Options{}, err
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	o := hosts.Options{
		Program: program, Shell: shellPath(home), Home: home, Env: os.Getenv, Rewrite: h.rewrite, Reads: h.reads,
	}
	return hosts.Store{Dir: filepath.Join(state, "toolresult-hosts")}, o, nil
}

// programPath returns the path of this program: as PATH has it, which stays the same when the program is updated.
func programPath() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("toolresult")
	if err != nil || !filepath.IsAbs(found) || !shell.IsSameFile(found, program) {
		return program, nil
	}
	return found, nil
}

// shellName is the name by which this program is a shell.
const shellName = "toolresult-shell"

// shellPath returns the path of toolresult-shell, a file that install makes.
func shellPath(home string) string {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "toolresult", "bin", shellName)
}

// hostChanges is what `install` and `uninstall` print with --output json.
type hostChanges struct {
	Host        string       `json:"host"`
	Written     bool         `json:"written"` // false: nothing was to be done, or --dry-run
	Files       []fileChange `json:"files"`
	Permissions string       `json:"permissions"` // what an installation means for those of the host
	Notes       []string     `json:"notes"`
}

// fileChange is the difference of a file.
type fileChange struct {
	Path string `json:"path"`
	Diff string `json:"diff"` // lines that differ, as people read them
}

// report says what changes: to people at once, to programs when it is done, by the function that it returns.
func (h *hostCommand) report(cmd *cobra.Command, host hooks.Host, differences []hosts.Difference) (say io.Writer, changes *hostChanges, done func() error) {
	changes = &hostChanges{Host: string(host), Files: []fileChange{}, Notes: []string{}}
	for _, d := range differences {
		changes.Files = append(changes.Files, fileChange{d.Path, d.String()})
	}
	if h.output == formJSON {
		return io.Discard, changes, func() error { return printValue(cmd.OutOrStdout(), changes) }
	}
	return cmd.OutOrStdout(), changes, func() error { return nil }
}

// install shows the plan and makes it.
func (h *hostCommand) install(cmd *cobra.Command, host hooks.Host) error {
	store, o, err := h.hostStore()
	if err != nil {
		return err
	}
	if was, installed, err := store.Recorded(host, o); err != nil {
		return err
	} else if installed && (was.Program != o.Program || was.Shell != o.Shell || was.Rewrite != o.Rewrite || was.Reads != o.Reads) {
		return fmt.Errorf("it is installed for %s with other options or from %s: `toolresult uninstall %s` comes first", host, was.Program, host)
	}
	plan, err := hosts.NewPlan(host, o)
	if err != nil {
		return err
	}
	differences, err := store.Preview(plan)
	if err != nil {
		return err
	}
	out, changes, done := h.report(cmd, host, differences)
	changes.Permissions, changes.Notes = plan.Permissions, append(changes.Notes, plan.Notes...)
	if len(differences) == 0 {
		return errors.Join(writeln(out, fmt.Sprintf("toolresult is installed for %s; `toolresult doctor %s` checks it", host, host)), done())
	}
	if err := printPlan(out, plan, differences); err != nil {
		return err
	}
	if ok, err := h.confirmed(cmd); err != nil {
		return err
	} else if !ok {
		return done()
	}
	if err := o.WriteShell(); err != nil { // before a host is pointed to it
		return err
	}
	if err := store.Install(plan); err != nil {
		return errors.Join(err, removeShell(store, o))
	}
	changes.Written = true
	return errors.Join(writeln(out, fmt.Sprintf("Installed. `toolresult doctor %s` checks it, `toolresult uninstall %s` takes it away.", host, host)), done())
}

// printPlan prints what an installation changes and means.
func printPlan(out io.Writer, plan hosts.Plan, differences []hosts.Difference) error {
	var b strings.Builder
	for _, d := range differences {
		fmt.Fprintln(&b, d)
	}
	fmt.Fprintln(&b, plan.Permissions)
	for _, note := range plan.Notes {
		fmt.Fprintln(&b, note)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// confirmed asks whether to write. --yes is an answer; where nobody can answer, it is needed.
func (h *hostCommand) confirmed(cmd *cobra.Command) (bool, error) {
	switch {
	case h.dryRun:
		return false, nil
	case h.yes:
		return true, nil
	case h.output == formJSON:
		return false, errors.New("nothing is written: --output json needs --yes or --dry-run")
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), "Write this? [y/N] "); err != nil {
		return false, err
	}
	answer := make([]byte, 16)
	n, err := cmd.InOrStdin().Read(answer)
	if n == 0 {
		return false, fmt.Errorf("nothing is written: there is no answer (%w), and --yes is not given", cmp.Or(err, io.EOF))
	}
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(string(answer[:n])))) {
		return false, errors.New("nothing is written")
	}
	return true, nil
}

// uninstall shows what goes, and takes it away. It uses the options of the installation.
func (h *hostCommand) uninstall(cmd *cobra.Command, host hooks.Host) error {
	store, o, err := h.hostStore()
	if err != nil {
		return err
	}
	o, installed, err := store.Recorded(host, o)
	if err != nil {
		return err
	}
	if !slices.Contains(hooks.All, host) {
		return fmt.Errorf("%q: %w", host, hooks.ErrHost)
	}
	var differences []hosts.Difference
	if installed {
		if differences, err = store.Removal(host); err != nil {
			return err
		}
	}
	out, changes, done := h.report(cmd, host, differences)
	if !installed {
		return errors.Join(writeln(out, fmt.Sprintf("toolresult is not installed for %s", host)), done())
	}
	for _, d := range differences {
		if err := writeln(out, d.String()); err != nil {
			return err
		}
	}
	if ok, err := h.confirmed(cmd); err != nil {
		return err
	} else if !ok {
		return done()
	}
	if err := errors.Join(store.Uninstall(host), removeShell(store, o)); err != nil {
		return err
	}
	changes.Written = true
	return errors.Join(writeln(out, fmt.Sprintf("Taken away from %s.", host)), done())
}

// removeShell removes toolresult-shell, if no host needs it any longer.
func removeShell(store hosts.Store, o hosts.Options) error {
	if len(store.Installed()) > 0 {
		return nil
	}
	return o.RemoveShell()
}
