//go:build race

package redact_test

// raceEnabled is true under the race detector, which makes tests ten times as slow.
const raceEnabled = true
