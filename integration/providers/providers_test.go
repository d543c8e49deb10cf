package providers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	fixtures = flag.String("fixtures", "../../transports/testdata", "folder with turns and streams")
	tableIn  = flag.String("document", "", "document whose table of SDKs is written anew")
)

// A row is what an SDK proves of a provider.
type row struct {
	sdk, provider string
	streams       bool
}

// rows are those of the table, and all must have results.
var rows = []row{
	{"python-openai", "openai_chat", true},
	{"node-openai", "openai_chat", true},
	{"go-openai", "openai_chat", true},
	{"python-openai", "openai_responses", true},
	{"node-openai", "openai_responses", true},
	{"go-openai", "openai_responses", true},
	{"python-anthropic", "anthropic_messages", true},
	{"node-anthropic", "anthropic_messages", true},
	{"go-anthropic", "anthropic_messages", true},
	{"python-google-genai", "gemini", true},
	{"node-genai", "gemini", true},
	{"go-genai", "gemini", true},
	{"python-boto3", "bedrock_converse", false},
	{"node-bedrock-runtime", "bedrock_converse", false},
	{"go-bedrockruntime", "bedrock_converse", false},
	{"python-mistralai", "mistral", true},
	{"node-mistralai", "mistral", true},
	{"python-ollama", "ollama", true},
	{"node-ollama", "ollama", true},
	{"go-ollama", "ollama", true},
}

// TestProviders sends every turn and reads every stream with every SDK.
func TestProviders(t *testing.T) {
	root := fixturesRoot(t)
	jobs, left, err := readJobs(root)
	if err != nil {
		t.Fatal(err)
	}
	python, node := install(t)
	if _, err := output(t.Context(), "mock", nil, python, "selftest.py"); err != nil {
		t.Fatalf("the mock does not refuse what it must: %v", err)
	}
	url := startMock(t, python, root)
	results := drive(t, url, python, node, jobs)
	changes, err := changed(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	table := newTable(left)
	checkTypes(t, node, jobs, table)
	for _, r := range rows {
		for i := range jobs {
			j := &jobs[i]
			if j.Provider != r.provider || j.Kind == streams && !r.streams {
				continue
			}
			d := results[result{r.sdk, j.ID}]
			delete(results, result{r.sdk, j.ID})
			t.Run(r.sdk+"/"+j.ID, func(t *testing.T) {
				ok, known := check(t, j, d, changes[result{r.sdk, j.Provider + "/" + j.Model}])
				table.add(r, j, d, ok, known)
			})
		}
	}
	for r := range results {
		t.Errorf("%s reports on %s, which is in no row", r.sdk, r.job)
	}
	table.compare(t)
}

// check fails unless an SDK did a job as its fixture says, or failed as it is known to;
// then it returns the fault.
func check(t *testing.T, j *job, d *done, changes []string) (ok bool, known *fault) {
	t.Helper()
	if d == nil {
		t.Error("the driver did not report on it")
		return false, nil
	}
	problem := d.problem(j)
	if problem == "" && len(changes) > 0 {
		problem = "the SDK did not send what it was given: " + strings.Join(changes, "; ")
	}
	known = expected(d.SDK, j)
	switch {
	case known != nil && strings.Contains(problem, known.problem):
		t.Logf("known: %s", problem)
		return false, known
	case known != nil:
		t.Errorf("%s %s is known to fail with %q, and does not: %s", d.Package, d.Version, known.problem, problem)
	case problem != "":
		t.Errorf("%s %s: %s\n%s", d.Package, d.Version, problem, d.Trace)
	}
	return problem == "", nil
}

// fixturesRoot returns the folder of fixtures, made absolute for programs elsewhere.
func fixturesRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(*fixtures)
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(root)
	leg(t, err == nil, "there are no fixtures: "+root)
	return root
}

// leg guards what needs more than Go. Where it cannot run, the test is skipped or, with
// TOOLRESULT_LEGS=all, fails.
func leg(t *testing.T, ok bool, why string) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("TOOLRESULT_LEGS") == "all":
		t.Fatalf("TOOLRESULT_LEGS=all, and this leg cannot run: %s", why)
	default:
		t.Skipf("leg skipped: %s", why)
	}
}

// result names what an SDK did of a job.
type result struct{ sdk, job string }

// patience is how long all jobs may take in a language.
const patience = 3 * time.Minute

// drive lets the SDKs of all languages do the jobs.
func drive(t *testing.T, url, python, node string, jobs []job) map[result]*done {
	t.Helper()
	var lines strings.Builder
	for i := range jobs {
		lines.WriteString(text(&jobs[i]) + "\n")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	all, err := driveGo(ctx, url, jobs)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []struct {
		dir     string
		command []string
	}{
		{".", []string{python, "python/drive.py", url}},
		{node, []string{"node", "drive.mjs", url}},
	} {
		out, err := output(ctx, program.dir, strings.NewReader(lines.String()), program.command...)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out) {
			var d done
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatalf("%q wrote %q: %v", program.command, line, err)
			}
			all = append(all, d)
		}
	}
	results := map[result]*done{}
	for i := range all {
		results[result{all[i].SDK, all[i].Job}] = &all[i]
	}
	return results
}

// changed asks the mock which turns arrived otherwise than they were given, by SDK and
// model.
func changed(ctx context.Context, url string) (map[result][]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/changed", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	var list []struct{ SDK, Provider, Model, Change string }
	if err := json.NewDecoder(bufio.NewReader(answer.Body)).Decode(&list); err != nil {
		return nil, fmt.Errorf("the mock's list of changes: %w", err)
	}
	changes := map[result][]string{}
	for _, c := range list {
		key := result{c.SDK, c.Provider + "/" + c.Model}
		changes[key] = append(changes[key], c.Change)
	}
	return changes, nil
}
