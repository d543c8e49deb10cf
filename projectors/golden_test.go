package projectors_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/integration/goldencase"
)

func TestGoldenCases(t *testing.T) { goldencase.Run(t, "..") }

// Whatever the budget is, the receipt keeps to it, or the error names one that is enough.
func TestEveryBudgetIsKept(t *testing.T) {
	t.Parallel()
	keepBudgets(t, goldencase.Load(t, ".."), []envelope.Cost{
		{Tokens: 30}, {Tokens: 60}, {Tokens: 130}, {Tokens: 280}, {Tokens: 700}, {Tokens: 2500}, {Lines: 1}, {Lines: 5}, {Lines: 17},
		{Bytes: 150}, {Bytes: 700}, {Bytes: 3000}, {Tokens: 200, Lines: 9, Bytes: 600},
	})
}

// The same holds when facts are long and lists have many elements, which are then shortened.
func TestLongFactsKeepToEveryBudget(t *testing.T) {
	t.Parallel()
	cases := goldencase.Load(t, "..")
	for _, c := range cases {
		out := c.Request.GetOutput().ProtoReflect()
		if f := out.WhichOneof(out.Descriptor().Oneofs().ByName("result")); f != nil {
			lengthen(out.Get(f).Message())
		}
	}
	keepBudgets(t, cases, []envelope.Cost{{Tokens: 300}, {Tokens: 1000}, {Tokens: 4000}, {Bytes: 900}, {Bytes: 9000}, {Lines: 12}})
}

// lengthen makes the texts of a message long, and its lists.
func lengthen(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
		case f.IsList() && f.Message() != nil:
			list := v.List()
			for i := range list.Len() {
				lengthen(list.Get(i).Message())
			}
			for i := range 40 * list.Len() {
				list.Append(protoreflect.ValueOfMessage(proto.CloneOf(list.Get(i).Message().Interface()).ProtoReflect()))
			}
		case f.IsList():
		case f.Message() != nil:
			lengthen(v.Message())
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(strings.Repeat(v.String()+" ", 1+1500/(len(v.String())+1))))
		}
		return true
	})
}

// keepBudgets projects cases under each of the budgets; a third of the cases with -short.
func keepBudgets(t *testing.T, cases []goldencase.Case, budgets []envelope.Cost) {
	t.Helper()
	store, kept, every := memory.New(), 0, 1
	if testing.Short() {
		every = 3
	}
	for i, c := range cases {
		if i%every != 0 {
			continue
		}
		for _, budget := range budgets {
			made, err := c.Project(t.Context(), &budget, store)
			if short, ok := errors.AsType[*envelope.ShortfallError](err); ok {
				enough := budget
				for try := 0; ok && try < 4; try++ { // of several units, each is named in its turn
					if short.Needed <= short.Budget {
						t.Fatalf("%s, %+v: %v", c.Name, budget, short)
					}
					switch short.Unit {
					case "tokens":
						enough.Tokens = short.Needed
					case "lines":
						enough.Lines = short.Needed
					case "bytes":
						enough.Bytes = short.Needed
					}
					made, err = c.Project(t.Context(), &enough, store)
					short, ok = errors.AsType[*envelope.ShortfallError](err)
				}
				budget = enough
			}
			if err != nil {
				if _, invalid := errors.AsType[*envelope.InvalidError](err); !invalid {
					t.Errorf("%s, %+v: %v", c.Name, budget, err)
				}
				break // whatever the budget is
			}
			if err := made.Receipt.Cost().Fits(budget); err != nil {
				t.Errorf("%s, %+v: %v", c.Name, budget, err)
			}
			kept++
		}
	}
	if kept < 500/every {
		t.Errorf("only %d receipts were made", kept)
	}
}

var errPut = errors.New("no more is put")

// failingSink is a store whose n-th put fails.
type failingSink struct {
	artifactstore.Sink
	n int
}

func (s *failingSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	if s.n--; s.n == 0 {
		return artifactstore.Ref{}, errPut
	}
	return s.Sink.Put(ctx, b)
}

// A result whose artifacts are not all stored is no result.
func TestErrorsOfTheStoreAreReturned(t *testing.T) {
	t.Parallel()
	failed := 0
	for _, c := range goldencase.Load(t, "..") {
		for n := 1; n < 100; n++ {
			sink := &failingSink{memory.New(), n}
			_, err := c.Project(t.Context(), nil, sink)
			if sink.n > 0 { // there are fewer puts
				break
			}
			if !errors.Is(err, errPut) {
				t.Errorf("%s, put %d: %v", c.Name, n, err)
			}
			failed++
		}
	}
	if failed < 100 {
		t.Errorf("only %d puts failed", failed)
	}
}
