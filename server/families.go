package server

import (
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// Family is one tool family: how its complete output becomes a canonical
// result, and how that becomes a receipt.
type Family struct {
	Name      string // of its case in the result oneofs of the contract
	Tokens    int    // default budget of a receipt, owned by the family (RFC "Budget Ownership")
	Projector projectors.Projector
	Renderer  renderers.Renderer
}

// Families is the built-in list, in the order of the contract.
func Families() []Family {
	return []Family{
		{Name: "command", Tokens: 2000, Projector: projectors.Command(), Renderer: renderers.Command()},
		{Name: "command_batch", Tokens: 4000, Projector: projectors.CommandBatch(), Renderer: renderers.CommandBatch()},
	}
}

// failed is what handles results without a family: the tool's own errors.
func failed() *Family {
	return &Family{Name: "error", Tokens: 2000, Projector: projectors.Error(), Renderer: renderers.Error()}
}
