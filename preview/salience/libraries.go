package salience

import "bytes"

// Frames of libraries and runtimes. A reader of a trace looks for the user's own
// code; what a test runner or a language runtime was doing says little.

// libraryFrames are how frames of libraries begin, behind "at ".
var libraryFrames = [...]string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "scala.", "org.junit.", "junit.", "org.testng.", "org.apache.maven.", "org.gradle.",
	"org.opentest4j.", "worker.org.gradle.", "org.springframework.", "org.hamcrest.", "org.assertj.", // JVM
	"System.", "Microsoft.", "Xunit.", "NUnit.", // .NET
}

// goFrames are how frames of goroutines begin that are those of tests and of
// panics themselves.
var goFrames = [...]string{"testing.tRunner", "created by testing.", "panic({", "runtime."}

// pathLeads are what comes before the path of a frame: in Python, Ruby and
// Vitest.
var pathLeads = [...]string{`File "`, "from /", "# /", "❯ "}

// libraryPaths are parts of the paths of libraries: installed packages, and the
// sources of a language itself.
var libraryPaths = [...]string{
	"/node_modules/", "/site-packages/", "/dist-packages/", "/gems/", "/pkg/mod/", "/vendor/",
	"/src/testing/testing.go", "/src/runtime/", "/src/reflect/", "/src/sync/", "/src/net/http/", "<frozen ", "/lib/python3", "/lib/ruby/", "/rustc/",
}

// isLibrary reports whether a line, from its body on, is a frame of a library:
// "at org.junit...", a path of one with a position, or a function of Go's tests.
func isLibrary(body []byte) bool {
	switch body[0] {
	case 'a':
		frame, found := bytes.CutPrefix(body, []byte("at "))
		return found && (beginsWithAny(frame, libraryFrames[:]) || contains(frame, "/rustc/"))
	case 't', 'c', 'p', 'r':
		return beginsWithAny(body, goFrames[:])
	case '/', 'F', 'f', '#', "❯"[0]:
	default:
		return false
	}
	if body[0] != '/' && !beginsWithAny(body, pathLeads[:]) {
		return false
	}
	for _, part := range libraryPaths {
		if contains(body, part) {
			return true
		}
	}
	return false
}

// beginsWithAny reports whether a text begins with one of a list.
func beginsWithAny(text []byte, list []string) bool {
	for _, begin := range list {
		if len(text) >= len(begin) && string(text[:len(begin)]) == begin {
			return true
		}
	}
	return false
}
