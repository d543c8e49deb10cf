// Package providers sends the messages of transports' golden turns through the
// providers' own SDKs, for Python, JavaScript and Go, to a mock that refuses what the
// providers would refuse, and lets the same SDKs read its golden streams. `make
// providers` runs it; README.md has which SDK proved what.
//
// The mock is in mock/, the drivers of the SDKs in python/, node/ and beside this file.
// Neither shares anything with transports but the fixtures: the schemas are the SDKs',
// and the rules are from the providers' documentation. It is a module of its own, so
// that no SDK is among what the sidecar requires.
package providers
