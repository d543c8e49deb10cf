package journal

// Holds reports whether the hash of an entry is that of its content in its place in a log. It is for entries that were copied elsewhere:
// what a journal reads holds.
func (e *Entry) Holds(log string) bool { return e.holds(log) }
