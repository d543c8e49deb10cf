package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/privatedir"
)

// auditSalvageCommand returns `audit salvage`. It reads the files of a store that no sidecar has open, and calls none: a log may be
// so damaged that no sidecar opens it.
func auditSalvageCommand() *cobra.Command {
	var store, output string
	cmd := &cobra.Command{
		Use: "salvage [flags] DIRECTORY", Short: "Write what is whole of a damaged log into a new one", Args: cobra.ExactArgs(1),
		Long: "Writes every record, and every change of the catalog, that is whole into DIRECTORY/journal, with its hashes. Changes nothing\n" +
			"in the store. Prints what it leaves, and exits with 1 if there is anything. `audit verify --store DIRECTORY` shows what is\n" +
			"there; to go on with it, put it in the place of the directory `journal` of the store. No sidecar may have the store open.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if store == "" {
				c, err := defaultConfig()
				if err != nil {
					return err
				}
				store = c.Store
			}
			return salvageLog(cmd, output, store, args[0])
		},
	}
	outputFlag(cmd.Flags(), &output, "(json has one place on each line, the sums last)", formText, formJSON)
	cmd.Flags().StringVar(&store, "store", "", "the store with the damaged log (default: that of the configuration)")
	return cmd
}

// salvageLog writes what is whole of the log of a store into a directory.
func salvageLog(cmd *cobra.Command, output, store, dir string) error {
	if err := privatedir.Make(dir); err != nil {
		return err
	}
	from, to := filepath.Join(store, "journal"), filepath.Join(dir, "journal")
	p := showProgress(cmd.Context(), func(took time.Duration) string {
		return fmt.Sprintf("%s are written, of a log of %s, %s", formatBytes(treeSize(to)), formatBytes(treeSize(from)), took)
	})
	defer p.stop()
	count, out := 0, p.above(cmd.OutOrStdout())
	logger := slog.New(slog.NewTextHandler(p.above(cmd.ErrOrStderr()), &slog.HandlerOptions{Level: slog.LevelWarn}))
	done, err := journal.Salvage(cmd.Context(), from, to, logger, func(l journal.Left) error {
		count++
		if output == formJSON {
			return printValueLine(out, newSalvageLeft(l))
		}
		return printLeft(out, l)
	})
	if err != nil {
		return err
	}
	if err := copyFormat(store, dir); err != nil {
		return err
	}
	if err := printSalvaged(out, output, done, count); err != nil {
		return err
	}
	if count > 0 {
		return exitError{1}
	}
	return nil
}

// printSalvaged prints what was written, and the number of places that were left.
func printSalvaged(w io.Writer, output string, done journal.Salvaged, places int) error {
	tip := done.Tips[journal.Records]
	if output == formJSON {
		return printValueLine(w, salvageLine{Written: &salvageWritten{
			Records: uint64(done.Entries[journal.Records]), Changes: uint64(done.Entries[journal.Catalog]), Left: places,
			LogID: done.Name, HeadSequence: tip.Number, HeadHash: fmt.Sprint(tip.Hash),
		}})
	}
	return writeln(w, fmt.Sprintf("%d records and %d changes of the catalog are written, %d places named; head: %s %d %s", done.Entries[journal.Records],
		done.Entries[journal.Catalog], places, done.Name, tip.Number, tip.Hash))
}

// salvageLine is a line of `audit salvage --output json`: a place that was left or, last, what was written.
type salvageLine struct {
	Left    *salvageLeft    `json:"left,omitempty"`
	Written *salvageWritten `json:"written,omitempty"`
}

// salvageLeft is a place of the log that is not whole. Of what is not known, the members are empty and 0.
type salvageLeft struct {
	Kind   string `json:"kind"`  // "record" or "change of the catalog"
	First  uint64 `json:"first"` // number of the first entry
	Last   uint64 `json:"last"`
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// salvageWritten sums up a salvage.
type salvageWritten struct {
	Records      uint64 `json:"records"`
	Changes      uint64 `json:"catalog_changes"`
	Left         int    `json:"left"` // places
	LogID        string `json:"log_id"`
	HeadSequence uint64 `json:"head_sequence"`
	HeadHash     string `json:"head_hash"`
}

// newSalvageLeft returns what is printed of a place.
func newSalvageLeft(l journal.Left) salvageLine {
	left := &salvageLeft{First: l.First, Last: l.Last, File: l.File, Reason: l.Reason}
	if l.First > 0 {
		left.Kind = entryNames[l.Stream]
	}
	return salvageLine{Left: left}
}

// entryNames are the names of what a journal has.
var entryNames = map[journal.Stream]string{journal.Records: "record", journal.Catalog: "change of the catalog"}

// treeSize returns the size of all files below a directory, as far as they can be read, in bytes.
func treeSize(dir string) (size uint64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				size += uint64(info.Size())
			}
		}
		return nil
	})
	return size
}

// copyFormat copies the file that makes a directory a store, so that sidecars open it; nothing if it is lost.
func copyFormat(store, dir string) error {
	const name = "FORMAT"
	content, err := os.ReadFile(filepath.Join(store, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), content, 0o600)
}

// printLeft prints a line about what a salvage left.
func printLeft(w io.Writer, l journal.Left) error {
	what := entryNames[l.Stream]
	text := ""
	switch {
	case l.First == 0:
	case l.First == l.Last:
		text = fmt.Sprintf("%s %d: ", what, l.First)
	default:
		text = fmt.Sprintf("%s %d to %d: ", what, l.First, l.Last)
	}
	if l.File != "" {
		text += l.File + ": "
	}
	_, err := fmt.Fprintln(w, text+l.Reason)
	return err
}
