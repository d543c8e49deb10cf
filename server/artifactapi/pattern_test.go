package artifactapi_test

import (
	"errors"
	"regexp/syntax"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/server/artifactapi"
)

// TestPatternsAreBounded compiles patterns that people write, and rejects those that compile to hundreds of times their length.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"error", "(?i)panic|fatal|error:", `^--- FAIL: Test\w+`, `\bfoo\b.{0,200}bar`, `\d{4}-\d{2}-\d{2}T[\d:.]+Z`, `[0-9a-f]{40}`, `\w{1000}`, `.{1000}`, `(?m)^\s*at .*\(.*:\d+:\d+\)$`,
		`\p{L}{20}`, strings.Repeat("a|", 500) + "a", strings.Repeat("x", artifactapi.MaxPattern), `([a-z]+\.){1,50}[a-z]+`,
	} {
		if _, err := artifactapi.CompilePattern(pattern); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	for _, pattern := range []string{"(?:" + strings.Repeat(".", 1000) + "){1000}", "((a{100}){10}b{1000}){9}", `(?:\pL{20}\pN{20}){20}`, strings.Repeat("x{1000}", 100)} {
		_, err := artifactapi.CompilePattern(pattern)
		var why *syntax.Error
		if !errors.As(err, &why) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

// TestCompiledPatternsAreSmall draws patterns: what compiles takes at most two MiB while it is made.
func TestCompiledPatternsAreSmall(t *testing.T) {
	random := rapid.StringOfN(rapid.RuneFrom([]rune("a.|()[]{}+*?\\dwpL0159,^$-")), 1, artifactapi.MaxPattern, -1)
	rapid.Check(t, func(r *rapid.T) {
		pattern := random.Draw(r, "pattern")
		if rapid.Bool().Draw(r, "repeated") {
			pattern = "(?:" + pattern[:min(len(pattern), artifactapi.MaxPattern-20)] + "){" + rapid.StringMatching("[0-9]{1,3}").Draw(r, "times") + "}"
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = artifactapi.CompilePattern(pattern)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
			r.Errorf("%q takes %d KiB", pattern, took>>10)
		}
	})
}
