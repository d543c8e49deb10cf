// Package projectors turns complete tool output into canonical results (RFC
// "Complete Output And Projection"): one file per family.
//
// A projector validates what its family was given, makes previews that fit the
// budget, and puts into the artifact store what the previews do not show. The
// budget is that of the receipt as a whole, so a projector is handed a way to
// measure receipts; it does not know how they are made.
package projectors

// Version is the version of projectors and previews. The same complete output and policy
// give the same canonical result for the same version; who changes what comes out, as a
// golden file shows, raises it, so that old records are not taken for forged ones.
const Version = 1
