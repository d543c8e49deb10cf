// Package packaging has tests alone: they make the packages that .goreleaser.yaml describes, install
// them, and start what they install as systemd does. It is a module of its own: what it needs is no
// part of the sidecar.
package packaging
