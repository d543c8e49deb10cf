package config

import "github.com/spf13/pflag"

// logLevelKey is the key of the one setting that counts without a new start.
const logLevelKey = "log_level"

// Reload reads the sources of a configuration again, of which the file alone can have changed since the start. The level of the log
// is that of the file, also where a variable or a flag has another one: otherwise it could never be changed there. Where the file
// has none, it is that of [Load]. set and env are those of Load.
func Reload(set *pflag.FlagSet, env []string) (*Loaded, error) {
	loaded, err := Load(set, env)
	if err == nil && loaded.fileLevel != "" {
		loaded.Config.LogLevel = loaded.fileLevel
	}
	return loaded, err
}
