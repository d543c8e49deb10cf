// Package pages reads text for people and for browsers: pages as Markdown, and the
// accessibility trees that browsers' tools print. Each has a readable form with a
// sentence, a heading or an element on a line, the main part first.
package pages
