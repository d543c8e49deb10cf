// Package web reads fetched bodies as text: it decodes declared character sets and
// turns HTML into Markdown, or into plain text where a page is too much for that.
//
// Pages are hostile input. Time and memory are bounded by counting the work that a
// page makes, and no page fails: the worst one is read as plain text. Nothing is
// ever fetched here.
package web
