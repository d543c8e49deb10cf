// Command vocabularies writes the vocabularies of tokens/bpe again from
// the files that OpenAI publishes with tiktoken (MIT). The module
// tiktoken-go-loader, at the version that go.mod pins, carries them byte for
// byte; their digests are those that tiktoken itself checks.
//
//	go -C integration/tokens run ./vocabularies ../../tokens/bpe
//
// A file is one zstd frame of a byte for the length of each token, in the order
// of their ranks, and then of the bytes of all tokens: the shortest tokens first,
// and those of one length in the order of their ranks.
package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// sources are the published files and their SHA-256, from tiktoken 0.14.0,
// tiktoken_ext/openai_public.py.
var sources = map[string]string{
	"o200k_base":  "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
	"cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: vocabularies FOLDER")
	}
	for name, digest := range sources {
		if err := write(filepath.Join(os.Args[1], name+".zst"), name, digest); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

func write(path, name, digest string) error {
	published, err := read(name, digest)
	if err != nil {
		return err
	}
	tokens, err := parse(published)
	if err != nil {
		return err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(4<<20))
	if err != nil {
		return err
	}
	return os.WriteFile(path, encoder.EncodeAll(pack(tokens), nil), 0o644)
}

// read returns a published file out of the module cache.
func read(name, digest string) (string, error) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pkoukk/tiktoken-go-loader").Output()
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "assets", name+".tiktoken"))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != digest {
		return "", fmt.Errorf("the source has the digest %x, want %s", sum, digest)
	}
	return string(content), nil
}

// parse returns the tokens of a published file in the order of their ranks: a
// line is a token in base64 and its rank.
func parse(published string) ([][]byte, error) {
	var tokens [][]byte
	for line := range strings.Lines(published) {
		text, rank, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rank != strconv.Itoa(len(tokens)) {
			return nil, fmt.Errorf("rank %q follows %d tokens", rank, len(tokens))
		}
		token, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		if len(token) == 0 || len(token) > 255 {
			return nil, errors.New("a token is empty or longer than 255 bytes")
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

func pack(tokens [][]byte) []byte {
	var packed []byte
	for _, token := range tokens {
		packed = append(packed, byte(len(token)))
	}
	slices.SortStableFunc(tokens, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
	return append(packed, slices.Concat(tokens...)...)
}
