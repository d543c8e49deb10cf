// Package reports reads reports of tests and checks as programs write them to
// files: JUnit XML and its relatives, the JSON of test runners and linters,
// events of go test and cargo test, and TAP. What failed is one element in a line
// of a megabyte there, or one of two thousand rows that look the same.
//
// The readable form of a report has what failed first, each with its message, its
// stack and what it printed; then the suites with their counts, and the rest as an
// outline. Every line of it has a rank of its own. A report may be cut or damaged:
// what is open at the end is closed there, and what has no sense is passed over.
package reports
