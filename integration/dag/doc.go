// Package dag tests the import table of the module: which package may import which, where gRPC may be known, and that
// the packages in which the same input must give the same bytes have no clock, no random source and no environment.
//
// The table is in dag_test.go. CONTRIBUTING.md and the ADRs explain it.
package dag
