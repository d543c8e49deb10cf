// Package dag proves the import table of the house: which room may import
// which, where gRPC may be known, and that the rooms in which the same input
// must give the same bytes have no clock, no random source and no environment.
package dag
