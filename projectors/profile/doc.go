// Package profile holds what is known of the programs that agents run: what
// their exit codes mean, which of their lines are noise, which must stay, which
// one sums up. A profile is a small YAML file (docs/reference/profiles.md); most are built
// in, and overlays add and replace some.
//
//	Load     reads layers of files into a Set
//	Set      finds the profile of a command line (For), the meaning of an exit
//	         code (Exit), and says why it was this one (Explain)
//	Checker  holds profiles against fixtures, real output with what is expected
//
// A profile only has opinions about lines. What a preview makes of them, and that
// nothing is invented, lost or hidden by them, is the preview's business.
package profile
