package compactor

// Cache says what the provider has in its prompt cache, and what that is worth.
type Cache struct {
	Results   int  // from the first one on, that it has
	MayBreak  bool // whether they may change
	MinSaving int  // tokens that a break must free
	Write     int  // price of a token that is written to the cache, in any unit
	Read      int  // of one that is read from it
	Requests  int  // that are expected to carry the history
}

// shares is a whole, of which discount gives a part.
const shares = 16

// discounts are, for each entry, how many shares of what its steps save are left when
// what they invalidate was paid.
//
// A change invalidates what follows it up to the end of the cache. To go back as far as
// an entry frees, over all requests, what its steps save, at the price of reading; and
// costs, once, that what is kept of it is written again and not read. The boundary from
// which on it pays is where the sum of both, from there to the end of the cache, is the
// greatest. Before it steps are taken last of all.
func (c *Cache) discounts(list []facts, before []int, steps [][]step) []int {
	all := make([]int, len(list))
	for i := range all {
		all[i] = shares
	}
	gain, loss := c.Read*c.Requests, c.Write-c.Read
	if !c.MayBreak || loss <= 0 {
		return all
	}
	boundary, best, balance := c.Results, 0, 0
	freed, kept := 0, 0 // behind the boundary
	f, k := 0, 0
	for i := c.Results - 1; i >= 0; i-- {
		saves := 0
		for _, s := range steps[i] {
			saves += s.saved
		}
		f, k = f+saves, k+max(0, before[i]-saves)+list[i].Preceding
		if balance = f*gain - k*loss; balance > best {
			boundary, best, freed, kept = i, balance, f, k
		}
	}
	for i := range c.Results {
		all[i] = 1
		if i >= boundary {
			all[i] = max(1, shares-shares*kept*loss/(freed*gain))
		}
	}
	return all
}
