package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// This file has the types of settings: each reads and writes its values as text, and reads them from YAML. Errors say what is
// wrong with a value without repeating it, since a secret may have been put in the wrong place.

// kind is how values of one type are written. parse and text are inverse: parse(text(v)) is v.
type kind[T any] struct {
	// name is the placeholder in the help text.
	name string
	// wanted is what a message says of a YAML value that has the wrong type.
	wanted string
	// parse reads the text of a variable or a flag. Its error does not repeat the text.
	parse func(text string) (T, error)
	// text writes a value so that parse reads it back.
	text func(v T) string
	// fromYAML returns the text of a decoded YAML value, or false when the value has the wrong type.
	fromYAML func(v any) (string, bool)
	// native is the value as encoding/json should see it.
	native func(v T) any
}

// textKind is any text. In YAML it must be a string, so that yes, 0644 and 1e3 are not read as something else.
func textKind[T ~string](name string) kind[T] {
	return kind[T]{
		name:     name,
		wanted:   "text (quote it)",
		parse:    func(text string) (T, error) { return T(text), nil },
		text:     func(v T) string { return string(v) },
		fromYAML: yamlText,
		native:   func(v T) any { return string(v) },
	}
}

// boolKind is a switch, as strconv.ParseBool reads it: true, false, 1, 0, t, f.
func boolKind() kind[bool] {
	return kind[bool]{
		name:   "bool", // pflag knows this name and shows no placeholder
		wanted: "true or false",
		parse: func(text string) (bool, error) {
			v, err := strconv.ParseBool(text)
			if err != nil {
				return false, errors.New("is neither true nor false")
			}
			return v, nil
		},
		text: strconv.FormatBool,
		fromYAML: func(v any) (string, bool) {
			b, ok := v.(bool)
			return strconv.FormatBool(b), ok
		},
		native: func(v bool) any { return v },
	}
}

// countKind is a decimal integer without a unit.
func countKind() kind[int] {
	return kind[int]{
		name:     "integer",
		wanted:   "an integer",
		parse:    parseInteger,
		text:     strconv.Itoa,
		fromYAML: yamlInteger,
		native:   func(v int) any { return v },
	}
}

// sizeKind is a number of bytes, with or without a binary unit.
func sizeKind[T int | int64]() kind[T] {
	return kind[T]{
		name:     "size",
		wanted:   "a size such as 65536 or 4MiB",
		parse:    parseSize[T],
		text:     func(v T) string { return formatSize(int64(v)) },
		fromYAML: yamlTextOrInteger,
		native:   func(v T) any { return v },
	}
}

// durationKind is a duration as Go writes it.
func durationKind() kind[time.Duration] {
	return kind[time.Duration]{
		name:   "duration",
		wanted: "a duration such as 30s",
		parse: func(text string) (time.Duration, error) {
			v, err := time.ParseDuration(text)
			if err != nil {
				return 0, errors.New("is not a duration with a unit, such as 30s or 1m30s")
			}
			return v, nil
		},
		text:     formatDuration,
		fromYAML: yamlTextOrInteger, // an integer so that 0 needs no unit
		native:   func(v time.Duration) any { return formatDuration(v) },
	}
}

// listKind is a list of integers, such as user ids.
func listKind() kind[[]int] {
	return kind[[]int]{
		name:   "integers",
		wanted: "a list of integers",
		parse:  parseList,
		text: func(v []int) string {
			words := make([]string, len(v))
			for i, n := range v {
				words[i] = strconv.Itoa(n)
			}
			return strings.Join(words, ",")
		},
		fromYAML: yamlIntegers,
		native:   func(v []int) any { return append([]int{}, v...) }, // never null
	}
}

// pathsKind is a list of paths. A path with a comma can be written in the file alone.
func pathsKind() kind[[]string] {
	return kind[[]string]{
		name:   "paths",
		wanted: "a list of paths",
		parse: func(text string) ([]string, error) {
			if strings.TrimSpace(text) == "" {
				return nil, nil
			}
			return strings.Split(text, ","), nil
		},
		text:     func(v []string) string { return strings.Join(v, ",") },
		fromYAML: yamlTexts,
		native:   func(v []string) any { return append([]string{}, v...) }, // never null
	}
}

// namesKind is a list of names.
func namesKind() kind[[]string] {
	k := pathsKind()
	k.name, k.wanted = "names", "a list of names"
	return k
}

// formatDuration is time.Duration.String without zero minutes and seconds at the end.
func formatDuration(v time.Duration) string {
	text := v.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// parseInteger reads a decimal integer. The error of strconv would repeat the text, which may be a secret in the wrong
// place.
func parseInteger(text string) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.New("is not an integer")
	}
	return v, nil
}

// parseList reads integers with commas between them. An empty text is an empty list.
func parseList(text string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		v, err := parseInteger(strings.TrimSpace(word))
		if err != nil {
			return nil, errors.New("is not a list of integers with commas between them")
		}
		list = append(list, v)
	}
	return list, nil
}

// unit is a suffix of a size.
type unit struct {
	suffix string
	bytes  int64
}

// units returns the units of sizes, the largest first.
func units() []unit {
	return []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
}

// parseSize reads a number of bytes. Overflow is an error: a limit that wraps around would be another limit.
func parseSize[T int | int64](text string) (T, error) {
	digits, scale := text, int64(1)
	for _, u := range units() {
		if number, ok := strings.CutSuffix(text, u.suffix); ok {
			digits, scale = strings.TrimRight(number, " "), u.bytes
		}
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, errors.New("is not a number of bytes, nor one with KiB, MiB or GiB")
	}
	if v > math.MaxInt64/scale || v < math.MinInt64/scale || int64(T(v*scale)) != v*scale {
		return 0, errors.New("is too large")
	}
	return T(v * scale), nil
}

// formatSize writes a size with the largest unit that divides it.
func formatSize(v int64) string {
	for _, u := range units() {
		if v != 0 && v%u.bytes == 0 {
			return fmt.Sprintf("%d%s", v/u.bytes, u.suffix)
		}
	}
	return strconv.FormatInt(v, 10)
}

// yamlText accepts a string.
func yamlText(v any) (string, bool) {
	text, ok := v.(string)
	return text, ok
}

// yamlInteger accepts the types of integers that the YAML library decodes to.
func yamlInteger(v any) (string, bool) {
	switch v.(type) {
	case int, int64, uint64:
		return fmt.Sprint(v), true
	default:
		return "", false
	}
}

// yamlTextOrInteger accepts sizes and durations: with a unit they are text, without they are an integer.
func yamlTextOrInteger(v any) (string, bool) {
	if text, ok := yamlText(v); ok {
		return text, true
	}
	return yamlInteger(v)
}

// yamlIntegers accepts a list of integers.
func yamlIntegers(v any) (string, bool) { return yamlList(v, yamlInteger) }

// yamlTexts accepts a list of strings.
func yamlTexts(v any) (string, bool) { return yamlList(v, yamlText) }

// yamlList accepts a list with elements of one type, and joins their texts as a variable would have them.
func yamlList(v any, element func(any) (string, bool)) (string, bool) {
	list, ok := v.([]any)
	if !ok {
		return "", false
	}
	words := make([]string, len(list))
	for i, item := range list {
		word, ok := element(item)
		if !ok {
			return "", false
		}
		words[i] = word
	}
	return strings.Join(words, ","), true
}
