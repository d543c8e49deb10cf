// Package runners makes the receipts of test runners and checkers that failed, and reads them as the one who mends the
// code would: what failed, the expected and the actual value, where in the code, and the counts at the end.
//
// Outputs are real and whole: testdata/NAME.txt is what a runner wrote on a small project.
package runners
