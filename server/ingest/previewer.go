package ingest

import (
	"fmt"
	"runtime/debug"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/server/idle"
)

// To look for secrets and to look for lines that are worth showing take about as long. So a preview is made beside the redaction of what
// follows.

// Bounds of the parts that are previewed by another goroutine, in bytes: fewer are not worth it, and more would take much memory.
const (
	minBeside = 32 << 10
	maxBeside = 1 << 20
)

// previewer writes a preview. Not safe for concurrent use.
type previewer struct {
	writer *preview.Writer // of the goroutine, while one works
	copied []byte          // what the goroutine writes
	ended  chan any        // receives the end of the goroutine, with its panic if there is one; nil: none works
	size   int64           // of the preview, in bytes, when a goroutine ended last
}

// newPreviewer returns a previewer for a budget in tokens, with the rules of the program that writes; nil for none.
func newPreviewer(budget int, rules *linerule.Rules) *previewer {
	p := &previewer{writer: preview.NewWriter(budget)}
	p.writer.Watch(rules)
	return p
}

// write appends parts with their number of line ends. They are not retained.
func (p *previewer) write(parts [][]byte, newlines int) {
	writer, size := p.done(), TotalSize(parts)
	if size < minBeside || size > maxBeside {
		writer.WriteParts(parts, newlines)
		p.size = int64(writer.Memory())
		return
	}
	p.copied = p.copied[:0]
	for _, part := range parts {
		p.copied = append(p.copied, part...)
	}
	ended := make(chan any, 1)
	p.ended = ended
	go func() {
		var panicked any
		defer func() {
			if v := recover(); v != nil {
				panicked = idle.Panic(fmt.Sprintf("%s\n%s", idle.DescribePanic(v), debug.Stack()))
			}
			ended <- panicked
		}()
		writer.WriteParts([][]byte{p.copied}, newlines)
	}()
}

// done waits for the goroutine, and returns the writer with all that was written. It passes on a panic of the goroutine.
func (p *previewer) done() *preview.Writer {
	if p.ended == nil {
		return p.writer
	}
	panicked := <-p.ended
	p.ended = nil
	if panicked != nil {
		panic(panicked)
	}
	p.size = int64(p.writer.Memory())
	return p.writer
}

// stop waits for the goroutine. Nothing is written afterwards.
func (p *previewer) stop() {
	if p.ended != nil {
		<-p.ended
		p.ended = nil
	}
}

// memory returns how much memory the preview takes, in bytes. What the goroutine adds just now is not in it.
func (p *previewer) memory() int64 { return p.size + int64(cap(p.copied)) }
