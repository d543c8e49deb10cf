package inspect_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPageNeedsToken(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", "a secret line\n", 0)
	stranger := &http.Client{}
	for _, path := range []string{"/", "/records", "/records/1", "/records/1/json", "/sessions/one", "/static/style.css", "/?token=", "/?token=wrong", "/nothing"} {
		resp, err := stranger.Get(s.server.URL + path)
		code, body := read(t, resp, err)
		if code != http.StatusForbidden || strings.Contains(body, "secret line") {
			t.Errorf("%s without a token: %d %s", path, code, body)
		}
	}
	if body := s.get("/records/1"); !strings.Contains(body, "a secret line") {
		t.Errorf("with the token: %s", body)
	}
}

func TestTokenLeavesAddress(t *testing.T) {
	s := newSite(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(s.server.URL + "/?token=" + token)
	code, body := read(t, resp, err)
	cookie := resp.Header.Get("Set-Cookie")
	if code != http.StatusSeeOther || resp.Header.Get("Location") != "/" || strings.Contains(body, token) {
		t.Errorf("%d to %q: %s", code, resp.Header.Get("Location"), body)
	}
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("cookie %q", cookie)
	}
}

func TestOtherHostsAreRejected(t *testing.T) {
	s := newSite(t)
	for host, want := range map[string]int{
		"attacker.example": http.StatusMisdirectedRequest, "127.0.0.1.attacker.example:80": http.StatusMisdirectedRequest,
		"10.1.2.3": http.StatusMisdirectedRequest, "": http.StatusOK, // that of the URL
	} {
		req, err := http.NewRequest(http.MethodGet, s.server.URL+"/", nil)
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
		req, err := http.NewRequest(http.MethodPost, s.server.URL+"/records/1/verification", nil)
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
		resp, err := s.client.Get(s.server.URL + path)
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
