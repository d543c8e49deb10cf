// Package artifactapi serves ArtifactService over a catalog: artifacts are read in slices, listed, verified, leased and
// collected, and logs are appended to.
//
// A read resolves a path, checks that the caller may see the artifact (one that it may not see is unknown, in every byte of the
// answer), selects a range or a match, and returns one page with a token for the next. Pages of one selection concatenate to
// the selected bytes. A log can be read while it grows; its tokens stay good when it becomes an artifact.
//
// The package knows no tool, no family and no receipt: an artifact is bytes with lines. Rights of callers per method are
// checked before, in server/rpc.
package artifactapi
