package costs

import (
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/reflect/protoregistry"
)

// atoms are what texts consist of that cost something in one reader or another.
var atoms = []string{
	"", "a", "1", "\n", "\r", "\r\n", "\t", " ", "x\n", "\x00", "\xff", "\xf0\x9f", "é", "e\u0301", "\u0301", "\u200b", "\u202e", "\U000e0041", "漢",
	"\x1b[1m", "\x1b]0;t\a", "\x1b[2K", "\b", "error: x\n", "ERROR %d\n", "warning: y at z.go:%d\n", "FAIL\n", "%d\n", "%d%%\r", "panic: \n",
	"<b>", "</b>", "<p>", "<td>", "<tr>", "<table>", "<li>", "<a href=x>", "&amp;", "&#x301;", "<!--", "<div>", "</div>", "<script>", "<br>", "<h1>%d</h1>",
	"# ", "- ", "| a |\n", "```\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "+a\n", "-a\n", "diff --git a/%d b/%d\n", "a.go:%d:x\n", "./f%d\n",
	"[", "]", "{", "}", "[1],", `{"a":1},`, `{"a":[]},`, `"",`, `"k%d":1,`, `"\\u0061%d":"\\n",`, "1,", `{"id":%d,"message":"m%d"},`, `{"error":"%d"}` + "\n",
	`{"type":"text","text":""},`, `{"type":"text","text":"{}"},`, `{"type":"resource_link","uri":"%d"},`, `{"type":"image","data":""},`,
	`{"type":"resource","resource":{"uri":"","text":""}},`, `{"role":"user","content":"%d"},`, "stdout:\n", "Process exited with code 0\n", "[…3:]\n",
	"password=hunter22hunter\n", "AKIAIOSFODNN7EXAMPLE ", "QUJDRGVmZ2hpSktMbW5vcFFSU1R1dnd4WVoxMjM0NTY3ODkw", "https://x.y/%d ", "PASS: t%d\n", "Compiling c%d v1\n",
}

// frames are heads and tails around parts that end with a comma.
var frames = [][2]string{
	{"", ""}, {"", ""}, {"", ""}, {"[", "1]"}, {`{"a":[`, "1]}"}, {"{", `"last":1}`}, {`{"content":[`, `1]}`}, {`{"structuredContent":[`, `1]}`},
	{`{"structuredContent":{`, `"last":1}}`}, {`{"content":[`, `1],"isError":true}`}, {`"`, `"`}, {`["`, `"]`},
	{"<html><body>", "</body></html>"}, {"<table>", "</table>"}, {"<html>", ""}, {"{\"content\":[{\"type\":\"text\",\"text\":\"", "\"}]}"},
}

// Sizes are what a field is filled with, in bytes: as much as a message may have, and less.
const (
	large = 3_900_000
	small = 500_000
)

// Random returns a recipe for any field of any method.
func Random(r *rand.Rand) Recipe {
	methods := Methods()
	made := Recipe{Method: methods[r.IntN(len(methods))]}
	if r.IntN(2) == 0 {
		made.Method = "ToolResultService/Project"
	}
	_, method, err := made.Message()
	if err != nil {
		return made
	}
	if fields := Paths(method.Input()); len(fields) > 0 {
		made.Fill = fields[r.IntN(len(fields))]
	}
	made.Bytes, made.Tokens = large, [...]uint32{0, 0, 16, 4_000, 200_000}[r.IntN(5)]
	made.setText(r)
	return made.streamed(r)
}

// setText draws the text of a recipe.
func (r *Recipe) setText(random *rand.Rand) {
	var part strings.Builder
	for range 1 + random.IntN(3) {
		part.WriteString(atoms[random.IntN(len(atoms))])
	}
	r.Part = Text(part.String())
	frame := frames[random.IntN(len(frames))]
	r.Head, r.Tail = Text(frame[0]), Text(frame[1])
	if strings.HasSuffix(frame[1], "]") || strings.HasSuffix(frame[1], "}") {
		r.Part = Text(nested(random, 1+random.IntN(3)))
	}
}

// nested draws JSON that ends with a comma.
func nested(r *rand.Rand, depth int) string {
	if depth == 0 {
		return [...]string{"1", `""`, "{}", "[]", "null", `"a"`, `"\u0061"`, "1e9"}[r.IntN(8)] + ","
	}
	inner := strings.TrimSuffix(nested(r, depth-1), ",")
	levels := [...]int{0, 1, 1, 2, 20, 57}[r.IntN(6)]
	switch r.IntN(3) {
	case 0:
		return strings.Repeat("[", levels) + inner + strings.Repeat("]", levels) + ","
	case 1:
		return strings.Repeat(`{"a":`, levels) + inner + strings.Repeat("}", levels) + ","
	}
	return `{"id":%d,"message":` + inner + `},`
}

// streamed lets the payload of a recipe arrive in chunks, now and then.
func (r Recipe) streamed(random *rand.Rand) Recipe {
	if path, ok := strings.CutSuffix(r.Fill, ".inline"); ok && r.Method == "ToolResultService/Project" && strings.HasPrefix(path, "output.") && random.IntN(3) == 0 {
		r.Streamed = true
	}
	return r
}

// Mutate returns a recipe that is like another but for one thing.
func Mutate(from Recipe, r *rand.Rand) Recipe {
	from.Cost = 0
	switch r.IntN(6) {
	case 0:
		from.Tokens = [...]uint32{0, 16, 400, 4_000, 200_000}[r.IntN(5)]
	case 1:
		from.setText(r)
	case 2:
		from.Part += Text(atoms[r.IntN(len(atoms))])
	case 3:
		if len(from.Part) > 1 {
			at := 1 + r.IntN(len(from.Part)-1)
			from.Part = from.Part[:at] + Text(atoms[r.IntN(len(atoms))]) + from.Part[at:]
		}
	case 4:
		if len(from.Part) > 2 {
			at := r.IntN(len(from.Part) - 1)
			from.Part = from.Part[:at] + from.Part[at+1:]
		}
	case 5:
		from.Bytes = [...]int{large, small}[r.IntN(2)]
	}
	return from.streamed(r)
}

// Moved returns a recipe with the text of another for a payload of any family.
func Moved(from Recipe, r *rand.Rand) Recipe {
	t, err := protoregistry.GlobalTypes.FindMessageByName("toolresult.v1.ProjectRequest")
	if err != nil {
		return from
	}
	var payloads []string
	for _, path := range Paths(t.Descriptor()) {
		if strings.HasPrefix(path, "output.") && strings.HasSuffix(path, ".inline") {
			payloads = append(payloads, path)
		}
	}
	from.Method, from.Fill, from.Cost = "ToolResultService/Project", payloads[r.IntN(len(payloads))], 0
	return from.streamed(r)
}
