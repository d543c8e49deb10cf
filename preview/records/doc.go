// Package records writes JSON of records as a table, and ranks its rows. Records
// are the elements of an array, the members of an object that all are objects, or
// objects one after another. As a table they say their keys once.
//
//	Parse  reads JSON, and returns its table
//	Rows   is the records: cells in columns, and how much each record matters
//	Table  is the readable form, whose lines have ranks
package records
