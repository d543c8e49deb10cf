package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
)

// zstdFrames returns where the blocks of a sealed file are: each a mark, which is skippable, with the frame behind it. It reads the file
// as format.md says, and not as this package does.
func zstdFrames(t *testing.T, content []byte) (blocks [][2]int) {
	t.Helper()
	for at := 0; at < len(content); {
		kind, length := binary.LittleEndian.Uint32(content[at:]), int(binary.LittleEndian.Uint32(content[at+4:]))
		end := at + 8 + length
		if kind == 0x184d2a51 && binary.LittleEndian.Uint32(content[at+8+8:]) > 0 {
			end += int(binary.LittleEndian.Uint32(content[at+8+12:]))
			blocks = append(blocks, [2]int{at, end})
		} else if kind>>4 != 0x184d2a5 {
			t.Fatalf("no skippable frame at %d", at)
		}
		at = end
	}
	return blocks
}

// exchange returns content with two ranges in each other's place.
func exchange(content []byte, a, b [2]int) []byte {
	return slices.Concat(content[:a[0]], content[b[0]:b[1]], content[a[1]:b[0]], content[a[0]:a[1]], content[b[1]:])
}

// wantAll fails t unless a journal has all entries, by each way to read it.
func wantAll(t *testing.T, what string, d *simDisk, all [streamCount][]string) {
	t.Helper()
	j, err := Open(Options{disk: d, SegmentSize: 1 << 20, Logger: quiet()})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer j.Close() // its files are thrown away
	for s := Records; s < streamCount; s++ {
		next := 0
		err := j.Each(t.Context(), s, 0, func(e *Entry) error {
			if e.Number != uint64(next+1) || string(e.Data) != all[s][next] {
				return fmt.Errorf("entry %d has other content, want %d", e.Number, next+1)
			}
			next++
			return nil
		}, func(d Damage) error { return fmt.Errorf("%+v", d) })
		if err != nil || next != len(all[s]) {
			t.Errorf("%s: %s: %d of %d are read: %v", what, s, next, len(all[s]), err)
		}
		for n := range all[s] {
			if e, err := j.Get(s, uint64(n+1)); err != nil || string(e.Data) != all[s][n] {
				t.Errorf("%s: %s %d: %v", what, s, n+1, err)
			}
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// TestSwappedBlocksAreRead swaps parts of sealed files, with the table of the file and without: whole blocks, or their frames alone. Every
// entry is there, so each is read.
func TestSwappedBlocksAreRead(t *testing.T) {
	t.Parallel()
	whole, all := recorded(t)
	random, swapped := rand.New(rand.NewPCG(3, 4)), 0
	for _, name := range slices.Sorted(maps.Keys(whole.files)) {
		if path.Ext(name) != sealedSuffix {
			continue
		}
		content := whole.files[name].content
		blocks := zstdFrames(t, content)
		for range 20 {
			if len(blocks) < 2 {
				break
			}
			swapped++
			i := random.IntN(len(blocks) - 1)
			k := i + 1 + random.IntN(len(blocks)-i-1)
			for _, skipped := range []int{0, markBytes} { // what stays of each
				a, b := [2]int{blocks[i][0] + skipped, blocks[i][1]}, [2]int{blocks[k][0] + skipped, blocks[k][1]}
				for _, table := range []bool{true, false} {
					d := copyDisk(whole)
					d.files[name].content = exchange(bytes.Clone(content), a, b)
					if !table {
						clear(d.files[name].content[len(content)-8:])
					}
					d.files[name].durable = bytes.Clone(d.files[name].content)
					wantAll(t, fmt.Sprintf("%s: blocks %d and %d, %d bytes stay, table %v", name, i, k, skipped, table), d, all)
				}
			}
		}
	}
	if swapped == 0 {
		t.Error("no file has blocks to swap")
	}
}

// TestSwappedFramesAreRead swaps frames of a segment, of equal and of other lengths, after it was closed or without that.
func TestSwappedFramesAreRead(t *testing.T) {
	t.Parallel()
	whole, all := recorded(t)
	random := rand.New(rand.NewPCG(5, 6))
	swapped := 0
	for _, name := range slices.Sorted(maps.Keys(whole.files)) {
		if !strings.HasSuffix(name, segmentSuffix) {
			continue
		}
		content := whole.files[name].content
		var frames [][2]int
		for at := firstFrame; binary.LittleEndian.Uint32(content[at:]) == 0x4a525401; {
			end := at + (112+int(binary.LittleEndian.Uint32(content[at+4:]))+7)&^7
			if content[at+25] != 3 { // an entry
				frames = append(frames, [2]int{at, end})
			}
			at = end
		}
		for range 40 {
			if len(frames) < 2 {
				break
			}
			i := random.IntN(len(frames) - 1)
			k := i + 1 + random.IntN(len(frames)-i-1)
			d := copyDisk(whole)
			changed := exchange(bytes.Clone(content), frames[i], frames[k])
			if swapped%2 == 0 { // as after a kill
				clear(changed[frames[len(frames)-1][1]:][:headerSize])
			}
			d.files[name].content = changed
			d.files[name].durable = bytes.Clone(d.files[name].content)
			wantAll(t, fmt.Sprintf("%s: frames %d and %d of %d", name, i, k, len(frames)), d, all)
			swapped++
		}
	}
	if swapped == 0 {
		t.Error("no segment has frames")
	}
}
