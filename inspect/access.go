package inspect

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// The page shows what tools wrote, which may be secret, and any program of this machine and any page in the browser can send
// requests to its port. So a request must have the token, in a cookie that no script can read; it must be addressed to the
// loopback interface, which a name of somebody else's that leads there is not (DNS rebinding); and what changes anything must
// be sent by the page itself.

// policy is the content security policy: nothing that is not part of this program is loaded or run, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// cookie is the beginning of the name of the cookie; the port follows, because cookies belong to all ports of a host.
const cookie = "toolresult-inspect-"

// guard lets requests pass that may see the page, and sets the headers of every answer.
func guard(token string, views views, next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		port, local := loopbackPort(r.Host)
		if !local {
			views.fail(w, http.StatusMisdirectedRequest, "The page is served on the loopback interface alone, by its address.")
			return
		}
		if r.Method == http.MethodGet && r.URL.Path == "/" && same(r.URL.Query().Get("token"), token) {
			http.SetCookie(w, &http.Cookie{Name: cookie + port, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if shown, err := r.Cookie(cookie + port); err != nil || !same(shown.Value, token) {
			views.fail(w, http.StatusForbidden, "Open the address that `toolresult inspect` printed: it has the token that this page asks for.")
			return
		}
		sameOrigin.ServeHTTP(w, r)
	})
}

// same compares a token that was shown with the one that is asked for, in a time that does not depend on it.
func same(shown, token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(token)) == 1
}

// loopbackPort returns the port of a host that is an address of the loopback interface, or its name.
func loopbackPort(host string) (port string, ok bool) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, "80"
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return port, name == "localhost" || ip != nil && ip.IsLoopback()
}
