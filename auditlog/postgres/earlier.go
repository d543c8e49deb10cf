package postgres

// What an earlier version left: its records are in the database as they are now, and a file had the name of the log and its head.

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/toolresult/toolresult/internal/journal"
)

// EarlierName returns the name of the log of an earlier version, by the file of its head; empty: there is none. A journal with that name
// goes on with its chain.
func EarlierName(path string) (string, error) {
	name, _, err := readEarlier(path)
	return name, err
}

// readEarlier reads the newest head of the file: it has two lines of which one may be torn.
func readEarlier(path string) (name string, head journal.Tip, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", head, nil
	}
	for line := range strings.Lines(string(text)) {
		var log, digest string
		var number uint64
		if n, _ := fmt.Sscanf(line, "toolresult-audit-head 1 %s %d %s", &log, &number, &digest); n != 3 {
			continue
		}
		if h, err := journal.ParseHash(digest); err == nil && (name == "" || number > head.Number) {
			name, head = log, journal.Tip{Number: number, Hash: h}
		}
	}
	return name, head, err
}

// earlier returns the last record of the log of an earlier version with which the journal is to go on, and whether there is one. Once the
// journal has records the file is removed.
func (l *Log) earlier() (head journal.Tip, found bool, err error) {
	if l.o.Earlier == "" {
		return head, false, nil
	}
	if l.journal.Tip(journal.Records).Number > 0 {
		if err := os.Remove(l.o.Earlier); err != nil && !errors.Is(err, os.ErrNotExist) {
			return head, false, err
		}
		return head, false, nil
	}
	name, head, err := readEarlier(l.o.Earlier)
	if err != nil || name != l.name {
		return journal.Tip{}, false, err
	}
	return head, true, nil
}
