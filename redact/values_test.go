package redact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

func TestNewValuesRejectsSecrets(t *testing.T) {
	t.Parallel()
	long := func(n int) []byte { // of pieces that do not repeat
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%x-", i*2654435761)
		}
		return b.Bytes()[:n]
	}
	crowd := make([]redact.Secret, redact.MaxValues+1)
	for i := range crowd {
		crowd[i] = redact.Secret{Name: "x", Value: fmt.Appendf(nil, "value-%d", i)}
	}
	var heavy []redact.Secret
	for i := range 70 {
		heavy = append(heavy, redact.Secret{Name: "x", Value: append(fmt.Appendf(nil, "%d", i), long(redact.MaxValue-2)...)})
	}
	for name, c := range map[string]struct {
		list []redact.Secret
		want error
	}{
		"empty":       {[]redact.Secret{{Name: "a"}}, redact.ErrEmpty},
		"short":       {[]redact.Secret{{Name: "a", Value: []byte("1234567")}}, redact.ErrShort},
		"line ends":   {[]redact.Secret{{Name: "a", Value: []byte("1234567\r\n\n")}}, redact.ErrShort},
		"long":        {[]redact.Secret{{Name: "a", Value: long(redact.MaxValue + 1)}}, redact.ErrLong},
		"crowd":       {crowd, redact.ErrMany},
		"heavy":       {heavy, redact.ErrMany},
		"one byte":    {[]redact.Secret{{Name: "a", Value: []byte("aaaaaaaa")}}, redact.ErrRepeat},
		"periodic":    {[]redact.Secret{{Name: "a", Value: bytes.Repeat([]byte("abcd"), 100)}}, redact.ErrRepeat},
		"no name":     {[]redact.Secret{{Value: []byte("12345678")}}, redact.ErrName},
		"bad name":    {[]redact.Secret{{Name: "a]b", Value: []byte("12345678")}}, redact.ErrName},
		"long name":   {[]redact.Secret{{Name: strings.Repeat("n", 65), Value: []byte("12345678")}}, redact.ErrName},
		"in a name":   {[]redact.Secret{{Name: "the-hunter22-key", Value: []byte("hunter22")}}, redact.ErrInName},
		"with a mark": {[]redact.Secret{{Name: "a", Value: []byte("x[redacted:y")}}, redact.ErrMark},
	} {
		v, err := redact.NewValues(c.list)
		if !errors.Is(err, c.want) || v != nil {
			t.Errorf("%s: %v, %v; want %v", name, v, err, c.want)
		}
		if err != nil && len(c.list) == 1 && len(c.list[0].Value) > 0 && strings.Contains(err.Error(), string(c.list[0].Value)) {
			t.Errorf("%s: %v shows the value", name, err)
		}
	}
	if _, err := redact.NewValues([]redact.Secret{
		{Name: "longest", Value: long(redact.MaxValue)}, {Name: strings.Repeat("n", 64), Value: []byte("12345678")}, {Name: "again", Value: []byte("12345678")},
	}); err != nil {
		t.Error(err)
	}
}

// No way to print a set or a secret shows a value.
func TestValuesPrintNothing(t *testing.T) {
	t.Parallel()
	secret := redact.Secret{Name: "db", Value: []byte("hunter22hunter")}
	values, err := redact.NewValues([]redact.Secret{secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []any{values, *values, secret, &secret, []redact.Secret{secret}, map[string]any{"v": values}, struct{ V *redact.Values }{values}, redact.Options{Values: values}} {
		var out bytes.Buffer
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, format+"\n", x)
		}
		j, err := json.Marshal(x)
		if err != nil {
			t.Error(err)
		}
		out.Write(j)
		slog.New(slog.NewTextHandler(&out, nil)).Info("m", "x", x)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "x", x)
		for _, form := range []string{"hunter22", "68756e7465723232", "aHVudGVyMjJ", "104 117 110", "[104,117"} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%T shows %s:\n%s", x, form, &out)
			}
		}
	}
	if got := values.String(); got != "[1 values]" {
		t.Error(got)
	}
}

// A long value is found in every encoding too, though these are longer than what is
// looked for at once.
func TestLongValue(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for i := 0; b.Len() < redact.MaxValue; i++ {
		fmt.Fprintf(&b, "%x+", i*2654435761)
	}
	value := b.Bytes()[:redact.MaxValue]
	values, err := redact.NewValues([]redact.Secret{{Name: "long", Value: value}})
	if err != nil {
		t.Fatal(err)
	}
	var percent bytes.Buffer
	for _, c := range value {
		fmt.Fprintf(&percent, "%%%02X", c)
	}
	for name, form := range map[string][]byte{"raw": value, "percent": percent.Bytes(), "hex": fmt.Appendf(nil, "%x", value), "wrapped": bytes.Join(chunks(value, 76), []byte("\r\n"))} {
		text := fmt.Appendf(nil, "before %s after", form)
		for _, size := range []int{1000, len(text)} {
			out, _ := stream(redact.Options{Values: values}, chunks(text, size))
			out = bytes.ReplaceAll(out, []byte("[redacted:long]"), nil)
			if string(out) != "before  after" {
				t.Errorf("%s in chunks of %d: %d bytes are left of %d: %.200q", name, size, len(out), len(text), out)
			}
		}
	}
}

func chunks(b []byte, size int) (list [][]byte) {
	for len(b) > 0 {
		n := min(size, len(b))
		list, b = append(list, b[:n]), b[n:]
	}
	return list
}

// A key file is found where a tool shows it line by line: as diff, git, mail, a shell's comment and YAML write it.
func TestValueOfSeveralLines(t *testing.T) {
	t.Parallel()
	lines := []string{"-----BEGIN THING-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==", "-----END THING-----"}
	values, err := redact.NewValues([]redact.Secret{{Name: "key", Value: []byte(strings.Join(lines, "\n") + "\n")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"diff":         "1,4d0\n< -----BEGIN THING-----\n< MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n< VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n< -----END THING-----\n",
		"diff -u":      "@@ -1,4 +0,0 @@\n------BEGIN THING-----\n-MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n------END THING-----\n",
		"git show":     "@@ -0,0 +1,4 @@\n+-----BEGIN THING-----\r\n+MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\r\n+VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\r\n+-----END THING-----\r\n",
		"coloured":     "\x1b[31m------BEGIN THING-----\x1b[m\n\x1b[31m-MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\x1b[m\n\x1b[31m-VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\x1b[m\n\x1b[31m------END THING-----\x1b[m\n",
		"context":      " -----BEGIN THING-----\n MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n -----END THING-----\n+more\n",
		"mail":         "he wrote:\n> -----BEGIN THING-----\n> MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n> VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n> -----END THING-----\n",
		"comment":      "# -----BEGIN THING-----\n# MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n# VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n# -----END THING-----\n",
		"YAML":         "data:\n  key: |\n    -----BEGIN THING-----\n    MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n    VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n    -----END THING-----\n",
		"Makefile":     "define KEY\n\t-----BEGIN THING-----\n\tMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n\tVJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n\t-----END THING-----\n",
		"diff in JSON": `{"diff":"@@ -1,4 +0,0 @@\n------BEGIN THING-----\n-MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-VJTUt9Us8cKjMzEfYyjiWA4R4nQ+/w==\n------END THING-----\n"}`,
		"file":         strings.Join(lines, "\n"),
	} {
		for _, size := range []int{1, 7, len(form)} {
			out, _ := stream(redact.Options{Values: values}, chunks([]byte(form), size))
			if bytes.Count(out, []byte("[redacted:key]")) != 1 || bytes.Contains(out, []byte("THING")) {
				t.Errorf("%s in chunks of %d: %q", name, size, out)
			}
		}
	}
}
