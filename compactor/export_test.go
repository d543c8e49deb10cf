package compactor

// KeepNothing makes a Compactor keep no result but the last in memory.
func KeepNothing(c *Compactor) { c.memory = 0 }
