package hosts_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/hosts"
)

var codexSetting = hosts.TOMLFile{Table: "shell_environment_policy", Sub: "set", Key: "BASH_ENV", Value: "/home/user/.codex/toolresult.bash"}

func TestTOMLForms(t *testing.T) {
	t.Parallel()
	const pair = `BASH_ENV = "/home/user/.codex/toolresult.bash"`
	for before, after := range map[string]string{
		"":                         "[shell_environment_policy]\nset = { " + pair + " }\n",
		"model = \"gpt-5\" # mine": "model = \"gpt-5\" # mine\n\n[shell_environment_policy]\nset = { " + pair + " }\n",
		"[a]\nb = 1\n":             "[a]\nb = 1\n\n[shell_environment_policy]\nset = { " + pair + " }\n",
		"[shell_environment_policy]\ninherit = \"core\"\n[b]\n":               "[shell_environment_policy]\nset = { " + pair + " }\ninherit = \"core\"\n[b]\n",
		"[shell_environment_policy]\nset = { A = \"1\" }\n":                   "[shell_environment_policy]\nset = { " + pair + ", A = \"1\" }\n",
		"[shell_environment_policy]\nset = {}\n":                              "[shell_environment_policy]\nset = {" + pair + " }\n",
		"[ shell_environment_policy . set ] # vars\nA = \"1\"\n":              "[ shell_environment_policy . set ] # vars\n" + pair + "\nA = \"1\"\n",
		"shell_environment_policy.inherit = \"all\"\n[x]\n":                   "shell_environment_policy.inherit = \"all\"\n[x]\n\n[shell_environment_policy.set]\n" + pair + "\n",
		"shell_environment_policy = { inherit = \"all\" }\n":                  "",
		"doc = \"\"\"\n[shell_environment_policy]\nset = { }\n\"\"\"\n":       "doc = \"\"\"\n[shell_environment_policy]\nset = { }\n\"\"\"\n\n[shell_environment_policy]\nset = { " + pair + " }\n",
		"[shell_environment_policy.set]\nBASH_ENV = \"/home/user/mine.sh\"\n": "",
		"broken = \n": "",
	} {
		got, err := codexSetting.Apply([]byte(before))
		if (err != nil) != (after == "") || err == nil && string(got) != after {
			t.Errorf("%q: %v\n%s\nwant\n%s", before, err, got, after)
		}
		if err != nil {
			continue
		}
		if again, err := codexSetting.Apply(got); err != nil || string(again) != string(got) {
			t.Errorf("a second time: %v, %s", err, again)
		}
	}
}

// TestTOMLRevertIsTheInverse draws files, and compares their values.
func TestTOMLRevertIsTheInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfDistinct(rapid.SampledFrom([]string{
			"# a comment\n", "[mcp_servers.big]\ncommand = \"x\"\nset = { A = \"1\" }\n", "[shell_environment_policy]\ninherit = \"core\"\n",
			"[shell_environment_policy.set]\nZ = \"BASH_ENV\"\n", "[[list]]\nv = '''\n[shell_environment_policy]\n'''\n", "[z]\nset = {}\n",
		}), rapid.ID[string]).Draw(t, "parts"), "\n")
		applied := apply(t, codexSetting, text)
		reverted := revert(t, codexSetting, applied)
		var before, after map[string]any
		if err := toml.Unmarshal([]byte(text), &before); err != nil {
			t.Fatal(err)
		}
		if err := toml.Unmarshal([]byte(reverted), &after); err != nil {
			t.Fatal(err)
		}
		for _, tables := range []map[string]any{before, after} { // an empty table may stay
			if p, ok := tables["shell_environment_policy"].(map[string]any); ok && len(p) == 0 {
				delete(tables, "shell_environment_policy")
			}
		}
		if !reflect.DeepEqual(before, after) && len(before)+len(after) > 0 {
			t.Fatalf("%s\nbecame\n%s", text, reverted)
		}
		if rest := subsequence(text, applied); rest != "" {
			t.Fatalf("%q is missing in %s", rest, applied)
		}
	})
}

func TestVariableInAnEnvironmentFile(t *testing.T) {
	t.Parallel()
	v := hosts.Variable{Name: "BASH_ENV", Value: "/x/y"}
	for before, after := range map[string]string{
		"": "BASH_ENV=\"/x/y\"\n", "KEY=1": "KEY=1\nBASH_ENV=\"/x/y\"\n", "KEY=1\r\n": "KEY=1\r\nBASH_ENV=\"/x/y\"\r\n",
		"#BASH_ENV=1\n": "#BASH_ENV=1\nBASH_ENV=\"/x/y\"\n",
	} {
		got := apply(t, v, before)
		if got != after || apply(t, v, got) != got {
			t.Errorf("%q became %q", before, got)
		}
		if back := revert(t, v, got); strings.TrimRight(back, "\r\n") != strings.TrimRight(before, "\r\n") {
			t.Errorf("%q came back as %q", before, back)
		}
	}
	if _, err := v.Apply([]byte("export BASH_ENV=/mine\n")); err == nil {
		t.Error("a variable of the user was replaced")
	}
}
