package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/server/families"
)

// A profile says what is known of a program: which of its exit codes are answers and no failures, which lines matter, what
// kind of output it has. Most are built in; an operator adds directories, and a project may add some that say less. These
// commands show which profile a command line has and why, and check profiles against fixtures, so that one can be written
// without a sidecar (docs/reference/profiles.md).

// profileCommand returns `profile`. It needs no sidecar.
func profileCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "profile", Short: "Look at what is known of programs, and check what you write of them"}
	cmd.AddCommand(profileExplainCommand(), profileListCommand(), profileCheckCommand())
	return cmd
}

// profileDirs are the directories of profiles beside those that are built in: own ones of the operator, and those of
// projects, which may say less, because whoever can change a repository can change them.
type profileDirs struct{ own, projects []string }

// flags defines the flags.
func (d *profileDirs) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&d.own, "profiles", nil, "directories with profiles of yours (default: as `serve` is configured)")
	cmd.Flags().StringSliceVar(&d.projects, "project-profiles", nil, "directories with profiles of projects (default: as `serve` is configured)")
}

// load reads the profiles. If a flag is not given, it reads the directories of the configuration instead, so that the answer
// is that of the sidecar that `serve` would start here.
func (d *profileDirs) load(cmd *cobra.Command) (*profile.Set, error) {
	configured, err := defaultConfig()
	if err != nil {
		return nil, err
	}
	if !cmd.Flags().Changed("profiles") {
		d.own = configured.Profiles
	}
	if !cmd.Flags().Changed("project-profiles") {
		d.projects = configured.ProjectProfiles
	}
	return families.LoadProfiles(d.own, d.projects)
}

// profileExplain is one use of `profile explain`.
type profileExplain struct {
	profileDirs profileDirs
	exit        int32  // the exit code to explain; 0: none, because 0 means success for every program
	text        string // file with output of the command, "-" for standard input; empty: none
	fixture     bool   // print the text as a fixture
	output      string // text or json
}

// profileExplainCommand returns `profile explain`, the command to begin with when a receipt shows the wrong lines.
func profileExplainCommand() *cobra.Command {
	var e profileExplain
	cmd := &cobra.Command{
		Use: "explain [flags] -- COMMAND [ARGUMENT...]", Short: "Say which profile a command line has, and why",
		Long: "Says which profile a command line has, from which layer and file, and what was passed over; with --exit what the\n" +
			"exit code means; with --text what is said of each line, and by which pattern. A single argument is a whole command\n" +
			"line, as in `profile explain -- 'cd x && go test ./... | tail'`.",
		Args: cobra.MinimumNArgs(1),
		RunE: e.run,
	}
	e.profileDirs.flags(cmd)
	cmd.Flags().Int32Var(&e.exit, "exit", 0, "an exit code to explain")
	cmd.Flags().StringVar(&e.text, "text", "", "file with output of the command, or - for standard input")
	textOrJSON(cmd.Flags(), &e.output)
	cmd.Flags().BoolVar(&e.fixture, "fixture", false, "print --text as a fixture, and nothing else")
	return cmd
}

// run prints the profile of a command line, and the verdict on each line of --text. One argument is a whole command line
// with pipes and lists, as a model writes it; several are the words of one command, which are quoted.
func (e *profileExplain) run(cmd *cobra.Command, args []string) error {
	if e.fixture && e.text == "" {
		return errors.New("--fixture: needs --text")
	}
	set, err := e.profileDirs.load(cmd)
	if err != nil {
		return err
	}
	line := args[0]
	if len(args) > 1 {
		line = commandLine(args)
	}
	if e.output == formJSON && !e.fixture {
		return e.printJSON(cmd, set, line)
	}
	if !e.fixture {
		e.choice(cmd.OutOrStdout(), set, line)
	}
	if e.text == "" {
		return nil
	}
	return e.lines(cmd, set, line)
}

// choice prints the profile that is chosen and the steps of the choice, its kind of output, and the meaning of --exit. Steps
// name what was passed over, too: most questions about a profile are why another one was not chosen.
func (e *profileExplain) choice(out io.Writer, set *profile.Set, line string) {
	c := set.Explain(line)
	if c.Profile == nil {
		fmt.Fprintln(out, "profile: none")
	} else {
		fmt.Fprintf(out, "profile: %s, %s\n", c.Profile.Name(), origin(c.Profile))
	}
	for _, s := range c.Steps {
		fmt.Fprintln(out, "  "+s)
	}
	if p := c.Profile; p != nil {
		if p.Shape() != "" {
			fmt.Fprintln(out, "kind of output:", p.Shape())
		}
		switch unless := map[bool]string{true: ", unless its text is a log"}[c.MaybeLog]; c.Range {
		case profile.FromStart:
			fmt.Fprintf(out, "the output is what was asked for: it is shown from its start without a gap%s\n", unless)
		case profile.FromEnd:
			fmt.Fprintf(out, "the output is what was asked for: it is shown from its end without a gap%s\n", unless)
		}
	}
	if !profile.StatusCovers(line) {
		fmt.Fprintln(out, "exit code 0 does not say that all of it ended well")
	}
	if e.exit == 0 {
		return
	}
	if m := set.Exit(line, e.exit); m != nil {
		class := strings.ToLower(strings.TrimPrefix(m.GetClass().String(), "EXIT_CLASS_"))
		fmt.Fprintf(out, "exit code %d: %s: %s (%s)\n", e.exit, m.GetProgram(), m.GetText(), class)
	} else {
		fmt.Fprintf(out, "exit code %d: nothing is known of it, or it is not certain whose it is\n", e.exit)
	}
}

// origin returns the layer and the file of a profile; a path, if the layer is a directory, so that it can be opened.
func origin(p *profile.Profile) string {
	if filepath.IsAbs(p.Layer()) {
		return filepath.Join(p.Layer(), p.File())
	}
	return p.Layer() + ", " + p.File()
}

// lines prints the verdict on each line of the text, or all of them as a fixture: text with the verdict before each line,
// which is corrected by hand and then checked with each change of the profile.
func (e *profileExplain) lines(cmd *cobra.Command, set *profile.Set, line string) error {
	fixture, err := e.readFixture(cmd.InOrStdin(), set, line)
	if err != nil {
		return err
	}
	if e.fixture {
		_, err := io.WriteString(cmd.OutOrStdout(), fixture.String())
		return err
	}
	// The verdict is the profile's; a line may have one from the general rules, for which there is no pattern to name.
	p := set.Find(line)
	for _, l := range fixture.Lines {
		why := ""
		if pattern := patternOf(p, l.Text); pattern != "" {
			why = "   (by " + pattern + ")"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%-8s %s%s\n", l.Verdict, l.Text, why)
	}
	return nil
}

// readFixture returns the text with the verdict on each line.
func (e *profileExplain) readFixture(stdin io.Reader, set *profile.Set, line string) (*profile.Fixture, error) {
	if e.text == "-" {
		return profile.NewFixture(set, line, stdin)
	}
	f, err := os.Open(e.text)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read-only
	return profile.NewFixture(set, line, f)
}

// patternOf returns the pattern of a profile that decides on a line; empty for none. p may be nil.
func patternOf(p *profile.Profile, text string) string {
	if p == nil {
		return ""
	}
	_, pattern := p.Rules().Explain([]byte(text))
	return pattern
}

// profileListCommand returns `profile list`: the name of each profile, its layer, and the names of programs that it is for.
func profileListCommand() *cobra.Command {
	var d profileDirs
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List all profiles, where they come from and whose they are", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := d.load(cmd)
			if err != nil {
				return err
			}
			if output == formJSON {
				return printValue(cmd.OutOrStdout(), newProfileList(set.Profiles()))
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			for _, p := range set.Profiles() {
				fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name(), p.Layer(), strings.Join(p.Matches(), ", "))
			}
			return table.Flush()
		},
	}
	d.flags(cmd)
	textOrJSON(cmd.Flags(), &output)
	return cmd
}

// profileCheckCommand returns `profile check`, for a CI job of whoever writes profiles.
func profileCheckCommand() *cobra.Command {
	var project bool
	var output string
	cmd := &cobra.Command{
		Use: "check [flags] DIRECTORY...", Short: "Check profiles, and hold them against their fixtures",
		Long: "Reads the profiles of directories, the later the stronger, over those that are built in, and holds each against its\n" +
			"fixtures, which are DIRECTORY/testdata/NAME/*.txt (`profile explain --fixture` writes one). Every problem is named; the\n" +
			"exit code is 1 when there is one.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, projects := args, []string(nil)
			if project {
				own, projects = nil, args
			}
			set, err := families.LoadProfiles(own, projects)
			if err != nil {
				return err
			}
			return checkProfiles(cmd.OutOrStdout(), output, set, args)
		},
	}
	textOrJSON(cmd.Flags(), &output)
	cmd.Flags().BoolVar(&project, "project", false, "check them as the profiles of a project, which may say less")
	return cmd
}

// checkProfiles checks the profiles of directories against their fixtures. Problems are exit code 1; a profile without a
// fixture is a note, because its exit codes alone may be worth having.
func checkProfiles(out io.Writer, output string, set *profile.Set, dirs []string) error {
	problems, checked := 0, profileChecks{}
	for _, d := range dirs {
		r := set.Check(d, os.DirFS(filepath.Join(d, "testdata")))
		problems += len(r.Problems)
		if output == formJSON {
			checked.add(d, r)
			continue
		}
		for _, p := range r.Problems {
			fmt.Fprintln(out, p)
		}
		for _, name := range r.WithoutFixture {
			fmt.Fprintf(out, "note: %s has no fixture\n", name)
		}
		fmt.Fprintf(out, "%s: %d profiles, %d fixtures, %d problems\n", d, r.Profiles, r.Fixtures, len(r.Problems))
	}
	if output == formJSON {
		if err := printValue(out, checked); err != nil {
			return err
		}
	}
	if problems > 0 {
		return exitError{1}
	}
	return nil
}
