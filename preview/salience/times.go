package salience

import "bytes"

// TimeLength returns the length of the times that a text begins with, such as
// "2022-05-20T18:25:58.9Z ", "[21:46:14] " and "[task 2025-02-13T23:52:10.119Z]
// 23:52:10 ", "Jan  2 03:04:05 " and "[   12.345678] ", with a blank behind each;
// 0 when it begins with none.
func TimeLength(text []byte) int {
	n := 0
	for n < len(text) {
		one := oneTime(text[n:])
		if one == 0 {
			break
		}
		n += one
	}
	return n
}

// oneTime returns the length of the first time that a text begins with.
func oneTime(text []byte) int {
	switch c := text[0]; {
	case c == '<':
		return kernelTime(text)
	case c == '[':
		if n := kernelTime(text); n > 0 {
			return n
		}
		return timeLength(text)
	case isDigit(c):
		if n := timeLength(text); n > 0 {
			return n
		}
		return epochTime(text)
	case c >= 'A' && c <= 'W':
		if n := syslogTime(text); n > 0 {
			return n
		}
		return withBlank(text, dateTime(text))
	}
	return 0
}

// withBlank returns the length of a time and the blank behind it: more of them are the
// indentation of what follows. It returns 0 for a time that other text touches.
func withBlank(text []byte, n int) int {
	switch {
	case n == 0 || n == len(text) || text[n] == '\t':
		return n
	case text[n] == ' ':
		return n + 1
	}
	return 0
}

// kernelTime returns the length of the time that Linux writes, perhaps with a
// level before it and a task or a processor behind it, and of one blank: what is
// indented behind it stays so. "<3>[   12.345678][  T321] "
func kernelTime(text []byte) int {
	i := 0
	if len(text) > 3 && text[0] == '<' && isDigit(text[1]) && text[2] == '>' {
		i = 3
	}
	seconds := stampLength(text[i:], '.')
	if seconds == 0 {
		return 0
	}
	i += seconds
	i += stampLength(text[i:], 0)
	if i == len(text) || text[i] != ' ' {
		return 0
	}
	return i + 1
}

// leastStamp is how many bytes there are at least behind the dot of a time of
// the kernel: three digits and the bracket.
const leastStamp = 4

// stampLength returns the length of "[   12.345678]", where a dot is wanted, or
// of "[  T321]", where none is.
func stampLength(text []byte, dot byte) int {
	end := bytes.IndexByte(text[:min(len(text), longestTag)], ']')
	if end < 2 || text[0] != '[' {
		return 0
	}
	inside := bytes.TrimLeft(text[1:end], " ")
	if dot == 0 {
		if len(inside) < 2 || inside[0] != 'T' && inside[0] != 'C' {
			return 0
		}
		inside = inside[1:]
	}
	rest := digitSet.TrimLeft(inside)
	if dot == 0 {
		if len(rest) > 0 {
			return 0
		}
		return end + 1
	}
	if len(rest) == len(inside) || len(rest) < leastStamp || rest[0] != dot || len(digitSet.Trim(rest[1:])) > 0 {
		return 0
	}
	return end + 1
}

// months are the names of months as syslog writes them.
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "

// monthDay is the length of "Jan  2 ".
const monthDay = len("Jan  2 ")

// isMonthDay reports whether a text begins with "Jan  2 ".
func isMonthDay(text []byte) bool {
	return len(text) > monthDay && text[3] == ' ' && isDigit(text[5]) && text[6] == ' ' && contains([]byte(months), string(text[:4]))
}

// syslogTime returns the length of "Jan  2 03:04:05 ", with one blank.
func syslogTime(text []byte) int {
	if !isMonthDay(text) {
		return 0
	}
	n := bareTime(text[monthDay:])
	if n == 0 || monthDay+n == len(text) || text[monthDay+n] != ' ' {
		return 0
	}
	return monthDay + n + 1
}

// weekdays are the names of days before a date.
const weekdays = "Mon Tue Wed Thu Fri Sat Sun "

// yearLength is that of " 2026".
const yearLength = 5

// dateTime returns the length of "Sun Nov 29 10:00:01.123456 2026", which may have a zone before the year, as date and
// the servers of Apache write it.
func dateTime(text []byte) int {
	const day = len("Sun ")
	if len(text) < day || text[3] != ' ' || !contains([]byte(weekdays), string(text[:day])) || !isMonthDay(text[day:]) {
		return 0
	}
	i := day + monthDay
	n := bareTime(text[i:])
	if n == 0 {
		return 0
	}
	i += n
	i += zoneLength(text[i:])
	if len(text) < i+yearLength || text[i] != ' ' || len(digitSet.TrimLeft(text[i+1:i+yearLength])) > 0 {
		return 0
	}
	return i + yearLength
}

// zones stand behind a time, with a blank between.
var zones = []string{" UTC", " GMT", " AM", " PM"}

// zoneLength returns the length of the zone that a text begins with: " UTC", " +0100".
func zoneLength(text []byte) int {
	for _, zone := range zones {
		if bytes.HasPrefix(text, []byte(zone)) && (len(text) == len(zone) || !isAlphanumeric(text[len(zone)])) {
			return len(zone)
		}
	}
	const offset = len(" +0100")
	if len(text) >= offset && text[0] == ' ' && (text[1] == '+' || text[1] == '-') && len(digitSet.TrimLeft(text[2:offset])) == 0 && (len(text) == offset || !isAlphanumeric(text[offset])) {
		return offset
	}
	return 0
}

// epochTime returns the length of the seconds since 1970 with a fraction, "1764410400.123 ", and a blank.
func epochTime(text []byte) int {
	const seconds = len("1764410400")
	if len(text) <= seconds || text[0] != '1' || text[seconds] != '.' || len(digitSet.TrimLeft(text[:seconds])) > 0 {
		return 0
	}
	n := len(text) - len(digitSet.TrimLeft(text[seconds+1:]))
	if n == seconds+1 || n == len(text) {
		return 0
	}
	return withBlank(text, n)
}

const (
	longestTime     = 48 // limit of bytes of a time
	longestTimeWord = 9  // limit of bytes of a word before a time in brackets
)

// timeLength returns the length of one time, perhaps in brackets, with one
// blank behind it.
func timeLength(text []byte) int {
	i := 0
	if text[0] == '[' {
		for i = 1; i < len(text) && i <= longestTimeWord && (text[i] >= 'a' && text[i] <= 'z' || i > 1 && text[i] == ' '); i++ {
		}
	}
	n := bareTime(text[i:])
	if n > 0 {
		n += zoneLength(text[i+n:])
	} else if i > 0 {
		n = dateTime(text[i:])
	}
	if n == 0 {
		return 0
	}
	i += n
	if text[0] == '[' {
		if i == len(text) || text[i] != ']' {
			return 0
		}
		i++
	}
	return withBlank(text, i)
}

// bareTime returns the length of a time of day, with or without a date; 0 for
// less than hours, minutes and seconds.
func bareTime(text []byte) int {
	i, digits, colons := 0, 0, 0
core:
	for ; i < len(text) && i < longestTime; i++ {
		switch c := text[i]; {
		case isDigit(c):
			digits++
		case c == ':':
			colons++
		case c == '-' || c == '.' || c == 'T' || c == 'Z' || c == '+' || c == ',' || c == '/':
		case c == ' ' && colons == 0 && (digits == 8 && i == 10 || digits == 4 && i == 5): // between a date and a time
		default:
			break core
		}
	}
	if digits < 6 || colons < 2 {
		return 0
	}
	return i
}
