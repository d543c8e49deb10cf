package projectors_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/goldencase"
)

func TestGoldenCases(t *testing.T) { goldencase.Run(t, "..") }
