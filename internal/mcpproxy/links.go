package mcpproxy

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// linkBlock returns the link to an artifact.
func linkBlock(path string) []byte {
	return fmt.Appendf(nil, `{"type":"resource_link","uri":%s,"name":%s,"mimeType":"text/plain"}`,
		jsonspan.Quote(artifactURI(path)), jsonspan.Quote("complete output "+artifactName(path)))
}

// artifactName returns the name of an artifact, by which calls name it: the last two parts of its path.
func artifactName(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "")
}

// scheme is that of the resources that are artifacts.
const scheme = "toolresult"

// artifactURI returns the address of an artifact as a resource.
func artifactURI(path string) string { return (&url.URL{Scheme: scheme, Path: path}).String() }

// artifactPath returns the path of an artifact by its address. It reports false for the address of another resource.
func artifactPath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != scheme || u.Host != "" {
		return "", false
	}
	if u.Opaque != "" {
		path, err := url.PathUnescape(u.Opaque)
		return path, err == nil
	}
	return u.Path, u.Path != ""
}
