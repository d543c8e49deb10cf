package frames

import (
	"bytes"
	"encoding/binary"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Form is the form of a line of a stack.
type Form uint8

// The forms.
const (
	None     Form = iota
	At            // "at com.shop.Cart.total(Cart.java:7)": JVM, .NET, JavaScript
	File          // `File "cart.py", line 7, in total`: Python
	Call          // "shop.(*Cart).Total(0x1)" and "created by shop.New": Go
	Numbered      // "#1  0x7f in total (c=1) at cart.c:7": debuggers, sanitizers, PHP
	Counted       // "7: shop::total": Rust
	Place         // "cart.go:7 +0x1d" or "at ./cart.rs:7:1": of the function above it
	Module        // "./shop(total+0x33)[0x55]": backtrace of the C library
	Kernel        // "total+0x33/0x60 [shop]": Linux
	From          // "from cart.rb:7:in 'total'": Ruby
	App           // "(shop 0.1.0) lib/cart.ex:7: Cart.total/1": Elixir
	More          // "... 3 more": frames that are not printed
)

// margins are what lines of stacks are indented by.
var (
	margins = textscan.NewByteSet(" \t|")
	digits  = textscan.NewByteSet("0123456789")
	hex     = textscan.NewByteSet("0123456789abcdefABCDEF")
)

// Frame is a line of a stack.
type Frame struct {
	Form     Form
	Function []byte // from its beginning to the end of the line; nil without one
}

// Is reports whether a line is a frame of a stack.
func Is(line []byte) bool {
	switch Read(line).Form {
	case None, Place:
		return false
	}
	return true
}

// Read reads a line of a stack, without times before it. Its form is None for others.
func Read(line []byte) Frame {
	body := margins.TrimLeft(line)
	if len(body) == 0 {
		return Frame{}
	}
	return read(body, len(body) < len(line))
}

// read reads a line from its body on.
func read(body []byte, indented bool) Frame {
	switch c := body[0]; {
	case c == 'a' && indented && begins(body, "at "):
		if rest := body[len("at "):]; len(rest) > 0 && (rest[0] == '/' || begins(rest, "./")) && rest[len(rest)-1] != ')' && !begins(rest, "async ") {
			return Frame{Form: At}
		}
		return Frame{At, afterModule(body[len("at "):])}
	case c == '#':
		return readNumbered(body)
	case c == '.' && indented && begins(body, "... ") && (ends(body, " more") || ends(body, "omitted") || ends(body, "stack trace ...")):
		return Frame{Form: More}
	case c == 'F' && indented && begins(body, `File "`) && contains(body, `", line `):
		return Frame{Form: File}
	case c == 'f' && indented && begins(body, "from ") && contains(body, ":in "):
		return Frame{Form: From}
	case c == '(' && indented:
		return readApp(body)
	case c >= '0' && c <= '9' && indented:
		return readCounted(body)
	}
	if n := len(body); body[n-1] == ']' && contains(body, ")[0x") {
		return readModule(body)
	}
	if f := readKernel(body); f.Form != None {
		return f
	}
	return readGo(body, indented)
}

// afterModule returns a function without the modules and the words before it.
func afterModule(text []byte) []byte {
	text = bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("async ")), []byte("new "))
	end := bytes.IndexAny(text, "( ")
	if end < 0 {
		end = len(text)
	}
	return text[bytes.LastIndexByte(text[:end], '/')+1:]
}

// readNumbered reads "#1  0x7f in total": the number of the frame, its address, and its function.
func readNumbered(body []byte) Frame {
	rest := digits.TrimLeft(body[1:])
	if len(rest) == len(body)-1 {
		return Frame{}
	}
	rest = margins.TrimLeft(rest)
	if begins(rest, "0x") {
		rest = margins.TrimLeft(hex.TrimLeft(rest[2:]))
	} else if begins(rest, "pc ") {
		rest = margins.TrimLeft(hex.TrimLeft(rest[3:]))
	}
	rest = bytes.TrimPrefix(rest, []byte("in "))
	return Frame{Numbered, bytes.TrimPrefix(rest, []byte("void "))}
}

// readCounted reads "7: shop::total" and "7:     0x55 - shop::total".
func readCounted(body []byte) Frame {
	rest := digits.TrimLeft(body)
	if n := len(body) - len(rest); n > 3 || !begins(rest, ": ") {
		return Frame{}
	}
	rest = margins.TrimLeft(rest[1:])
	if begins(rest, "0x") {
		if _, function, ok := bytes.Cut(rest, []byte(" - ")); ok {
			rest = function
		}
	}
	for len(rest) > 0 && (rest[0] == '<' || rest[0] == '&') {
		rest = rest[1:]
	}
	return Frame{Counted, rest}
}

// readApp reads "(shop 0.1.0) lib/cart.ex:7: Cart.total/1".
func readApp(body []byte) Frame {
	end := bytes.IndexByte(body, ')')
	space := bytes.IndexByte(body, ' ')
	if end < 0 || space < 2 || space+1 >= end || !digits[body[space+1]] || !contains(body[end:], ": ") {
		return Frame{}
	}
	return Frame{App, body[1:]}
}

// readModule reads "./shop(total+0x33)[0x55]".
func readModule(body []byte) Frame {
	at := bytes.IndexByte(body, '(')
	if at <= 0 || bytes.IndexByte(body[:at], ' ') >= 0 {
		return Frame{}
	}
	return Frame{Module, body[at+1:]}
}

// readKernel reads "total+0x33/0x60 [shop]", also behind "? ".
func readKernel(body []byte) Frame {
	at := bytes.Index(body, []byte("+0x"))
	if at <= 0 {
		return Frame{}
	}
	rest := hex.TrimLeft(body[at+3:])
	name := bytes.TrimPrefix(body[:at], []byte("? "))
	if !begins(rest, "/0x") || bytes.IndexByte(name, ' ') >= 0 {
		return Frame{}
	}
	return Frame{Kernel, name}
}

// readGo reads the two lines of a frame of a goroutine.
func readGo(body []byte, indented bool) Frame {
	if !indented {
		if begins(body, "created by ") {
			return Frame{Call, body}
		}
		open := bytes.IndexByte(body, '(')
		if open <= 0 || body[len(body)-1] != ')' || bytes.IndexByte(body[:open], ' ') >= 0 {
			return Frame{}
		}
		if arguments := body[open:]; bytes.IndexByte(arguments, ' ') > 0 && !contains(arguments, "0x") {
			return Frame{} // a call in a line of source
		}
		if dot := bytes.IndexByte(body[:open], '.'); dot <= 0 && !begins(body, "panic(") {
			return Frame{}
		}
		return Frame{Call, body}
	}
	if isGoPlace(body) {
		return Frame{Form: Place}
	}
	return Frame{}
}

// isGoPlace reports whether a line is the place of a Go function: a file, its line, and
// perhaps an offset.
func isGoPlace(body []byte) bool {
	file, rest, ok := bytes.Cut(body, []byte(".go:"))
	if !ok {
		file, rest, ok = bytes.Cut(body, []byte(".s:"))
	}
	if !ok || len(file) == 0 || bytes.IndexByte(file, ' ') >= 0 { // or it quotes a stack
		return false
	}
	after := digits.TrimLeft(rest)
	return len(after) < len(rest) && (len(after) == 0 || begins(after, " +0x"))
}

// Library reports whether a line is a frame, or the place of one, in a library or a
// runtime. The line begins with its body, behind times, levels and margins.
func Library(body []byte) bool {
	switch body[0] {
	case '/', '.':
		if isPlace(body) {
			return hasForeignPlace(body)
		}
	case "❯"[0]:
		return begins(body, "❯ ") && hasForeignPlace(body)
	case '#':
		if begins(body, "# /") { // RSpec
			return hasForeignPlace(body)
		}
	}
	f := read(body, true)
	if f.Form == None && body[0]|0x20 >= 'a' && body[0]|0x20 <= 'z' {
		f = readGo(body, false)
	}
	return f.isLibrary(body)
}

// isPlace reports whether a line is a path and a position, with at most the name of a function.
func isPlace(body []byte) bool {
	at := bytes.IndexByte(body, ':')
	if at <= 0 || bytes.IndexByte(body[:at], ' ') >= 0 {
		return false
	}
	rest := digits.TrimLeft(body[at+1:])
	if len(rest) == len(body)-at-1 {
		return false
	}
	if begins(rest, ":") {
		if after := digits.TrimLeft(rest[1:]); len(after) < len(rest)-1 {
			rest = after
		}
	}
	return len(bytes.TrimRight(rest, " \r")) == 0 || begins(rest, " +0x") || begins(rest, ":in ")
}

// isLibrary reports whether a frame is in a library.
func (f Frame) isLibrary(body []byte) bool {
	switch f.Form {
	case None:
		return false
	case More:
		return true
	case Place:
		return isGoPackage(body) || hasForeignPlace(body)
	case Call:
		function := bytes.TrimPrefix(body, []byte("created by "))
		if isGoPackage(function) {
			return true
		}
	}
	return f.isForeignFunction() || hasForeignPlace(body)
}

// isGoPackage reports whether a function or a place is of a package of Go itself, or a
// place in a module at a version.
func isGoPackage(text []byte) bool {
	end := bytes.IndexAny(text, "./(")
	if end <= 0 {
		return false
	}
	if goPackages[string(text[:end])] {
		return true
	}
	at := bytes.Index(text, []byte("@v"))
	return at > 0 && at+2 < len(text) && digits[text[at+2]]
}

// isForeignFunction reports whether the function of a frame is in the table.
func (f Frame) isForeignFunction() bool {
	if len(f.Function) == 0 {
		return false
	}
	t := &byForm[f.Form]
	for _, beginning := range t.functions[f.Function[0]] {
		if begins(f.Function, beginning) {
			return true
		}
	}
	if len(t.names) == 0 {
		return false
	}
	n := 0
	for n < len(f.Function) && (isWord(f.Function[n]) || n == 0 && f.Function[n] == '<') {
		n++
	}
	if n < len(f.Function) && f.Function[n] == '>' {
		n++
	}
	return n > 0 && t.names[string(f.Function[:n])] && (n == len(f.Function) || f.Function[n] != ':')
}

// isWord reports whether c may be of an identifier.
func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' }

// Foreign reports whether a text that names a place, such as a frame or a path, is in a
// library or a runtime.
func Foreign(text []byte) bool {
	return hasForeignPlace(text) || Read(text).isLibrary(margins.TrimLeft(text))
}

// functions are the functions of the table for one form.
type functions struct {
	functions [256][]string // beginnings, by their first byte
	names     map[string]bool
}

// byForm has the functions of the table by form.
var byForm = func() (list [More + 1]functions) {
	for i := range languages {
		for _, form := range languages[i].forms {
			t := &list[form]
			for _, beginning := range languages[i].functions {
				t.functions[beginning[0]] = append(t.functions[beginning[0]], beginning)
			}
			for _, name := range languages[i].names {
				if t.names == nil {
					t.names = map[string]bool{}
				}
				t.names[name] = true
			}
		}
	}
	return list
}()

// places has the places of the table by a hash of their first three bytes, and placesOf
// the group of a hash; the first group is empty. Of other text few hashes have a group.
var places, placesOf = func() (groups [][]string, of [placeHashes]uint8) {
	groups = append(groups, nil)
	for i := range languages {
		for _, part := range languages[i].places {
			h := placeHash(uint32(part[0]) | uint32(part[1])<<8 | uint32(part[2])<<16)
			if of[h] == 0 {
				of[h] = uint8(len(groups))
				groups = append(groups, nil)
			}
			groups[of[h]] = append(groups[of[h]], part)
		}
	}
	return groups, of
}()

const placeHashes = 1 << 12

// placeHash returns a hash of the first three of four bytes.
func placeHash(four uint32) uint32 { return four << 8 * 0x9E3779B1 >> (32 - 12) }

// hasForeignPlace reports whether a text has a place of the table.
func hasForeignPlace(text []byte) bool {
	for ; len(text) >= 4; text = text[1:] { // no part is shorter
		group := placesOf[placeHash(binary.LittleEndian.Uint32(text))]
		if group == 0 {
			continue
		}
		for _, part := range places[group] {
			if begins(text, part) {
				return true
			}
		}
	}
	return false
}

// begins, ends and contains are those of package bytes for constant texts.
func begins(text []byte, what string) bool {
	return len(text) >= len(what) && string(text[:len(what)]) == what
}

func ends(text []byte, what string) bool {
	return len(text) >= len(what) && string(text[len(text)-len(what):]) == what
}

func contains(text []byte, what string) bool { return bytes.Contains(text, []byte(what)) }
