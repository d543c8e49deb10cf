// Package frameworks runs the examples of docs/examples/frameworks, each with its framework, pinned, and with a model that is a
// script: what the model is shown is a receipt, or what the tool answered when no sidecar answers. `make frameworks` runs it.
//
// The drivers are in python/ and node/. What they need is installed below .run, from locks with the hash of every file.
package frameworks
