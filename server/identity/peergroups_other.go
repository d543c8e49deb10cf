//go:build !linux && !darwin

package identity

import "errors"

// socketGroups fails: on other systems the group of the process counts alone.
func socketGroups(int) ([]uint32, error) { return nil, errors.ErrUnsupported }
