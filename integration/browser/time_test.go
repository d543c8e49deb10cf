package browser_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"slices"
	"testing"
	"time"
)

// inTime is the time in which a page answers at the most, over a log of manyRecords.
const inTime = 200 * time.Millisecond

// TestPagesAnswerInTime is for an idle machine: make rest runs it.
func TestPagesAnswerInTime(t *testing.T) {
	if os.Getenv("TOOLRESULT_TIMED") == "" {
		t.Skip("skipped: it measures time; make rest runs it")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	get := func(url string) time.Duration {
		begin := time.Now()
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || n < 500 {
			t.Fatalf("%s: %d bytes, %v", url, n, err)
		}
		_ = resp.Body.Close()
		return time.Since(begin)
	}
	get(site.url)
	all := pages()
	all["plan"] = "/sessions/session-1/compaction?tokens=500"
	all["filtered"] = "/records?tool=Bash&kind=projection"
	all["lines"] = fmt.Sprintf("/records/%d/texts/0/lines?first=10000000&last=20000000", site.huge)
	for name, path := range all {
		var times []time.Duration
		for range 11 {
			times = append(times, get(site.root+path))
		}
		slices.Sort(times)
		t.Logf("%-9s median %v, most %v", name, times[5].Round(time.Millisecond), times[10].Round(time.Millisecond))
		if times[5] > inTime {
			t.Errorf("%s takes %v", name, times[5])
		}
	}
}
