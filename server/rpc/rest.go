package rpc

import "time"

// quiet returns the last use, and for how long the server has to be unused from now on until that was a time ago; 0: it has been.
func (u *use) quiet(pause time.Duration) (last time.Time, left time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open > 0 {
		return u.last, pause
	}
	return u.last, max(0, time.Until(u.last.Add(pause)))
}

// AtRest calls rest whenever the server has been unused for a pause, once after each use, until stop is closed. The start counts as
// a use. A check of the health is none.
func (c *Interceptors) AtRest(pause time.Duration, stop <-chan struct{}, rest func()) {
	var rested time.Time
	for {
		last, left := c.use.quiet(pause)
		if left == 0 {
			if last != rested {
				rest()
				rested = last
			}
			left = pause
		}
		select {
		case <-stop:
			return
		case <-time.After(left):
		}
	}
}
