package artifactstore

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// maxNameEcho is the largest part of a rejected name that an error repeats, in bytes.
const maxNameEcho = 80

// CheckName fails with ErrNameInvalid unless name matches ^[0-9a-f]{8,64}$. The pattern keeps paths, links and foreign
// names out: a valid name is safe in a path and in a text.
func CheckName(name string) error {
	if len(name) >= content.MinDigits && len(name) <= content.MaxDigits && strings.Trim(name, "0123456789abcdef") == "" {
		return nil
	}
	return fmt.Errorf("artifact %q: %w", name[:min(len(name), maxNameEcho)], ErrNameInvalid)
}
