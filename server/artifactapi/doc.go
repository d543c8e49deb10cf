// Package artifactapi serves ArtifactService: artifacts are read in slices, listed, verified, leased and collected, and logs are
// appended to.
package artifactapi
