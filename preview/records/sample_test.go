package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

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

// events is a list of n records between two texts.
func events(n int, before, between, after string) []byte {
	var b bytes.Buffer
	b.WriteString(before)
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(event(i))
	}
	b.WriteString(after)
	return b.Bytes()
}

// A large list keeps the records that failed or are unlike others, the first and the last, wherever it is.
func TestSampleKeepsWhatIsUnlike(t *testing.T) {
	const n = 46_000
	for name, list := range map[string][]byte{
		"an array":         events(n, "[", ",\n", "]"),
		"a page":           events(n, `{"ok":true,"note":"a [b] {","data":{"items":[`, ", ", `],"next":"c"}}`),
		"one after other":  events(n, "", "\n", "\n"),
		"cut":              events(n, "[", ",", `,{"id":60000,"le`),
		"with white space": events(n, " \n[ \n", " ,\r\n\t", "\n]\n"),
	} {
		table := Sample(list, 1000)
		if table == nil {
			t.Fatalf("%s has no table", name)
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
	table := Sample([]byte(b.String()), 1000)
	if table == nil {
		t.Fatal("no table")
	}
	for _, want := range []string{"40000 rows", "981234.50", "refunded", "\n0\t", "\n39999\t"} {
		if !strings.Contains(string(table.Text()), want) {
			t.Errorf("%q is missing in\n%.2000s", want, table.Text())
		}
	}
	for name, text := range map[string]string{"a log": strings.Repeat("one, two, three words of it and more\n", 3000), "short": "a,b,c\n1,2,3\n", "nothing": ""} {
		if table := Sample([]byte(text), 1000); table != nil {
			t.Errorf("%s: %s", name, table.Text())
		}
	}
}

// Marks of a sample count the records of the whole list.
func TestSampleCountsWhatIsLeftOut(t *testing.T) {
	table := Sample(events(50_000, "[", ",", "]"), 1000)
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
		if table := Sample([]byte(text), 1000); table != nil {
			t.Errorf("%s: %s", name, table.Text())
		}
	}
}

// The sample does not depend on how the bytes were split, and a copy goes on by itself.
func TestSampleOfParts(t *testing.T) {
	for _, list := range [][]byte{events(1500, "[", ", ", "]"), events(1500, `{"a":[`, "\n,", "]}"), []byte("id,name,state\n" + strings.Repeat("1,\"a, b\",ok\r\n", 2000))} {
		want := string(Sample(list, 1000).Text())
		var bytewise Sampler
		for i := range list {
			_, _ = bytewise.Write(list[i : i+1])
		}
		if got := bytewise.Table(1000); string(got.Text()) != want {
			t.Errorf("%.500s, want %.500s", got.Text(), want)
		}
		var half Sampler
		_, _ = half.Write(list[:len(list)/2])
		copied := half.Clone()
		_, _ = half.Write([]byte(strings.Repeat("x", 5000)))
		_, _ = copied.Write(list[len(list)/2:])
		if got := copied.Table(1000); string(got.Text()) != want {
			t.Errorf("a copy: %.500s, want %.500s", got.Text(), want)
		}
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
	var s Sampler
	for range 20 {
		_, _ = s.Write(events(20_000, "", "\n", "\n"))
	}
	if n := s.Memory(); n > 4<<20 {
		t.Errorf("it takes %d bytes", n)
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
		if table := Sample(text, 1000); table != nil && table.All() != 1200 {
			t.Fatalf("%d rows", table.All())
		}
	})
}

// An empty text says nothing, whatever its key means.
func TestSampleOfEmptyTexts(t *testing.T) {
	for _, key := range []string{"s", "stat", "state", "ready", "error", "exitCode", "code", "use%", "message", "level", "name"} {
		text := "[" + strings.Repeat(`{"`+key+`":""},`, 1200) + `{"` + key + `":""}]`
		if table := Sample([]byte(text), 1000); table != nil && table.All() != 1201 {
			t.Errorf("%s: %d rows", key, table.All())
		}
	}
}

func FuzzSample(f *testing.F) {
	for _, seed := range []string{"[" + event(1) + "]", `{"a":[{"b":"\"}]"}]}`, `{"a":1}{"b":2}`, "[{}]", `[{"a":"\\"},{"b":[]}`} {
		f.Add(seed, 1500)
	}
	f.Fuzz(func(t *testing.T, text string, times int) {
		if times < 0 || times > 3000 || len(text) > 200 {
			return
		}
		Sample([]byte("["+strings.Repeat(text+",", times)+text), 1000)
		Sample([]byte(text+"\n"+strings.Repeat(text+"\n", times)), 1000)
	})
}

func BenchmarkSample(b *testing.B) {
	text := events(100_000, "[", ",\n", "]")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sample(text, 1000)
	}
}
