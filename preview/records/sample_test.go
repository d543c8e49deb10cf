package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// event returns one record of a list: most are alike, some are not.
func event(i int) string {
	switch i {
	case 12_345:
		return `{"id":12345,"level":"error","message":"disk quota exceeded on volume 7","ms":12,"host":{"name":"web-1"}}`
	case 23_456:
		return `{"id":23456,"level":"info","message":"request 23456 answered","ms":90000,"host":{"name":"web-2"}}`
	case 34_567:
		return `{"id":34567,"level":"info","message":"request 34567 answered","ms":14,"host":{"name":"web-2"},"retried_by":"operator"}`
	case 45_678:
		return `{"id":45678,"level":"audit","message":"request 45678 answered","ms":14,"host":{"name":"web-2"}}`
	}
	return fmt.Sprintf(`{"id":%d,"level":"info","message":"request %d answered","ms":%d,"host":{"name":"web-%d"}}`, i, i, 10+i%17, i%4)
}

// events is a reader of a list of n records between two texts.
func events(n int, before, between, after string) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, before)
		for i := range n {
			if i > 0 {
				_, _ = io.WriteString(w, between)
			}
			if _, err := io.WriteString(w, event(i)); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, after)
		_ = w.Close()
	}()
	return r
}

// A large list keeps the records that failed or are unlike others, the first and the last, wherever it is.
func TestSampleKeepsWhatIsUnlike(t *testing.T) {
	const n = 46_000
	for name, r := range map[string]io.Reader{
		"an array":         events(n, "[", ",\n", "]"),
		"a page":           events(n, `{"ok":true,"note":"a [b] {","data":{"items":[`, ", ", `],"next":"c"}}`),
		"one after other":  events(n, "", "\n", "\n"),
		"cut":              events(n, "[", ",", `,{"id":60000,"le`),
		"byte after byte":  iotest.OneByteReader(events(n, "[", ",\n", "]")),
		"with white space": events(n, " \n[ \n", " ,\r\n\t", "\n]\n"),
	} {
		table, err := Sample(r, 1000)
		if err != nil || table == nil {
			t.Fatalf("%s: %v, %v", name, table, err)
		}
		text := string(table.Text())
		for _, want := range []string{
			"\n12345\t", "disk quota exceeded", "\n23456\t", "\n34567\t", "\n45678\t", "\n0\t", "\n45999\t", fmt.Sprintf("%d rows, %d of them here", n, table.Rows()),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%.2000s", name, want, text)
			}
		}
		if table.All() != n || table.Rows() > sampledMost+2*sampledEnds {
			t.Errorf("%s: %d of %d rows", name, table.Rows(), table.All())
		}
	}
}

// A large file of values keeps the same.
func TestSampleOfLines(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,day,amount,state,note\n")
	for i := range 40_000 {
		switch i {
		case 7777:
			b.WriteString("7777,2026-01-01,981234.50,paid,\n")
		case 8888:
			b.WriteString("8888,2026-01-01,12.50,refunded,asked twice\n")
		default:
			fmt.Fprintf(&b, "%d,2026-01-%02d,%d.50,paid,\n", i, i%28+1, 10+i%9)
		}
	}
	table, err := SampleLines(strings.NewReader(b.String()), 1000)
	if err != nil || table == nil {
		t.Fatal(table, err)
	}
	for _, want := range []string{"40000 rows", "981234.50", "refunded", "\n0\t", "\n39999\t"} {
		if !strings.Contains(string(table.Text()), want) {
			t.Errorf("%q is missing in\n%.2000s", want, table.Text())
		}
	}
	for name, text := range map[string]string{"a log": strings.Repeat("one, two, three words of it and more\n", 3000), "short": "a,b,c\n1,2,3\n", "nothing": ""} {
		if table, err := SampleLines(strings.NewReader(text), 1000); table != nil || err != nil {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
}

// Marks of a sample count the records of the whole list.
func TestSampleCountsWhatIsLeftOut(t *testing.T) {
	table, err := Sample(events(50_000, "[", ",", "]"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	heads, left := table.Heads(), 0
	for i := heads; i < table.Len(); i += 10 {
		left += table.Left(i, min(i+9, table.Len()))
	}
	shown := 0
	for i := heads + 9; i < table.Len(); i += 10 {
		shown++
	}
	if left+shown != 50_000 {
		t.Errorf("%d are left out, and %d are shown, of 50000", left, shown)
	}
}

// What is no large list of objects has no sample.
func TestWhatHasNoSample(t *testing.T) {
	for name, text := range map[string]string{
		"few":        "[" + event(1) + "," + event(2) + "]",
		"scalars":    "[" + strings.Repeat("1,", 5000) + "1]",
		"a word":     "words",
		"nothing":    "",
		"an object":  `{"a":{"b":[1,2,3]}}`,
		"an open":    `[{"a":`,
		"no objects": strings.Repeat(`{"a":1}x`, 3),
	} {
		if table, err := Sample(strings.NewReader(text), 1000); table != nil || err != nil {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
}

// An error of the payload is reported.
func TestSampleReportsErrors(t *testing.T) {
	if _, err := Sample(io.MultiReader(strings.NewReader("["+strings.Repeat(event(1)+",", 3000)), iotest.ErrReader(io.ErrClosedPipe)), 1000); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

// The memory of a sample does not grow with the list, whatever its records are.
func TestSampleIsBounded(t *testing.T) {
	for name, record := range map[string]func(i int) string{
		"new keys":    func(i int) string { return fmt.Sprintf(`{"k%d":%d,"v":"error: %d"}`, i, i, i) },
		"new values":  func(i int) string { return fmt.Sprintf(`{"a":"v%d","b":"w%d","status":"failed %d"}`, i, i*7, i) },
		"long values": func(i int) string { return fmt.Sprintf(`{"a":"%s%d"}`, strings.Repeat("x", 15_000), i) },
		"many fields": func(i int) string {
			var b strings.Builder
			for k := range 400 {
				fmt.Fprintf(&b, `"f%d":%d,`, k, i*k)
			}
			return "{" + b.String() + `"z":1}`
		},
	} {
		k := newKeeper()
		for i := range 3_000 {
			k.add([]byte(record(i)))
		}
		size := 0
		for _, one := range k.list() {
			size += len(one.text)
		}
		if size > sampledBytes+2*sampledEnds*sampledRecord || len(k.kinds) > sampledKinds || len(k.alike) > sampledKinds || len(k.fields) > 4*sampledFields {
			t.Errorf("%s: %d bytes, %d kinds, %d alike, %d fields", name, size, len(k.kinds), len(k.alike), len(k.fields))
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := Sample(events(400_000, "[", ",", "]"), 1000); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes are held", grown)
	}
}

// Any JSON of objects is read without a panic, and each record that is kept is one of the list.
func TestSampleOfAnyList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.MapOfN(rapid.StringMatching(`[a-z]{1,4}`), rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.Just[any]([]any{"x", map[string]any{"error": "e"}}), rapid.Just[any](nil),
		), 1, 5), 1, 6).Draw(t, "values")
		var list [][]byte
		for i := range 1200 {
			text, err := json.Marshal(values[i%len(values)])
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, text)
		}
		text := append(append([]byte("["), bytes.Join(list, []byte(", "))...), ']')
		if _, err := Sample(bytes.NewReader(text), 1000); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzSample(f *testing.F) {
	for _, seed := range []string{"[" + event(1) + "]", `{"a":[{"b":"\"}]"}]}`, `{"a":1}{"b":2}`, "[{}]", `[{"a":"\\"},{"b":[]}`} {
		f.Add(seed, 1500)
	}
	f.Fuzz(func(t *testing.T, text string, times int) {
		if times < 0 || times > 3000 || len(text) > 200 {
			return
		}
		if _, err := Sample(strings.NewReader("["+strings.Repeat(text+",", times)+text), 1000); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkSample(b *testing.B) {
	text, _ := io.ReadAll(events(100_000, "[", ",\n", "]"))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Sample(bytes.NewReader(text), 1000); err != nil {
			b.Fatal(err)
		}
	}
}
