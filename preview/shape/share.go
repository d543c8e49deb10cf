package shape

import "strings"

// What a line costs, in bytes.
const (
	usualLineBytes = 80
	lineCost       = 8 // beside its text
)

// share is a part of a payload that gets as much room as the others: max-min fair,
// because the lines of all parts come in the order of what their part has had by then.
type share struct {
	weight int // how many times as much its lines count; 0 is 1
	had    int // bytes so far
}

// takes is the turn of the next line of a part.
func (s *share) takes(text []byte) int {
	s.had += (min(len(text), 4*usualLineBytes) + lineCost) * max(1, s.weight)
	return s.had
}

// noisyWeight is how much less the lines of files matter that no person writes.
const noisyWeight = 8

// noisyParts are directories of them.
var noisyParts = [...]string{
	"node_modules", "vendor", "third_party", ".git", "__pycache__", "dist", "target", ".venv", "venv", "site-packages",
	".tox", ".cache", ".idea", ".gradle", ".terraform", "bower_components", "__snapshots__",
}

// noisyNames are names of files, and ends of names, that tools write.
var noisyNames = [...]string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "go.sum", "poetry.lock", "uv.lock",
	"Pipfile.lock", "composer.lock", "Gemfile.lock", "flake.lock", "gradle.lockfile", "Podfile.lock", "mix.lock", "pubspec.lock",
	".min.js", ".min.css", ".map", ".snap", ".pb.go", "_pb2.py", ".svg", ".lock",
}

// weightOf is the weight of a file or a directory.
func weightOf(path []byte) int {
	p := string(path)
	for _, name := range noisyNames {
		if strings.HasSuffix(p, name) {
			return noisyWeight
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		for _, noisy := range noisyParts {
			if part == noisy {
				return noisyWeight
			}
		}
	}
	return 1
}
