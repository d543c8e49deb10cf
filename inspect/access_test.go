package inspect_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPageNeedsToken(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", "a secret line\n", 0)
	stranger := &http.Client{}
	for _, path := range []string{"/", "/records", "/records/1", "/records/1/json", "/sessions/one", "/static/style.css", "/?token=", "/?token=wrong", "/nothing"} {
		for _, base := range []string{s.server.URL, s.base} {
			resp, err := stranger.Get(base + path)
			code, body := read(t, resp, err)
			if code != http.StatusForbidden || strings.Contains(body, "secret line") {
				t.Errorf("%s%s without a token: %d %s", base, path, code, body)
			}
		}
		if path == "/" || strings.HasPrefix(path, "/?token=") {
			continue
		}
		resp, err := s.client.Get(s.server.URL + path)
		if code, body := read(t, resp, err); code != http.StatusForbidden {
			t.Errorf("%s with the cookie at another path: %d %s", path, code, body)
		}
	}
	if body := s.get("/records/1"); !strings.Contains(body, "a secret line") {
		t.Errorf("with the token: %s", body)
	}
}

func TestTokenLeavesAddress(t *testing.T) {
	s := newClosedSite(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(s.server.URL + "/?token=" + token)
	code, body := read(t, resp, err)
	cookie := resp.Header.Get("Set-Cookie")
	if code != http.StatusSeeOther || !strings.HasPrefix(cookie, "toolresult-inspect=") || strings.Contains(body+cookie, token) {
		t.Errorf("%d to %q: %s", code, resp.Header.Get("Location"), body)
	}
	if path := resp.Header.Get("Location"); len(path) < 20 || !strings.Contains(cookie, "Path="+path+";") {
		t.Errorf("to %q with the cookie %q", path, cookie)
	}
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("cookie %q", cookie)
	}
}

// TestTokenIsUsedOnce has many browsers that show the token at once: one gets in. Requests that are rejected for another reason, and
// those with another token, do not use it.
func TestTokenIsUsedOnce(t *testing.T) {
	s := newClosedSite(t)
	for _, method := range []string{http.MethodHead, http.MethodPost} {
		req, err := http.NewRequest(method, s.server.URL+"/?token="+token, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if code, _ := read(t, resp, err); code != http.StatusForbidden || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %q", method, code, resp.Header.Get("Set-Cookie"))
		}
	}
	resp, err := http.Get(s.server.URL + "/?token=" + token + "x")
	if code, _ := read(t, resp, err); code != http.StatusForbidden {
		t.Error(code)
	}
	const browsers = 32
	codes := make(chan int, browsers)
	for range browsers {
		go func() {
			client := &http.Client{Transport: &browser{}}
			resp, err := client.Get(s.server.URL + "/?token=" + token)
			if err != nil {
				t.Error(err)
				codes <- 0
				return
			}
			_ = resp.Body.Close() // its code is all that matters
			codes <- resp.StatusCode
		}()
	}
	count := map[int]int{}
	for range browsers {
		count[<-codes]++
	}
	if count[http.StatusOK] != 1 || count[http.StatusForbidden] != browsers-1 {
		t.Error(count)
	}
	again := &http.Client{Transport: &browser{cookie: "toolresult-inspect=" + token}}
	resp, err = again.Get(s.server.URL + "/?token=" + token)
	if code, body := read(t, resp, err); code != http.StatusForbidden || !strings.Contains(body, "was used") {
		t.Errorf("%d %s", code, body)
	}
}

// TestOtherPortsGetNoCookie has a browser as RFC 6265 describes it, which sends a cookie to all ports of a host: a server at another one
// gets none, whatever of its addresses is opened.
func TestOtherPortsGetNoCookie(t *testing.T) {
	s := newClosedSite(t)
	var given []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		given = append(given, r.Header.Values("Cookie")...)
	}))
	defer other.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	resp, err := client.Get(s.server.URL + "/?token=" + token)
	if code, body := read(t, resp, err); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	for _, address := range []string{resp.Request.URL.String() + "records", other.URL, other.URL + "/records", other.URL + "/?token=" + token} {
		resp, err := client.Get(address)
		if code, body := read(t, resp, err); code != http.StatusOK {
			t.Errorf("%s: %d %s", address, code, body)
		}
	}
	if len(given) > 0 {
		t.Errorf("the other server was sent %q", given)
	}
}

// TestFragmentsFailAsFragments has requests that replace a part of a page: their errors are no whole pages.
func TestFragmentsFailAsFragments(t *testing.T) {
	s := newSite(t)
	for address, want := range map[string]int{
		s.server.URL + "/records/1/verification": http.StatusForbidden, s.base + "/records/1/verification": http.StatusMethodNotAllowed,
		s.base + "/records/7": http.StatusNotFound, s.base + "/records?session=%ff": http.StatusBadRequest,
	} {
		req, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("HX-Request", "true")
		resp, err := s.client.Do(req)
		code, body := read(t, resp, err)
		if code != want && want != http.StatusMethodNotAllowed || strings.Contains(body, "<html") {
			t.Errorf("%s: %d %s", address, code, body)
		}
	}
}

func TestOtherHostsAreRejected(t *testing.T) {
	s := newSite(t)
	for host, want := range map[string]int{
		"attacker.example": http.StatusMisdirectedRequest, "127.0.0.1.attacker.example:80": http.StatusMisdirectedRequest,
		"10.1.2.3": http.StatusMisdirectedRequest, "": http.StatusOK, // that of the URL
	} {
		req, err := http.NewRequest(http.MethodGet, s.base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := s.client.Do(req)
		if code, body := read(t, resp, err); code != want {
			t.Errorf("host %q: %d %s", host, code, body)
		}
	}
}

func TestOtherSitesChangeNothing(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", "text\n", 0)
	for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "http://attacker.example"} {
		req, err := http.NewRequest(http.MethodPost, s.base+"/records/1/verification", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(header, value)
		resp, err := s.client.Do(req)
		if code, body := read(t, resp, err); code != http.StatusForbidden {
			t.Errorf("%s: %s: %d %s", header, value, code, body)
		}
	}
}

func TestEveryAnswerIsConfined(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", "text\n", 0)
	for _, path := range []string{"/", "/records", "/records/1", "/records/1/json", "/sessions/one", "/records/9", "/static/inspect.js", "/nothing"} {
		resp, err := s.client.Get(s.base + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		policy := resp.Header.Get("Content-Security-Policy")
		for _, directive := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(policy, directive) {
				t.Errorf("%s has no %s in its policy %q", path, directive, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, resp.Header)
		}
	}
}
