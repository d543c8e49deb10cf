package config

import (
	"github.com/spf13/pflag"
)

// fileFlag is the flag that names the configuration file.
const fileFlag = "config"

// Flags registers one flag per setting in set, and --config, the path of the YAML file. A value of the wrong form
// fails when set is parsed; bounds are for [Loaded.Validate]. Of a flag given twice the last one counts.
//
// A hidden flag --token is registered too, only so that [Load] can reject it with the reason.
func Flags(set *pflag.FlagSet) {
	set.String(fileFlag, "", "YAML file with settings; also from the variable "+fileVariable+" (default $XDG_CONFIG_HOME/toolresult/config.yaml)")
	for _, s := range settings() {
		a := s.describe()
		if a.secret {
			set.VarPF(secretFlag{}, a.flag(), "", a.help).Hidden = true
			continue
		}
		f := set.VarPF(&flagValue{setting: s, text: a.initialText}, a.flag(), "", a.help)
		if s.kindName() == "bool" {
			f.NoOptDefVal = "true" // --volatile alone is --volatile=true
		}
	}
}

// flagValue implements pflag.Value: the text of a flag that its setting can parse. Load parses it again, with the other sources.
type flagValue struct {
	setting setting
	text    string
}

// String returns the text, at first that of the default.
func (v *flagValue) String() string { return v.text }

// Type returns the placeholder of a value in the help text.
func (v *flagValue) Type() string { return v.setting.kindName() }

// Set checks the form of a text and keeps it.
func (v *flagValue) Set(text string) error {
	if _, err := v.setting.parse(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

// secretFlag implements pflag.Value: it accepts any text and forgets it, since the message of a failing Set would
// repeat the secret.
type secretFlag struct{}

// String returns no text: a secret has no default that help may show.
func (secretFlag) String() string { return "" }

// Type returns the placeholder, which nobody sees: the flag is hidden.
func (secretFlag) Type() string { return "token" }

// Set accepts any text.
func (secretFlag) Set(string) error { return nil }
