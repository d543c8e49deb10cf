package config

import (
	"errors"
)

// Validate returns nil when every value is within its bounds and the values fit together; else one line for each
// setting at fault, with its key, its value (hidden for a secret) and the bound. It looks at the values alone: the
// token file is for [Config.BearerToken], socket and store are for those who open them.
func Validate(c Config) error {
	return validate(c, func(string) string { return "" })
}

// Validate is the function [Validate], with the origin of each value at fault.
func (l *Loaded) Validate() error {
	return validate(l.Config, l.Origin)
}

// validate checks every setting, and joins the errors in the order of the table. origin returns "" where it is not known.
func validate(c Config, origin func(key string) string) error {
	var problems []error
	for _, s := range settings() {
		if err := s.check(c); err != nil {
			a := s.describe()
			problems = append(problems, complaint(a, s.text(c), err, origin(a.key)))
		}
	}
	return errors.Join(problems...)
}
