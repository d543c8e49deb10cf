// Package daily makes the receipts of commands that people and agents run every day, and reads them as they would: each
// command has a sentence on what is needed next, and texts of its output that answer it.
//
// Outputs are real and whole: testdata/NAME.txt is what the command wrote to its terminal, with public projects and small
// programs as the subject. Most are far larger than the budget of a receipt. README.md has the table.
package daily
