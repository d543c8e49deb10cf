package config

import (
	"fmt"
	"strings"
)

// minBeginning is how many bytes of a word its beginning must have to stand for the whole.
const minBeginning = 3

// suggestion names the known word nearest to word, or nothing when none is near. All of them begin with prefix,
// which says nothing about how near they are.
func suggestion(prefix, word string, known []string) string {
	folded := strings.ToLower(strings.TrimPrefix(word, prefix))
	best, least := "", 2+len(folded)/4
	for _, candidate := range known {
		target := strings.ToLower(strings.TrimPrefix(candidate, prefix))
		d := distance(folded, target)
		if len(folded) >= minBeginning && strings.HasPrefix(target, folded) {
			d = 1
		}
		if d < least {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// distance is the number of bytes to insert, remove or replace that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
