package shell

// Self returns a path of the program of this process. It is that program also when its file was replaced.
func Self() (string, error) { return "/proc/self/exe", nil }
