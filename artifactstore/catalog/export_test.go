package catalog

// OnCleaning has step called at each step of a cleaning, which fails with its error.
func (c *Catalog) OnCleaning(step func(name string) error) { c.cleaner.step = step }

// Kept returns the bytes of the changes in the journal that the index has counted, and of those that were carried on last.
func (c *Catalog) Kept() (changes, kept int64) {
	c.cleaner.mu.Lock()
	defer c.cleaner.mu.Unlock()
	return c.cleaner.changes, c.cleaner.kept
}
