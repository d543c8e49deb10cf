package mcpproxy

// tools rewrites the answers to tools/list.
type tools struct {
	name           string // of the tool that is added
	definition     []byte // of it
	keepStructured bool   // leave outputSchema in
}

// rewrite returns an answer to tools/list with our tool behind the tools of the last page, and without the schemas of structured
// content that results will not have. foreign reports that the server has a tool of the name of ours; ours is not added then.
func (t tools) rewrite(m message, foreign bool) (pieces [][]byte, isForeign bool) {
	result := m.in("result")
	list := result.get("tools")
	if result.repeats || list.none() || m.text[list.from] != '[' {
		return nil, foreign
	}
	var edits []edit
	all := elements(m.text, list.from)
	for _, s := range all {
		tool := objectAt(m.text, s.from)
		foreign = foreign || tool.string("name") == t.name
		if e, ok := tool.without("outputSchema"); ok && !t.keepStructured && !tool.repeats {
			edits = append(edits, e)
		}
	}
	if result.string("nextCursor") == "" && !foreign {
		end, comma := span{list.to - 1, list.to - 1}, []byte(",")
		if len(all) == 0 {
			comma = nil
		} else {
			end = span{all[len(all)-1].to, all[len(all)-1].to}
		}
		edits = append(edits, edit{end, [][]byte{comma, t.definition}})
	}
	if edits == nil {
		return nil, foreign
	}
	return apply(m.text, edits), foreign
}
