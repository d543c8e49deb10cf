package families

import (
	"os"

	"github.com/toolresult/toolresult/projectors/profile"
)

// LoadProfiles reads the profiles of commands (docs/reference/profiles.md): those that are built in, then those of the
// directories of the operator, then those of the directories of projects. A later layer overrides an earlier one, but the
// profiles of a project may not do all that those of an operator may. The error names each file with a mistake.
func LoadProfiles(directories, projects []string) (*profile.Set, error) {
	if len(directories)+len(projects) == 0 {
		return profile.BuiltIn(), nil
	}
	layers := []profile.Layer{profile.BuiltInLayer()}
	for _, d := range directories {
		layers = append(layers, profile.Layer{Name: d, Files: os.DirFS(d)})
	}
	for _, d := range projects {
		layers = append(layers, profile.Layer{Name: d, Files: os.DirFS(d), Project: true})
	}
	return profile.Load(layers...)
}
