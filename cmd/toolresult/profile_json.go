package main

import (
	"github.com/spf13/cobra"

	"github.com/toolresult/toolresult/projectors/profile"
)

// What the commands of profiles print with --output json.

// explainedProfile is what `profile explain` prints.
type explainedProfile struct {
	CommandLine string          `json:"command_line"`
	Profile     *profileEntry   `json:"profile"` // null for none
	Steps       []string        `json:"steps"`   // how it was found
	Shape       string          `json:"shape"`   // kind of output; empty: not known
	Shown       string          `json:"shown"`   // "start" or "end": from there without a gap; empty: what matters most
	UnlessLog   bool            `json:"unless_log"`
	Covers      bool            `json:"status_covers"` // exit code 0 says that all of the line ended well
	Exit        *explainedExit  `json:"exit,omitempty"`
	Lines       []explainedLine `json:"lines,omitempty"`
}

// explainedExit is the meaning of --exit. Members are empty when nothing is known of it.
type explainedExit struct {
	Code    int32  `json:"code"`
	Program string `json:"program"`
	Text    string `json:"text"`
	Class   string `json:"class"` // a name of the enum ExitClass
}

// explainedLine is the verdict on a line of --text.
type explainedLine struct {
	Verdict string `json:"verdict"`
	Pattern string `json:"pattern"` // of the profile, which decides; empty for none
	Text    string `json:"text"`
}

// profileEntry names a profile, its layer and its file.
type profileEntry struct {
	Name    string   `json:"name"`
	Layer   string   `json:"layer"` // "built in", or a directory
	File    string   `json:"file"`
	Matches []string `json:"matches"` // the programs that it is for
}

// newProfileEntry returns the entry of a profile.
func newProfileEntry(p *profile.Profile) profileEntry {
	return profileEntry{p.Name(), p.Layer(), p.File(), append([]string{}, p.Matches()...)}
}

// profileList is what `profile list` prints.
type profileList struct {
	Profiles []profileEntry `json:"profiles"`
}

// newProfileList returns the list of some profiles.
func newProfileList(profiles []*profile.Profile) profileList {
	list := profileList{[]profileEntry{}}
	for _, p := range profiles {
		list.Profiles = append(list.Profiles, newProfileEntry(p))
	}
	return list
}

// profileChecks is what `profile check` prints.
type profileChecks struct {
	Directories []profileCheck `json:"directories"`
}

// profileCheck is what was found in one directory.
type profileCheck struct {
	Directory      string   `json:"directory"`
	Profiles       int      `json:"profiles"`
	Fixtures       int      `json:"fixtures"`
	WithoutFixture []string `json:"without_fixture"` // names of profiles
	Problems       []string `json:"problems"`        // each with its place
}

// add adds what was found in a directory.
func (c *profileChecks) add(directory string, r *profile.Report) {
	c.Directories = append(c.Directories, profileCheck{
		directory, r.Profiles, r.Fixtures, append([]string{}, r.WithoutFixture...), append([]string{}, r.Problems...),
	})
}

// printJSON prints what choice and lines print.
func (e *profileExplain) printJSON(cmd *cobra.Command, set *profile.Set, line string) error {
	c := set.Explain(line)
	found := explainedProfile{
		CommandLine: line, Steps: append([]string{}, c.Steps...), UnlessLog: c.MaybeLog, Covers: profile.StatusCovers(line),
		Shown: map[profile.Range]string{profile.FromStart: "start", profile.FromEnd: "end"}[c.Range],
	}
	if c.Profile != nil {
		entry := newProfileEntry(c.Profile)
		found.Profile, found.Shape = &entry, c.Profile.Shape()
	}
	if e.exit != 0 {
		found.Exit = &explainedExit{Code: e.exit}
		if m := set.Exit(line, e.exit); m != nil {
			found.Exit = &explainedExit{e.exit, m.GetProgram(), m.GetText(), m.GetClass().String()}
		}
	}
	if e.text != "" {
		fixture, err := e.readFixture(cmd.InOrStdin(), set, line)
		if err != nil {
			return err
		}
		p := set.Find(line)
		for _, l := range fixture.Lines {
			found.Lines = append(found.Lines, explainedLine{l.Verdict.String(), patternOf(p, l.Text), l.Text})
		}
	}
	return printValue(cmd.OutOrStdout(), found)
}
