package streams

import (
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

func TestEveryProviderHasAReader(t *testing.T) {
	t.Parallel()
	for n, name := range pb.Provider_name {
		if (newReader(pb.Provider(n)) == nil) != (n == 0) {
			t.Errorf("%s has no reader of its streams", name)
		}
	}
}

// Some servers of Responses send the place of an item, others its id alone.
func TestItemsAreFoundByPlaceOrID(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]string{
		"place": {
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c1","name":"a","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`,
		},
		"id": {
			`{"type":"response.output_item.added","item":{"id":"i1","type":"function_call","call_id":"c1","name":"a"}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"i1","delta":"{"}`,
			`{"type":"response.function_call_arguments.done","item_id":"i1","arguments":"{}"}`,
		},
	} {
		r := newReader(pb.Provider_PROVIDER_OPENAI_RESPONSES)
		var a answer
		for _, e := range events {
			o, err := rawjson.Parse([]byte(e))
			if err != nil {
				t.Fatal(err)
			}
			r.event(o, &a)
		}
		if len(a.calls) != 1 || a.calls[0].id != "c1" || a.calls[0].arguments.String() != "{}" {
			t.Errorf("%s: %+v", name, a.calls)
		}
	}
}
