package config

import (
	"github.com/spf13/pflag"
)

// fileFlag is the flag that names the configuration file.
const fileFlag = "config"

// Flags registers one flag per setting in set, and --config, the path of the YAML file. A value of the wrong form
// fails when set is parsed; bounds are for [Loaded.Validate]. Of a flag given twice the last one counts.
//
// A hidden flag --token is registered too, only so that [Load] can refuse it with the reason.
func Flags(set *pflag.FlagSet) {
	set.String(fileFlag, "", "YAML file with settings; also from the variable "+fileVariable+" (default none)")
	for _, s := range settings() {
		a := s.describe()
		if a.secret {
			set.VarPF(refused{}, a.flag(), "", a.help).Hidden = true
			continue
		}
		f := set.VarPF(&flagValue{setting: s, text: a.initialText}, a.flag(), "", a.help)
		if s.kindName() == "bool" {
			f.NoOptDefVal = "true" // --volatile alone is --volatile=true
		}
	}
}

// flagValue implements pflag.Value: the text of a flag, of which it is known that its setting can parse it.
type flagValue struct {
	setting setting
	text    string
}

func (v *flagValue) String() string { return v.text }

func (v *flagValue) Type() string { return v.setting.kindName() }

func (v *flagValue) Set(text string) error {
	if _, err := v.setting.parse(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

// refused implements pflag.Value: it takes any text and forgets it, since the message of a failing Set would
// repeat the secret.
type refused struct{}

func (refused) String() string { return "" }

func (refused) Type() string { return "token" }

func (refused) Set(string) error { return nil }
