package shape

import "strings"

// What a line costs, in bytes.
const (
	usualLineBytes = 80
	lineCost       = 8  // beside its text
	markBytes      = 40 // of the mark of a cut
)

// share is the part of a budget that one part of a payload gets: as much as any
// other. This is max-min fairness, because the lines of all parts are ordered
// by the bytes that their part has had before.
type share struct {
	weight int // how many times as much its lines count; 0 is 1
	had    int // bytes so far
}

// turn returns the turn of the next line of the part, and counts its cost. A
// long line counts as four usual ones, because it will be cut.
func (s *share) turn(text []byte) int {
	s.had += (min(len(text), 4*usualLineBytes) + lineCost) * max(1, s.weight)
	return s.had
}

// noisyWeight is the weight of lines of files that no person writes.
const noisyWeight = 8

// noisyParts are directories of such files.
var noisyParts = [...]string{
	"node_modules", "vendor", "third_party", ".git", "__pycache__", "dist", "target", ".venv", "venv", "site-packages",
	".tox", ".cache", ".idea", ".gradle", ".terraform", "bower_components", "__snapshots__",
}

// noisyNames are names of such files, and ends of names.
var noisyNames = [...]string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "go.sum", "poetry.lock", "uv.lock",
	"Pipfile.lock", "composer.lock", "Gemfile.lock", "flake.lock", "gradle.lockfile", "Podfile.lock", "mix.lock", "pubspec.lock",
	".min.js", ".min.css", ".map", ".snap", ".pb.go", "_pb2.py", ".svg", ".lock",
}

// pathWeight returns the weight of a file or a directory.
func pathWeight(path []byte) int {
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
