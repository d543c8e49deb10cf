package server

import (
	"errors"
	"io"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/projectors"
)

// orderBytes is how much of a first stream is copied at a time.
const orderBytes = 256 << 10

// order keeps all streams of a call in one, as their chunks come. It begins with
// the first byte of a second stream: until then the first stream is all there is.
type order struct {
	wanted bool
	names  []string            // of the streams that have a byte
	stage  artifactstore.Stage // nil while there are less than two of them
	sealed artifactstore.Blob  // nil before the finish
}

// take takes what comes next, before its own stream takes it. When that fails the
// order is given up, because it would have a gap.
func (o *order) take(a *arrival, in *incoming, parts [][]byte) error {
	if !o.wanted || sizeOf(parts) == 0 {
		return nil
	}
	if in.size == 0 {
		o.names = append(o.names, in.name)
		if len(o.names) == 2 {
			if err := o.begin(a, a.streams[o.names[0]]); err != nil {
				o.giveUp()
				return err
			}
		}
	}
	if o.stage == nil {
		return nil
	}
	if _, err := o.stage.WriteParts(parts); err != nil {
		o.giveUp()
		return err
	}
	return nil
}

// begin begins with what came of the first stream.
func (o *order) begin(a *arrival, first *incoming) (err error) {
	if o.stage, err = a.store.Stage(a.stageContext()); err != nil {
		return err
	}
	prefix, err := first.stage.Prefix()
	if err != nil {
		return err
	}
	r, err := prefix.Open()
	if err != nil {
		return err
	}
	defer r.Close() // read-only
	for buf := make([]byte, min(orderBytes, prefix.Size()+1)); ; {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if _, failed := o.stage.Write(buf[:n]); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// giveUp gives back what the order holds.
func (o *order) giveUp() {
	if o.stage != nil {
		_ = o.stage.Discard() // what it leaves behind, the next start removes
	}
	o.wanted, o.stage, o.sealed = false, nil, nil
}

// prefix is the order of what has arrived; zero when there is none.
func (o *order) prefix() (projectors.InOrder, error) {
	if o.stage == nil {
		return projectors.InOrder{}, nil
	}
	blob, err := o.stage.Prefix()
	return projectors.InOrder{Blob: blob, Keys: o.names}, err
}

// seal ends the order, once; zero when there is none.
func (o *order) seal() (_ projectors.InOrder, err error) {
	if o.stage == nil {
		return projectors.InOrder{}, nil
	}
	if o.sealed == nil {
		o.sealed, err = o.stage.Seal()
	}
	return projectors.InOrder{Blob: o.sealed, Keys: o.names}, err
}
