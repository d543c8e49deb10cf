package main

// This file keeps the table of long runs (docs/long-runs.md): a line for each job, written by the job itself, so that
// what CI does not run is known to have run, when, on which commit, and with what result.

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// recordHead is the head of the table in a document of records.
const recordHead = "| job | day | commit | minutes | result | tests |\n| --- | --- | --- | --- | --- | --- |\n"

// writeRecord writes the line of the job in its document anew.
func (j *job) writeRecord(began time.Time, state string, r *result) error {
	text, err := os.ReadFile(j.record)
	if err != nil {
		return err
	}
	commit, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return fmt.Errorf("git describe: %w", err)
	}
	// A job that is no go test, such as a program that attacks receipts, has its counts in a file of its own.
	tests := ""
	if r.tests {
		tests = fmt.Sprintf("%d ran, %d skipped", r.ran, r.skipped)
	}
	// Minutes, since these jobs take hours. A commit that is dirty says that the result is of none.
	line := fmt.Sprintf("| `%s` | %s | %s | %.0f | %s | %s |", j.name, began.UTC().Format(time.DateOnly),
		strings.TrimSpace(string(commit)), time.Since(began).Minutes(), state, tests)
	changed, err := withLine(string(text), line)
	if err != nil {
		return fmt.Errorf("%s: %w", j.record, err)
	}
	return os.WriteFile(j.record, []byte(changed), 0o644)
}

// withLine returns a document whose table has a line in place of the one with the same first cell, in order.
func withLine(document, line string) (string, error) {
	before, table, found := strings.Cut(document, recordHead)
	if !found {
		return "", fmt.Errorf("it has no table with the head %q", strings.SplitN(recordHead, "\n", 2)[0])
	}
	lines := []string{line}
	for strings.HasPrefix(table, "|") {
		var old string
		old, table, _ = strings.Cut(table, "\n")
		if firstCell(old) != firstCell(line) {
			lines = append(lines, old)
		}
	}
	slices.Sort(lines)
	return before + recordHead + strings.Join(lines, "\n") + "\n" + table, nil
}

// firstCell returns the name of the job in a line of the table.
func firstCell(line string) string { return strings.SplitN(line, "|", 3)[1] }
