package shell

import "os"

// Self returns a path of the program of this process. When its file was replaced, as by an update, it is the new one.
func Self() (string, error) { return os.Executable() }
