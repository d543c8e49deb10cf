//go:build !linux && !darwin

package peercred

import "errors"

// ask fails: this system is not known.
func ask(int) (Credentials, error) { return Credentials{}, errors.ErrUnsupported }
