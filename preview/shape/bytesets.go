package shape

import "github.com/toolresult/toolresult/preview/textscan"

// Sets of bytes that lines are trimmed by.
var (
	anyBlanks        = textscan.NewByteSet(" \t\r")
	blankSet         = textscan.NewByteSet(" \t")
	blanksAndReturns = textscan.NewByteSet(" \r")
	dashes           = textscan.NewByteSet("-~")
	digitSet         = textscan.NewByteSet("0123456789")
	listSigns        = textscan.NewByteSet(" \t*->0123456789.")
	margins          = textscan.NewByteSet(" \t|")
	plusMinus        = textscan.NewByteSet(" +-")
	traceMargins     = textscan.NewByteSet(" \t|+")
	underlines       = textscan.NewByteSet(" ^~")
)
