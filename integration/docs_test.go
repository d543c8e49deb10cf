package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// checkTable compares the rows of a table in a document with what the code has,
// or writes them. The table is found by its heading.
func checkTable(t *testing.T, path, heading string, rows []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), heading+"\n")
	separator, rest, _ := strings.Cut(rest, "\n")
	if !found || !strings.HasPrefix(separator, "| ---") {
		t.Fatalf("%s has no table with the heading %s", path, heading)
	}
	var got []string
	for line := range strings.SplitSeq(rest, "\n") {
		if !strings.HasPrefix(line, "|") {
			break
		}
		got = append(got, line)
	}
	diff := cmp.Diff(rows, got)
	if diff == "" {
		return
	}
	if !*update {
		t.Errorf("%s is not what the code says; `make golden` writes it (-code +document):\n%s", path, diff)
		return
	}
	after := strings.TrimPrefix(rest, strings.Join(append(got, ""), "\n"))
	table := strings.Join(append([]string{heading, separator}, append(rows, "")...), "\n")
	err = os.WriteFile(path, []byte(before+table+after), 0o644)
	t.Errorf("%s was written anew, error %v; review it", path, err)
}

// The README begins with the table of what receipts keep that the evaluation measured.
func TestReadmeBeginsWithTheEvaluation(t *testing.T) {
	t.Parallel()
	_, measured, _ := strings.Cut(string(readFile(t, "../docs/evaluation.md")), "<!-- steps -->\n\n")
	table, _, _ := strings.Cut(measured, "\n\n")
	before, _, found := strings.Cut(string(readFile(t, "../README.md")), table+"\n\n")
	if !found || strings.Count(before, "\n") >= 8 {
		t.Errorf("by its line 8 the README should have the table of docs/evaluation.md:\n%s", table)
	}
}

var (
	// formOfFamily is the use of a form that one family, or several, have.
	formOfFamily = regexp.MustCompile(`^(outcome|fact|text|list) of ([a-z_]+(?:, [a-z_]+)*)$`)
	// familyNames are the use of a row of these.
	familyNames = regexp.MustCompile(`^[a-z_]+(?:, [a-z_]+)*$`)
)

// The table of reserved forms in the documentation is the one that writer,
// stuffing and parser share.
func TestDocumentedForms(t *testing.T) {
	t.Parallel()
	var uses grouped // forms of one use, and those of one family, share a row
	for _, f := range renderers.Forms() {
		use, form := f.Use, "`"+f.Begin+"`"
		if m := formOfFamily.FindStringSubmatch(use); m != nil {
			use, form = m[2], m[1]+" "+form
		}
		if n := len(uses.items[use]); n > 0 && strings.HasPrefix(uses.items[use][n-1], strings.Split(form, "`")[0]+"`") {
			uses.items[use][n-1] += " `" + f.Begin + "`"
			continue
		}
		uses.add(use, form)
	}
	var rows, ofFamilies []string
	for _, use := range uses.keys {
		row := fmt.Sprintf("| %s | %s |", strings.Join(uses.items[use], ", "), use)
		if familyNames.MatchString(use) {
			ofFamilies = append(ofFamilies, row)
			continue
		}
		rows = append(rows, row)
	}
	checkTable(t, "../docs/reference/receipts.md", "| begins with | for |", rows)
	checkTable(t, "testdata/forms.md", "| begins with | of |", ofFamilies)
}

// The tables of error kinds in the documentation are the one that hints come from: names by domain on the page, and all of it
// beside the golden cases.
func TestDocumentedErrorKinds(t *testing.T) {
	t.Parallel()
	var rows, domains []string
	var byDomain grouped
	for _, k := range envelope.ErrorKinds() {
		byDomain.add(string(k.Domain), "`"+k.Kind+"`")
		kind := fmt.Sprintf("`%s`, %s", k.Kind, k.Domain)
		if k.Retryable {
			kind += ", retryable"
		}
		if k.Meaning != "" {
			kind += ": " + k.Meaning
		}
		rows = append(rows, fmt.Sprintf("| %s | %s |", kind, k.Hint))
	}
	checkTable(t, "testdata/kinds.md", "| kind, domain: meaning | what to do next |", rows)
	for _, domain := range byDomain.keys {
		domains = append(domains, fmt.Sprintf("| %s | %s |", domain, strings.Join(byDomain.items[domain], " ")))
	}
	checkTable(t, "../docs/reference/errors.md", "| domain | kinds |", domains)
}

// The rules of what matters that people read are those that previews go by. Rules of one reason, place and condition
// share a row, and those of them that agree in all but their text share a score.
func TestDocumentedRules(t *testing.T) {
	t.Parallel()
	var rows grouped
	scores := map[string]*grouped{}
	for _, r := range salience.Rules() {
		place := r.Place.String()
		if r.Next != "" {
			place += fmt.Sprintf(", then one of %q", r.Next)
		}
		row := fmt.Sprintf("| %s | %s | %s |", r.Reason, place, r.Condition())
		score := fmt.Sprintf(" %d", r.Score)
		if r.List {
			score += " (a list)"
		}
		rows.add(row, "")
		if scores[row] == nil {
			scores[row] = &grouped{}
		}
		scores[row].add(score, fmt.Sprintf("`%s`", strings.ReplaceAll(r.Literal, "|", `\|`)))
	}
	var table []string
	for _, row := range rows.keys {
		var texts []string
		for _, score := range scores[row].keys {
			texts = append(texts, strings.Join(scores[row].items[score], " ")+score)
		}
		table = append(table, row+" "+strings.Join(texts, "; ")+" |")
	}
	checkTable(t, "testdata/rules.md", "| reason | where | condition | text, score |", table)
}

// grouped has items under keys, in the order in which keys were first added.
type grouped struct {
	keys  []string
	items map[string][]string
}

func (g *grouped) add(key, item string) {
	if g.items == nil {
		g.items = map[string][]string{}
	}
	if _, known := g.items[key]; !known {
		g.keys = append(g.keys, key)
	}
	g.items[key] = append(g.items[key], item)
}

// What the families say of their results among others.
func TestDocumentedTraits(t *testing.T) {
	t.Parallel()
	_, families := envelope.OneofFields()
	var rows []string
	for _, f := range families {
		subject, failures, paths := "", []string{}, []string{}
		if text, _ := proto.GetExtension(f.Message().Options(), pb.E_Subject).(string); text != "" {
			subject = "`" + text + "`"
		}
		for _, path := range failureFields("", f.Message()) {
			failures = append(failures, "`"+path+"`")
		}
		if path, _ := proto.GetExtension(f.Message().Options(), pb.E_Reads).(string); path != "" {
			paths = append(paths, "reads `"+path+"`")
		}
		changes, _ := proto.GetExtension(f.Message().Options(), pb.E_Changes).([]string)
		for _, path := range changes {
			paths = append(paths, "changes `"+path+"`")
		}
		if subject != "" || len(failures)+len(paths) > 0 {
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", f.Name(), subject, strings.Join(failures, ", "), strings.Join(paths, ", ")))
		}
	}
	checkTable(t, "../docs/reference/compaction.md", "| family | about | a failure when set | files |", rows)
}

// failureFields are the paths of the fields of a message that mean failure.
func failureFields(at string, d protoreflect.MessageDescriptor) (paths []string) {
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		path := at + string(f.Name())
		if envelope.MeansFailure(f) {
			paths = append(paths, path)
		} else if f.Message() != nil {
			paths = append(paths, failureFields(path+".", f.Message())...)
		}
	}
	return paths
}

// What every golden receipt costs, beside the RFC's JSON of the same result.
func TestDocumentedCosts(t *testing.T) {
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, c := range goldenCases(t) {
		dir := filepath.Dir(c)
		receipt, err := os.ReadFile(filepath.Join(dir, "receipt.txt"))
		if err != nil {
			continue // a refusal
		}
		canonical, err := os.ReadFile(filepath.Join(dir, "canonical.json"))
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(goldenDir, dir)
		r, j := counter.Count(string(receipt)), counter.Count(string(canonical))
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %d %% |", name, r, j, (100*r+j/2)/j))
	}
	checkTable(t, "testdata/costs.md", "| golden case | receipt, tokens | canonical JSON, tokens | share |", rows)
}

// The tables of kinds and of changes in the document are those of the code.
func TestDocumentedRedaction(t *testing.T) {
	t.Parallel()
	const path = "../docs/reference/redaction.md"
	var kinds []string
	together := map[string]string{} // kinds that the document lists together, by what it says of them
	for _, r := range redact.BuiltIn().Rules() {
		if strings.HasPrefix(r.About, "gitleaks") || r.About == redact.AboutTokens {
			if name := " `" + r.Kind + "`"; !strings.HasSuffix(together[r.About], name) {
				together[r.About] += name
			}
			continue
		}
		if row := fmt.Sprintf("| `%s` | %s |", r.Kind, r.About); !slices.Contains(kinds, row) {
			kinds = append(kinds, row)
		}
	}
	changed, asItIs := together["gitleaks: changed, see below"], strings.Count(together["gitleaks"], " ")
	kinds = append(kinds, fmt.Sprintf("|%s | %s |", together[redact.AboutTokens], redact.AboutTokens), fmt.Sprintf("|%s | gitleaks: changed |", changed),
		fmt.Sprintf("| `github-pat`, `slack-bot-token` and others | %d rules of gitleaks, unchanged |", asItIs))
	checkTable(t, path, "| kind | matches |", kinds)
	dropped := ""
	for _, c := range redact.Changes() {
		if c.What == "dropped" {
			dropped += " `" + c.Kind + "`"
		}
	}
	checkTable(t, path, "| rules of gitleaks that are dropped or replaced |", []string{"|" + dropped + " |"})
}
