package config

import "github.com/spf13/pflag"

// logLevelKey is the key of the one setting that counts without a new start.
const logLevelKey = "log_level"

// Reload reads the sources of a configuration again, of which the file alone can have changed. It returns the level of the log that
// counts from now on, and the keys of the settings that differ from those of l, which count after the next start.
//
// The level is that of the file, also where a variable or a flag had another one at the start: otherwise it could never be changed
// there. Where the file has none, it is the level of the start. set and env are those of [Load].
func (l *Loaded) Reload(set *pflag.FlagSet, env []string) (level string, later []string, err error) {
	again, err := Load(set, env)
	if err != nil {
		return "", nil, err
	}
	if again.fileLevel != "" {
		again.Config.LogLevel = again.fileLevel
	}
	if err := again.Validate(); err != nil {
		return "", nil, err
	}
	for _, s := range settings() {
		if key := s.describe().key; key != logLevelKey && s.text(again.Config) != s.text(l.Config) {
			later = append(later, key)
		}
	}
	return again.Config.LogLevel, later, nil
}
