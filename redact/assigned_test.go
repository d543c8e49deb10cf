package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

// TestAssignedValuesEndWithTheirSyntax assigns values with symbols in them in the ways that shells, files and programs have: they
// are replaced whole. A mark beside the tail of a secret would say that the tail is none.
func TestAssignedValuesEndWithTheirSyntax(t *testing.T) {
	t.Parallel()
	o := redact.Options{Patterns: redact.BuiltIn()}
	for _, form := range []string{
		"DB_PASSWORD=%s", "export DB_PASSWORD=%s", "DB_PASSWORD='%s'", `DB_PASSWORD="%s"`, "API_KEY=%s", "client_secret=%s", "client_secret: %s",
		"password: %s", "password: '%s'", `password = "%s"`, `{"client_secret":"%s"}`, `{"password": "%s", "x": 1}`, "mysql --password=%s", "tool --token '%s' run",
	} {
		for _, secret := range []string{"Tr0ub4dor&3xkcd", "q7~Zt$4pLm9w", "Xa9(kd82)Lz", "pa55|w0rd;9x!", "9x#Lm%4qT^z2"} {
			line := fmt.Sprintf(form, secret)
			out, _ := redact.Text(o, []byte("before\n"+line+"\nafter\n"))
			for from := range len(secret) - 3 {
				if strings.Contains(string(out), secret[from:from+4]) {
					t.Errorf("%s gives %s", line, out)
					break
				}
			}
			if !strings.HasSuffix(string(out), "\nafter\n") {
				t.Errorf("%s: more than the line is replaced: %s", line, out)
			}
		}
	}
	for form, secret := range map[string]string{ // what is around or in the value begins or ends it elsewhere
		"Set it (DB_PASSWORD=%s) then run.": "Lzw-auKs7PDJ&,wlmIO4R8q", `curl -u "admin:%s" https://h/x`: `SeDK5QL3)"s=4CH27PRJ`, "<DB_PASSWORD=%s>": "MqQs7wp7KBeK,A4+_L_oS",
		"{User:app Password:%s}": "sQiKz)19L,jPSxx2", "{User:app Password:%s Port:1}": "o5G<X8ea,brqsQ",
		`TOKEN='a"b9#cdefgh' DB_PASSWORD="%s" ./run`: "3MXvCy@v5K99p",
	} {
		line := fmt.Sprintf(form, secret)
		if out, _ := redact.Text(o, []byte(line+"\n")); strings.Contains(string(out), secret[len(secret)-4:]) {
			t.Errorf("%s gives %s", line, out)
		}
	}
	for _, harmless := range []string{
		"password=getPassword(user1)", "API_KEY=keys[0].value1", "TOKEN=${GITHUB_TOKEN:-none1}", "TOKEN=$(cat /run/token1)", "password: must have 1 & 2",
		"client_secret: optional, see chapter 7", "api_key = os.environ[\"API_KEY\"]", "DB_PASSWORD=changeme",
	} {
		if out, found := redact.Text(o, []byte(harmless+"\n")); len(found) > 0 {
			t.Errorf("%s gives %s", harmless, out)
		}
	}
}
