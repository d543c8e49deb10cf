package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

// lookAlikes are lines of programs that have no secret, though they are as random as one. The number stands for
// others like it.
func lookAlikes(n int) []string {
	hex := func(k int) string {
		var b strings.Builder
		for i := 0; b.Len() < k; i++ {
			fmt.Fprintf(&b, "%08x", uint32(n*7919+i*104729+1)*2654435761)
		}
		return b.String()[:k]
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	base64 := func(k int) string {
		b := make([]byte, k)
		for i := range b {
			b[i] = letters[(uint32(n*31+i*i*17+i*7)*2654435761)>>26]
		}
		return string(b)
	}
	uuid := hex(8) + "-" + hex(4) + "-4" + hex(3) + "-8" + hex(3) + "-" + hex(12)
	return []string{
		hex(40) + " refs/heads/main",
		"commit " + hex(40),
		"index " + hex(7) + ".." + hex(8)[1:] + " 100644",
		"github.com/stretchr/testify v1.8." + fmt.Sprint(n%9) + " h1:" + base64(43) + "=",
		`      "integrity": "sha512-` + base64(86) + `==",`,
		`    "resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.` + fmt.Sprint(n) + `.tgz#` + hex(40) + `",`,
		" --hash=sha256:" + hex(64) + " \\",
		"Digest: sha256:" + hex(64),
		"Step 3/9 : RUN make ---> Running in " + hex(12),
		"request_id=" + uuid + " method=GET status=200",
		"X-Request-Id: " + uuid,
		`{"traceId":"` + hex(32) + `","spanId":"` + hex(16) + `"}`,
		"etag: \"" + hex(32) + "\"",
		"checksum = \"" + hex(64) + "\"",
		"panic: goroutine " + fmt.Sprint(n) + " [running]: main.main() 0x" + hex(12),
		"ok  \tgithub.com/acme/widget/internal/token\t0." + fmt.Sprint(n) + "s",
		"token.go:" + fmt.Sprint(n) + ":12: undefined: parseSecretKey",
		"password: must have at least 12 characters",
		"assert.Equal(t, \"secret\", got.Password)",
		"api_key = os.environ[\"API_KEY\"]",
		"TOKEN=${GITHUB_TOKEN} ./run.sh --key=$KEY",
		"data:image/png;base64," + base64(300),
		"<script integrity=\"sha384-" + base64(64) + "\"></script>",
		"-----BEGIN CERTIFICATE-----",
		base64(64),
		"arn:aws:iam::123456789012:role/deploy-" + fmt.Sprint(n),
		"Authorization header is missing for user_id " + fmt.Sprint(n*7919),
		"Downloaded 12.5 MiB in 3.2s, md5 " + hex(32),
	}
}

// What is as random as a secret and is none is left alone.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	o := redact.Options{Patterns: redact.BuiltIn()}
	lines, wrong := 0, map[int]string{}
	for n := range 400 {
		for i, line := range lookAlikes(n) {
			lines++
			if out, found := redact.Text(o, []byte(line+"\n")); len(found) > 0 {
				wrong[i] = string(out)
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("of %d lines of %d kinds, these are redacted: %v", lines, len(lookAlikes(0)), wrong)
	}
}
