// Package profile holds knowledge about the programs that agents run: what their exit
// codes mean, which of their lines are noise, which must stay, and which line sums up.
// A profile is a small YAML file (docs/reference/profiles.md). Most are built in; overlays add
// and replace profiles.
//
//	Load        reads layers of files into a Set
//	Set         finds the profile of a command line (Find), the meaning of an exit
//	            code (Exit), and explains the choice (Explain)
//	Set.Check   compares profiles with fixtures, real output with expected verdicts
//
// A profile only states opinions about lines. The preview decides what becomes of
// them, and ensures that nothing is invented, lost or hidden by a profile.
package profile
