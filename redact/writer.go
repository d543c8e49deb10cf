package redact

import "io"

// Writer redacts a stream and writes it to another writer. It holds back bytes that may begin a secret (see the package); Close writes
// them. It is not safe for concurrent use.
type Writer struct {
	to io.Writer
	r  *Redactor
}

// NewWriter returns a Writer at the beginning of a stream.
func NewWriter(o Options, to io.Writer) *Writer { return &Writer{to, New(o)} }

// Write implements io.Writer. Its error is that of the writer behind, and then the stream cannot go on.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.pass(w.r.Write([][]byte{p})); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Release writes what waits for more and is not the beginning of a secret, as Redactor.Release says. It is for streams that pause.
func (w *Writer) Release(patienceOver bool) error { return w.pass(w.r.Release(patienceOver)) }

// Close ends the stream, and writes the bytes that were held back. It does not close the writer behind.
func (w *Writer) Close() error { return w.pass(w.r.Flush()) }

// pass writes parts.
func (w *Writer) pass(parts [][]byte) error {
	for _, p := range parts {
		if _, err := w.to.Write(p); err != nil {
			return err
		}
	}
	return nil
}
