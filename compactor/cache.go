package compactor

// Cache describes the provider's prompt cache. The zero Cache holds nothing.
type Cache struct {
	Results   int  // number of results in the cache, from the first one on
	MayBreak  bool // results in the cache may change
	MinSaving int  // tokens that a change inside the cache must save
	Write     int  // price of a token that is written to the cache, in any unit
	Read      int  // price of a token that is read from it, in the same unit
	Requests  int  // requests that are expected to carry the history
}

// shares is the whole that a discount is a part of.
const shares = 16

// discounts returns for each entry how many of its savings' 16 shares are left after
// paying for what its steps invalidate.
//
// A change invalidates everything after it, up to the end of the cache. Going back as
// far as an entry saves its steps' tokens in each request, at the price of reading;
// and costs once that all tokens kept behind it are written instead of read. The
// boundary is where the balance of both, summed up to the end of the cache, is the
// greatest. Steps before the boundary get one share, so they are taken last of all.
func (c *Cache) discounts(list []facts, before []int, steps [][]step) []int {
	all := make([]int, len(list))
	for i := range all {
		all[i] = shares
	}
	gain, loss := c.Read*c.Requests, c.Write-c.Read
	if !c.MayBreak || loss <= 0 {
		return all
	}
	boundary, best := c.Results, 0
	saved, kept := 0, 0             // tokens from the entry on, up to the end of the cache
	savedBehind, keptBehind := 0, 0 // the same from the boundary on
	for i := c.Results - 1; i >= 0; i-- {
		saves := 0
		for _, s := range steps[i] {
			saves += s.saved
		}
		saved, kept = saved+saves, kept+max(0, before[i]-saves)+list[i].Preceding
		if balance := saved*gain - kept*loss; balance > best {
			boundary, best, savedBehind, keptBehind = i, balance, saved, kept
		}
	}
	for i := range c.Results {
		all[i] = 1
		if i >= boundary {
			all[i] = max(1, shares-shares*keptBehind*loss/(savedBehind*gain))
		}
	}
	return all
}
