//go:build !race

package servertest

// Race says whether these tests run under the race detector.
const Race = false
