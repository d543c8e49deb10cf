package streams

import (
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestEveryProviderHasAReader(t *testing.T) {
	t.Parallel()
	for n, name := range pb.Provider_name {
		if (newReader(pb.Provider(n)) == nil) != (n == 0) {
			t.Errorf("%s has no reader of its streams", name)
		}
	}
}
