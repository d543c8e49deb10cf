package server

import "slices"

// forget forgets what calls of a session wrote: their results are not in the context any more as they were answered.
func (o *outputs) forget(session string, calls []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.sessions[session]
	if !ok || len(calls) == 0 {
		return
	}
	gone := make(map[string]bool, len(calls))
	for _, call := range calls {
		gone[call] = true
	}
	s := e.Value.(*sessionOutputs)
	s.order = slices.DeleteFunc(s.order, func(fingerprint string) bool {
		if !gone[s.seen[fingerprint].call] {
			return false
		}
		delete(s.seen, fingerprint)
		return true
	})
}
