// Package rest checks what the release binary costs when it does nothing: its size, the time until `version` has printed and
// until `serve` answers, and the resident memory of a sidecar that nobody calls. Times are ratios to a Go program that prints a
// word (./floor), in shuffled rounds. It runs as `make rest`, alone.
package rest
