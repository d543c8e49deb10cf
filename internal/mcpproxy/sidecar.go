package mcpproxy

import (
	"context"
	"errors"
)

// Sidecar makes receipts of results, and reads what they omit.
type Sidecar interface {
	// Expect says that results are to be expected. It returns at once.
	Expect()
	// Project returns the receipt of a result.
	Project(ctx context.Context, r Result) (Receipt, error)
	// Read executes a call of the tool that reads results. mistake reports that the model did something wrong, which the text says.
	Read(ctx context.Context, arguments string) (text string, mistake bool, err error)
	// Artifact returns an artifact of at most limit bytes by its path. The error is ErrNotFound if this session has none there.
	Artifact(ctx context.Context, path string, limit int) ([]byte, error)
}

// Result is what a receipt is made of: a CallToolResult, as far as it is text.
type Result struct {
	Server, Tool string
	JSON         [][]byte // in pieces
	Size         int      // of all pieces, in bytes
	Texts        [][]byte // those in it, as JSON has them, of a result that has nothing else; nil: it has
}

// Receipt is the text that replaces a result.
type Receipt struct {
	Text      string
	Artifacts []string // paths
}

// ErrNotFound says that there is no such artifact.
var ErrNotFound = errors.New("not found")
