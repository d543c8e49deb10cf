package journal

import "testing"

// A journal whose temporary entries are durable elsewhere when it is closed is not suspect, and stays so; one more entry makes it so.
func TestSettledIsNotSuspect(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir(), Logger: quiet()}
	for i, life := range []struct{ entries, unsettled int }{{3, 0}, {0, 0}, {1, 1}, {0, 4}} {
		j, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if want := i == 3; j.Suspect() != want {
			t.Errorf("life %d: suspect %v", i, j.Suspect())
		}
		for range life.entries {
			add(t, j, Temporary, "name\ncontent")
		}
		if i == 0 {
			j.Settled()
		}
		if n := j.Unsettled(); n != life.unsettled {
			t.Errorf("life %d: %d unsettled entries, want %d", i, n, life.unsettled)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
