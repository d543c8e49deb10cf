package main

import (
	"context"
	"log/slog"

	"github.com/toolresult/toolresult/internal/journal"
)

// frames are the own ones. Nothing is settled: that small ones are durable elsewhere costs every candidate as much.
type frames struct{ j *journal.Journal }

func openFrames(dir string) (Log, error) {
	j, err := journal.Open(journal.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	return frames{j}, err
}

// Append implements Log.
func (f frames) Append(record, small []byte) error {
	var entries []*journal.Entry
	if small != nil {
		entries = append(entries, journal.NewEntry(journal.Temporary, small))
	}
	entries = append(entries, journal.NewEntry(journal.Records, record))
	return f.j.Append(context.Background(), journal.Append{Entries: entries})
}

// Get implements Log.
func (f frames) Get(number uint64) ([]byte, error) {
	e, err := f.j.Get(journal.Records, number)
	if err != nil {
		return nil, err
	}
	return e.Data, nil
}

// Each implements Log.
func (f frames) Each(visit func(record []byte) error) error {
	return f.j.Each(context.Background(), journal.Records, 0, func(e *journal.Entry) error { return visit(e.Data) }, nil)
}

// Retire implements Log.
func (f frames) Retire(until uint64) error {
	return f.j.Retire(context.Background(), journal.Records, until)
}

// Close implements Log.
func (f frames) Close() error { return f.j.Close() }
