package profile

import "sync"

// A call asks for the profile of its command line several times, and an agent runs the same commands again and again. To parse them
// takes longer than all else that is done with a short output.

// Bounds of the choices that are kept.
const (
	maxChoices     = 256
	maxChoiceBytes = 1 << 10 // of a command line
)

// choices are those of the last command lines. Safe for concurrent use.
type choices struct {
	mu   sync.RWMutex
	list map[string]Choice // all are forgotten when there are too many
}

// get returns the choice for a command line, if it is known.
func (c *choices) get(commandLine string) (Choice, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	choice, ok := c.list[commandLine]
	return choice, ok
}

// put keeps a choice.
func (c *choices) put(commandLine string, choice Choice) {
	if len(commandLine) > maxChoiceBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list == nil || len(c.list) >= maxChoices {
		c.list = make(map[string]Choice)
	}
	c.list[commandLine] = choice
}
