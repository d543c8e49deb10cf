package salience

import "github.com/toolresult/toolresult/preview/textscan"

// Sets of bytes that lines are trimmed by.
var (
	anyBlanks        = textscan.NewByteSet(" \r\t")
	assigns          = textscan.NewByteSet(" :=")
	blankSet         = textscan.NewByteSet(" \t")
	blanksAndReturns = textscan.NewByteSet(" \r")
	digitSet         = textscan.NewByteSet("0123456789")
	inNumbers        = textscan.NewByteSet("0123456789.%")
	lettersAndBlanks = textscan.NewByteSet("abcdefghijklmnopqrstuvwxyz ")
	positions        = textscan.NewByteSet("0123456789:,-")
	quoteSigns       = textscan.NewByteSet("> ")
	quotesAndBlanks  = textscan.NewByteSet("\" ")
	timeSigns        = textscan.NewByteSet("0123456789:")
	timesAndBlanks   = textscan.NewByteSet("0123456789: ")
	versions         = textscan.NewByteSet("0123.")
)
