package dialect

// Bounds of a turn, as transport.proto states them.
const (
	MaxCalls       = 64
	MaxBlocks      = 1024
	MaxNoticeBytes = 4096
	MaxIDBytes     = 256
	MaxNameBytes   = 128
)

// Limits bound the images and documents of one request. Media above them are described in words, because the provider
// would reject the whole request. Sizes are bytes before base64. Counts are of one request, of which a turn is a part:
// media of earlier turns count too, and the runtime must watch them.
type Limits struct {
	Image, Document Limit
	Pixels          int // largest width or height of an image in pixels; 0 if no limit is known
}

// Limit bounds the media of a kind.
type Limit struct {
	Bytes int // of one
	Count int
}

// maxUndocumented is the number of media of canonical results in a turn, for providers that document no number.
const maxUndocumented = 64

// mebibyte is 1 MiB in bytes. Limits of requests count base64, of which 4 bytes hold 3 of media.
const mebibyte = 1 << 20

// Limits by provider, from their documentation of images and documents and from their error messages.
var (
	// "image exceeds 5 MB maximum: N bytes > 5242880 bytes", where N counts the characters of base64; "image dimensions
	// exceed max allowed size: 8000 pixels"; 100 images, and 32 MB of a request (Anthropic, "Vision" and "PDF support").
	anthropicLimits = Limits{Image: Limit{5 * mebibyte / 4 * 3, 100}, Pixels: 8000, Document: Limit{32 * mebibyte / 4 * 3, maxUndocumented}}
	// 500 images and 50 MB of a request (OpenAI, "Images and vision" and "File inputs").
	openAILimits = Limits{Image: Limit{50 * mebibyte / 4 * 3, 500}, Document: Limit{50 * mebibyte / 4 * 3, maxUndocumented}}
	// 20 MB of a request with inline data, 3,000 images (Google, "Image understanding", and "Supported input files" of
	// Vertex AI).
	geminiLimits = Limits{Image: Limit{20 * mebibyte / 4 * 3, 3000}, Document: Limit{20 * mebibyte / 4 * 3, maxUndocumented}}
	// 20 images of 3.75 MB and 8,000 pixels, five documents of 4.5 MB (Bedrock, "Message" of the Converse API).
	bedrockLimits = Limits{Image: Limit{3_750_000, 20}, Pixels: 8000, Document: Limit{4_500_000, 5}}
	// Eight images of 10 MB (Mistral, "Vision").
	mistralLimits = Limits{Image: Limit{10_000_000, 8}, Document: Limit{10_000_000, 8}}
	// Ollama runs where its client does and documents no limits; these are ours.
	ollamaLimits = Limits{Image: Limit{50 * mebibyte, maxUndocumented}, Document: Limit{50 * mebibyte, maxUndocumented}}
)

// Of returns the limit of images, or of documents.
func (l *Limits) Of(image bool) Limit {
	if image {
		return l.Image
	}
	return l.Document
}
