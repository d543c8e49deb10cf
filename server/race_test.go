//go:build race

package server_test

// raceDetector says whether these tests run under the race detector.
const raceDetector = true
