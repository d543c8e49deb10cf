// Package families registers the tool families: which projector and which renderer each has, and its default budget. A family
// is one of the contract, or a custom family of an operator.
//
// The list is written by hand in [BuiltIn]; there is no registration at run time and no init. [NewRegistry] checks it both
// ways against the contract when the server starts, so that a missing half of a family stops the start and names it, and no
// request meets a family that is half there.
//
// The package knows no request, no store and no status beyond the one error that a request can cause here: a custom family
// that the operator did not define.
package families

import (
	"errors"
	"fmt"

	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/config"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Registry finds a family by the case of a result. It is immutable, and safe for concurrent use.
type Registry struct {
	families map[string]*Family // by name; a custom family has the full name of its message
	types    envelope.Types     // of the custom families, by name
	names    []string           // in the order of NewRegistry
	failed   *Family            // of results that are errors; not in families, since "error" is no case of its own
}

// NewRegistry checks families both ways against the contract: every family has
// both halves and a case of the same name and number in both oneofs, every case
// has a family, and every canonical payload keeps the conventions. The error names
// the first family or case with a mistake, in the order of the list.
func NewRegistry(families ...Family) (*Registry, error) {
	r := &Registry{families: map[string]*Family{}, types: envelope.Types{}, failed: errorFamily()}
	for i := range families {
		f := &families[i]
		if err := r.add(f); err != nil {
			return nil, fmt.Errorf("family %q: %w", f.Name, err)
		}
	}
	complete, canonical := envelope.OneofFields()
	if err := sameCases(complete, canonical); err != nil {
		return nil, err
	}
	if own, cases := len(families)-len(r.types), len(canonical)-1; own != cases { // one case is for all custom families
		return nil, fmt.Errorf("%d families for %d cases", own, cases)
	}
	for i, c := range canonical {
		if c.Name() == envelope.CustomCase {
			continue
		}
		f := r.families[string(c.Name())]
		if f == nil {
			return nil, fmt.Errorf("case %q of the contract has no family", c.Name())
		}
		if err := checkCase(complete[i].Message(), c.Message(), f.Declared); err != nil {
			return nil, fmt.Errorf("case %q of the contract: %w", c.Name(), err)
		}
	}
	return r, envelope.CheckSchema((*pb.ToolError)(nil).ProtoReflect().Descriptor())
}

// checkCase checks the messages of a case against the conventions: every field of the canonical payload has a retention and
// a role. A declared family has no code of its own, so its complete and canonical messages must pair field by field, too.
func checkCase(complete, canonical protoreflect.MessageDescriptor, declared bool) error {
	if err := envelope.CheckSchema(canonical); err != nil {
		return err
	}
	if err := envelope.CheckRoles(canonical); err != nil || !declared {
		return err
	}
	return envelope.CheckPairs(complete, canonical)
}

// add adds a family. A default budget outside of the bounds of requests would make every call without a budget fail.
func (r *Registry) add(f *Family) error {
	switch {
	case f.Projector == nil:
		return errors.New("has no projector")
	case f.Renderer == nil:
		return errors.New("has no renderer")
	case f.Tokens < config.MinReceiptTokens || f.Tokens > config.MaxReceiptTokens:
		return fmt.Errorf("has a default budget of %d tokens", f.Tokens)
	case r.families[f.Name] != nil:
		return errors.New("is there twice")
	}
	r.families[f.Name] = f
	if f.Type != nil {
		r.types[f.Name] = f.Type
	}
	r.names = append(r.names, f.Name)
	return nil
}

// ByName returns the family of a name, as GetServerInfo lists it; nil if there is none. The family of errors has no name.
func (r *Registry) ByName(name string) *Family { return r.families[name] }

// ForStreams returns the family whose budget and rules the streams of a call have: the one of a name, or that of text if the
// name is not known here. It is nil for what is no name of a family.
func (r *Registry) ForStreams(name string) *Family {
	if f := r.families[name]; f != nil || !IsName(name) {
		return f
	}
	return r.families[textCase]
}

// Names returns the names of the families: those of the contract in its order, then the custom families.
func (r *Registry) Names() []string { return r.names }

// Types returns the message types of the custom families, by name. It is empty without any.
func (r *Registry) Types() envelope.Types { return r.types }

// ErrorFamily returns the family of results that are errors.
func (r *Registry) ErrorFamily() *Family { return r.failed }

// sameCases compares the cases of both oneofs. The same name and number in both lets envelope find a canonical payload by the
// case of its complete output, and a reader of the wire recognize either.
func sameCases(complete, canonical []protoreflect.FieldDescriptor) error {
	if len(complete) != len(canonical) {
		return fmt.Errorf("the contract has %d cases of complete output and %d of canonical results", len(complete), len(canonical))
	}
	for i, c := range canonical {
		if complete[i].Name() != c.Name() || complete[i].Number() != c.Number() {
			return fmt.Errorf("case %q of the contract has no twin of the same name and number", c.Name())
		}
	}
	return nil
}

// ForOutput returns the family of a valid complete output, as AsText returns it. The only one that it may not find is a custom
// family with a name that no family can have, or without a message: the error is an [envelope.InvalidError].
func (r *Registry) ForOutput(out *pb.CompleteToolOutput) (*Family, error) {
	if out.GetError() != nil {
		return r.failed, nil
	}
	if out.GetCustom() == nil {
		return r.families[envelope.Family(out)], nil
	}
	if f := r.families[out.GetCustom().GetType()]; f != nil && f.Type != nil {
		return f, nil
	}
	check := envelope.NewChecker("output." + envelope.CustomCase)
	switch name := out.GetCustom().GetType(); {
	case name == "":
		check.Fail("type", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	case !IsName(name):
		check.Fail("type", pb.ErrorReason_ERROR_REASON_NAME_INVALID, "is no full name of a message")
	default:
		check.Fail("message", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	return nil, check.Err()
}

// ForResult returns the family of a valid canonical result; nil for a custom family that the operator does not define any more.
func (r *Registry) ForResult(c *pb.CanonicalToolResult) *Family {
	if c.GetError() != nil {
		return r.failed
	}
	if c.GetCustom() != nil {
		return r.families[c.GetCustom().GetType()]
	}
	name, _ := envelope.Payload(c)
	return r.families[name]
}

// NameOf returns the name of the family of a valid canonical result, as GetServerInfo and records have it; "" if there is none.
func (r *Registry) NameOf(c *pb.CanonicalToolResult) string {
	if f := r.ForResult(c); f != nil {
		return f.Name
	}
	return ""
}

// Parser returns the parser of the receipts of a family, and whether the family is known. Families of the contract share one
// grammar; a custom family adds its own labels. "" is a family of the contract, whichever.
func (r *Registry) Parser(family string) (parse func(string) (renderers.Document, error), known bool) {
	if family == "" || family == r.failed.Name {
		return renderers.ParseReceipt, true
	}
	f := r.families[family]
	if f == nil {
		return nil, false
	}
	if custom, ok := f.Renderer.(*renderers.CustomRenderer); ok {
		return custom.Parse, true
	}
	return renderers.ParseReceipt, true
}

// Messages returns the error and the payload of a result, whichever it has: those that carry large fields and a ledger.
func (r *Registry) Messages(c *pb.CanonicalToolResult) (list []protoreflect.Message) {
	if c.GetError() != nil {
		list = append(list, c.GetError().ProtoReflect())
	}
	if _, payload := r.types.Open(c); payload != nil {
		list = append(list, payload)
	}
	return list
}
