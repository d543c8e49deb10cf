package tokens_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens"
)

var update = flag.Bool("update", false, "write the golden cases of tokens/bpe again")

const casesFile = "../../tokens/bpe/testdata/cases.jsonl"

// TestMain tells the reference where its vocabularies are; it asks a network
// otherwise.
func TestMain(m *testing.M) {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	os.Exit(m.Run())
}

// A pair is one of our counters and the reference for it.
type pair struct {
	tokens.Counter
	reference *tiktoken.Tiktoken
}

func pairs(tb testing.TB) []pair {
	tb.Helper()
	var all []pair
	for _, load := range []func() (tokens.Counter, error){tokens.O200k, tokens.CL100k} {
		counter, err := load()
		if err != nil {
			tb.Fatal(err)
		}
		reference, err := tiktoken.GetEncoding(counter.Name())
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, pair{counter, reference})
	}
	return all
}

// lengths returns those of the tokens that the reference cuts a text into.
func (p pair) lengths(text string) []int {
	lengths := []int{}
	for _, id := range p.reference.EncodeOrdinary(text) {
		lengths = append(lengths, len(p.reference.Decode([]int{id})))
	}
	return lengths
}

// golden is a line of the golden cases.
type golden struct {
	Text   string `json:"text"`
	O200k  []int  `json:"o200k"`
	CL100k []int  `json:"cl100k"`
}

// TestCases: the golden cases are what the reference says of the texts, and so are
// our counts.
func TestCases(t *testing.T) {
	p := pairs(t)
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	for _, text := range hardTexts() {
		c := golden{text, p[0].lengths(text), p[1].lengths(text)}
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
		if o, c100 := p[0].Count(text), p[1].Count(text); o != len(c.O200k) || c100 != len(c.CL100k) {
			t.Errorf("%q: %d and %d tokens, want %d and %d", text, o, c100, len(c.O200k), len(c.CL100k))
		}
	}
	if *update {
		if err := os.WriteFile(casesFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(casesFile); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the reference gives: run go test -run TestCases -update (%v)", casesFile, err)
	}
}

// TestAnyText compares texts of many scripts, bytes that are no text among them.
func TestAnyText(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom(hardTexts()), rapid.SampledFrom(hardTexts()), rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.StringN(1, 3, -1).Draw(t, "text"), rapid.IntRange(2, 50).Draw(t, "times"))
		}),
	)
	texts := rapid.Map(rapid.SliceOfN(piece, 0, 10), func(s []string) string { return strings.Join(s, "") })
	for _, p := range pairs(t) {
		rapid.Check(t, func(t *rapid.T) {
			text := texts.Draw(t, "text")
			if strings.Contains(text, "'ſ") {
				t.Skip("the reference does not know that the long s is an s, as tiktoken does")
			}
			if got, want := p.Count(text), len(p.reference.EncodeOrdinary(text)); got != min(want, len(text)) {
				t.Fatalf("%s: Count(%q) = %d, want %d", p.Name(), text, got, want)
			}
		})
	}
}

// TestCorpus compares every document of the corpus.
func TestCorpus(t *testing.T) {
	documents := corpus(t)
	for _, p := range pairs(t) {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			sum := 0
			for path, text := range documents {
				got, want := p.Count(text), len(p.reference.EncodeOrdinary(text))
				if got != want {
					t.Errorf("%s: %d tokens, want %d", path, got, want)
				}
				sum += want
			}
			t.Logf("%d documents, %d tokens", len(documents), sum)
		})
	}
}

// corpus returns the documents of the evaluation by their paths. They are not part
// of this repository: TOOLRESULT_CORPUS says where they are, beside the clone if it
// is not set.
func corpus(tb testing.TB) map[string]string {
	tb.Helper()
	root := os.Getenv("TOOLRESULT_CORPUS")
	if root == "" {
		root = "../../../shared/corpus"
	}
	documents := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == filepath.Clean(root) {
			return err
		}
		content, err := os.ReadFile(path)
		documents[path] = string(content)
		return err
	})
	if os.IsNotExist(err) && os.Getenv("TOOLRESULT_CORPUS") == "" {
		tb.Skipf("NOTHING OF THE CORPUS WAS COMPARED: there is no %s, and TOOLRESULT_CORPUS is not set", root)
	}
	if err != nil || len(documents) < 100 {
		tb.Fatalf("%d documents in %s: %v", len(documents), root, err)
	}
	return documents
}
