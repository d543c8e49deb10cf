package dag_test

import (
	"slices"
	"strings"
	"testing"
)

// layers is what each package of previews may import of the others; see
// docs/adr/0040-layers-of-previews.md.
var layers = map[string][]string{
	"preview/textscan": {},
	"preview/literal":  {},
	"preview/linerule": {"preview/literal", "preview/textscan"},
	"preview/salience": {"preview/literal"},
	"preview/shape":    {"preview/textscan", "preview/salience", "preview/linerule"},
	"preview":          {"preview/textscan", "preview/salience", "preview/linerule", "preview/shape", "tokens"},
}

func TestPreviewLayers(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, known := layers[name]
		if !known {
			if strings.HasPrefix(name, "preview/") {
				t.Errorf("%s has no layer", name)
			}
			continue
		}
		for _, i := range p.Imports {
			if other, ours := strings.CutPrefix(i, module); ours && !slices.Contains(allowed, other) {
				t.Errorf("%s may not import %s", name, other)
			}
		}
	}
}
