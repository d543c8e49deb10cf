// Package packaging makes the packages that .goreleaser.yaml describes, installs them, and starts what they install as systemd does.
// It is a module of its own: what it needs is no part of the sidecar.
package packaging
