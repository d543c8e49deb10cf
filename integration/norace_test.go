//go:build !race

package integration_test

// raceDetector says whether these tests run under the race detector; the binary
// is then built with it too.
const raceDetector = false
