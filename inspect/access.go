package inspect

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// The page shows what tools wrote, which may be secret, and any program of this machine and any page in the browser can send
// requests to its port. So a request must have a cookie that no script can read, which the first one with the token gets; it must be addressed to the
// loopback interface, which a name of somebody else's that leads there is not (DNS rebinding); and what changes anything must
// be sent by the page itself.

// policy is the content security policy: nothing that is not part of this program is loaded or run, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// cookie is the name of the cookie that a browser has from its first request on. Its value is not the token, which is on a command
// line or in a history, and is worth nothing after its first use.
const cookie = "toolresult-inspect"

// guard lets requests pass that may see the page, and sets the headers of every answer. The page is below root, a path that nobody can
// guess: a browser sends a cookie to all ports of a host, but not beyond its path, so that the server at another port does not get it.
func guard(token, root string, views views, next http.Handler) http.Handler {
	var used atomic.Bool // the token
	pass := rand.Text()  // the value of the cookie
	sameOrigin := http.NewCrossOriginProtection().Handler(http.StripPrefix(root, next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !isLoopback(r.Host) {
			views.fail(w, r, http.StatusMisdirectedRequest, "The page is served on the loopback interface alone, by its address.")
			return
		}
		if r.Method == http.MethodGet && r.URL.Path == "/" && same(r.URL.Query().Get("token"), token) {
			if used.Swap(true) {
				views.fail(w, r, http.StatusForbidden, "The token of this address was used. Run `toolresult inspect` again for another one.")
				return
			}
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: pass, Path: root + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			http.Redirect(w, r, root+"/", http.StatusSeeOther)
			return
		}
		shown, err := r.Cookie(cookie)
		if err != nil || !same(shown.Value, pass) || !strings.HasPrefix(r.URL.Path, root+"/") {
			views.fail(w, r, http.StatusForbidden, "Open the address that `toolresult inspect` printed: it has the token that this page asks for.")
			return
		}
		if decoded, err := url.QueryUnescape(r.URL.RawQuery); err != nil || !utf8.ValidString(decoded+r.URL.Path) {
			views.fail(w, r, http.StatusBadRequest, "The address is not text in UTF-8.")
			return
		}
		sameOrigin.ServeHTTP(w, r)
	})
}

// same compares a secret that was shown with the one that is asked for, in a time that does not depend on it.
func same(shown, token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(token)) == 1
}

// isLoopback reports whether a host is an address of the loopback interface, or its name, with or without a port.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
