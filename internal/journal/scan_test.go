package journal

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/cputime"
)

// The CPU time of a start does not depend on what a torn entry has. Not parallel: others would be counted, too.
func TestScanOfMagics(t *testing.T) {
	d := newSimDisk()
	o := Options{disk: d, SegmentSize: 8 << 20, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	payload := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, frameMagic), 512<<10/8)
	add(t, j, Records, string(payload))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range d.files {
		if i := bytes.Index(f.content, payload[:1<<10]); i > 0 {
			f.content[i-headerSize+40] ^= 1
		}
	}
	began := cputime.Used(t)
	j, err = Open(o)
	if err != nil {
		t.Fatal(err)
	}
	j.Close() // nothing is in it
	if took := cputime.Used(t) - began; took > 2*time.Second {
		t.Errorf("512 KiB of frame magics take %s", took)
	}
}
