// Package bench measures parts of the sidecar against floors in the same run: the built
// binary in a process of its own against stock servers in processes of
// their own, called in turns by one client. A ratio is the median over
// rounds, so that a noisy minute touches both sides. What users get as a whole is
// measured by integration/performance; README.md says what there is.
package bench
