package transports

// mediaLimits are what a provider takes of images and documents. What is over them becomes words, because it would
// refuse the request with all that is in it. Sizes are of bytes before base64. Numbers are of one request, of which a
// turn is a part: those of earlier turns count too, and are the runtime's to watch.
type mediaLimits struct {
	image, document   int // bytes of one
	images, documents int // how many
	side              int // pixels of an image's width or height; 0: no limit is known
}

// maxOwn is how many media of canonical results are shown where the provider names no number.
const maxOwn = 64

const mebibyte = 1 << 20

// Limits by provider, from their documentation of images and documents and from the texts of their refusals.
var (
	// "image exceeds 5 MB maximum: N bytes > 5242880 bytes", where N counts the characters of base64; "image dimensions
	// exceed max allowed size: 8000 pixels"; 100 images, and 32 MB of a request (Anthropic, "Vision" and "PDF support").
	anthropicLimits = mediaLimits{image: 5 * mebibyte / 4 * 3, images: 100, side: 8000, document: 32 * mebibyte / 4 * 3, documents: maxOwn}
	// 500 images and 50 MB of a request (OpenAI, "Images and vision" and "File inputs").
	openAILimits = mediaLimits{image: 50 * mebibyte / 4 * 3, images: 500, document: 50 * mebibyte / 4 * 3, documents: maxOwn}
	// 20 MB of a request with inline data, 3,000 images (Google, "Image understanding", and "Supported input files" of
	// Vertex AI).
	geminiLimits = mediaLimits{image: 20 * mebibyte / 4 * 3, images: 3000, document: 20 * mebibyte / 4 * 3, documents: maxOwn}
	// 20 images of 3.75 MB and 8,000 pixels, five documents of 4.5 MB (Bedrock, "Message" of the Converse API).
	bedrockLimits = mediaLimits{image: 3_750_000, images: 20, side: 8000, document: 4_500_000, documents: 5}
	// Eight images of 10 MB (Mistral, "Vision").
	mistralLimits = mediaLimits{image: 10_000_000, images: 8, document: 10_000_000, documents: 8}
	// Of a server that runs where its client does, none are documented; these are ours.
	ollamaLimits = mediaLimits{image: 50 * mebibyte, images: maxOwn, document: 50 * mebibyte, documents: maxOwn}
)

// one is how many bytes one of a kind may have.
func (l *mediaLimits) one(image bool) int {
	if image {
		return l.image
	}
	return l.document
}

// number is how many of a kind there may be.
func (l *mediaLimits) number(image bool) int {
	if image {
		return l.images
	}
	return l.documents
}
