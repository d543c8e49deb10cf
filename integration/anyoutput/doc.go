// Package anyoutput attacks three promises of the sidecar with outputs that no tool in
// its right mind writes: that nothing a tool wrote is refused, that no receipt is over
// its budget, and that a receipt states no fact that its request does not have.
//
// Every case follows from a seed and its number: a family is drawn, its complete message
// is filled by its descriptor, payloads are real outputs that were mutated, and the
// built binary is called over a real socket. What the receipt says is read with
// ParseReceipt and held against the request, by rules that are written here and not in
// the renderers.
package anyoutput
