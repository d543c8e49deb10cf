// Package bench measures the sidecar against floors in the same run: the built
// binary in a process of its own against a stock gRPC server in a process of
// its own, called in turns by one stock client. A ratio is the median over
// rounds, so that a noisy minute touches both sides. docs/reference/benchmarks.md says
// how to read the numbers; nothing here is judged by an absolute time.
package bench
