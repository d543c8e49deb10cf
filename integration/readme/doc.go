// Package readme does what the README, docs/start.md and docs/tour.md say: its test, behind the build tag
// "readme" because it runs the whole of `make test`, executes every code block.
package readme
