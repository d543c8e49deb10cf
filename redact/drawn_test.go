package redact

import (
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updatePairs = flag.Bool("update-pairs", false, "write pairs.txt")

// TestPairs compares pairs.txt with the words of Go's standard library, of whatever version runs the test: what is frequent there
// agrees to a bit. -update-pairs writes it.
func TestPairs(t *testing.T) {
	t.Parallel()
	counts := countPairs(t)
	var text strings.Builder
	text.WriteString("# Bits that a byte says behind another one in the words of Go's standard library, in quarters behind the letter A, for A to Z, digits, others.\n")
	for i := range counts {
		sum := 0.0
		for _, n := range counts[i] {
			sum += n
		}
		for j, n := range counts[i] {
			bits := math.Log2(sum / n)
			text.WriteByte(byte('A' + min(56, math.Round(bits*4))))
			known := float64(pairCosts[i][j]) / partsOfBit
			if j == aDigitSort {
				known -= math.Log2(10)
			}
			if n > 500 && math.Abs(bits-known) > 1 {
				t.Errorf("sort %d behind %d says %.2f bits, in pairs.txt %.2f", j, i, bits, known)
			}
		}
		text.WriteByte('\n')
	}
	if *updatePairs {
		if err := os.WriteFile("pairs.txt", []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// countPairs counts pairs of sorts in the words of the standard library, each once for a file.
func countPairs(t *testing.T) (counts [sorts][sorts]float64) {
	t.Helper()
	for i := range counts {
		for j := range counts[i] {
			counts[i][j] = 2 // what was not seen may be
		}
	}
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, files := filepath.Join(strings.TrimSpace(string(goroot)), "src"), 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"crypto", "vendor", "testdata", "unicode", "zoneinfo"}, entry.Name()) { // tables
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		seen := map[string]bool{}
		for _, w := range strings.FieldsFunc(string(content), func(r rune) bool { return r >= 0x80 || !isName(byte(r)) }) {
			if len(w) < 4 || len(w) > 30 || seen[w] || strings.Trim(w, "0123456789_.-") == "" {
				continue
			}
			seen[w] = true
			before := uint8(otherSort)
			for _, c := range []byte(w) {
				counts[before][byteSorts[c].sort]++
				before = byteSorts[c].sort
			}
		}
		return nil
	})
	if err != nil || files < 1000 {
		t.Fatal(files, "files of the standard library:", err)
	}
	return counts
}

// TestDrawn weighs texts of both sorts.
func TestDrawn(t *testing.T) {
	t.Parallel()
	for _, written := range []string{
		"changeme123", "secretKey32", "kubernetes", "x86_64-linux-gnu", "web-tls-certificate-2024", "Summer2024", "application/json", "MyPassword1", "required",
		"linux-x64-node-20", "correct-horse-battery", "getPassword", "bearer2", "my-application-staging", "postgres123",
	} {
		if bits := drawn([]byte(written)); bits > 0 {
			t.Errorf("%s: %.1f bits", written, bits)
		}
	}
	random := uint64(1)
	for _, alphabet := range []string{"0123456789abcdef", "abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"} {
		for n, most := range map[int]int{8: 60, 12: 20, 16: 8, 24: 0} {
			few := 0
			for range 1000 {
				b := make([]byte, n)
				for i := range b {
					random = random*6364136223846793005 + 1442695040888963407
					b[i] = alphabet[random>>33%uint64(len(alphabet))]
				}
				if drawn(b) < 4 {
					few++
				}
			}
			if few > most {
				t.Errorf("%d of 1000 texts of %d of %s have less than 4 bits, more than %d", few, n, fmt.Sprintf("%.10s", alphabet), most)
			}
		}
	}
}
