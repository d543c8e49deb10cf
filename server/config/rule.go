package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/toolresult/toolresult/artifactstore/objectstore"
	"github.com/toolresult/toolresult/internal/sidecar"
)

// This file has the bounds of settings. Rules see the whole configuration, since some bounds depend on
// other settings. What needs the file system or the network is not checked here.

// maxUID is the largest user id; the one above it is the kernel's "no user".
const maxUID = 1<<32 - 2

// rule returns the reason to reject a value, in words that continue "key = value: ".
type rule[T any] func(c Config, v T) error

// bound is a rule that the help text of its setting states, too.
type bound[T any] struct {
	help  string
	check rule[T]
}

// between accepts least to most, both included.
func between[T cmp.Ordered](k kind[T], least, most T) bound[T] {
	bounds := k.text(least) + " to " + k.text(most)
	return bound[T]{help: bounds, check: func(_ Config, v T) error {
		if v < least || v > most {
			return errors.New("is out of bounds: " + bounds)
		}
		return nil
	}}
}

// zeroOr accepts 0, and least to most.
func zeroOr[T cmp.Ordered](k kind[T], least, most T) bound[T] {
	var zero T
	bounds := k.text(zero) + ", or " + k.text(least) + " to " + k.text(most)
	return bound[T]{help: bounds, check: func(_ Config, v T) error {
		if v != zero && (v < least || v > most) {
			return errors.New("is out of bounds: " + bounds)
		}
		return nil
	}}
}

// notNegative accepts 0 and more.
func notNegative(_ Config, v int64) error {
	if v < 0 {
		return errors.New("is negative")
	}
	return nil
}

// oneOf accepts the words given.
func oneOf(words ...string) bound[string] {
	list := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	return bound[string]{help: list, check: func(_ Config, v string) error {
		if !slices.Contains(words, v) {
			return errors.New("is not one of " + list)
		}
		return nil
	}}
}

// printable rejects control characters: they break the lines of logs and of the address file.
func printable(_ Config, v string) error {
	if strings.ContainsFunc(v, unicode.IsControl) {
		return errors.New("holds a control character")
	}
	return nil
}

// eachPrintable is printable for every element, and rejects an empty one: it comes from a comma too many.
func eachPrintable(c Config, list []string) error {
	for _, v := range list {
		if v == "" {
			return errors.New("has an empty path")
		}
		if err := printable(c, v); err != nil {
			return err
		}
	}
	return nil
}

// eachAbsolute rejects relative paths: they would depend on the directory in which the server was started.
func eachAbsolute(_ Config, list []string) error {
	for _, v := range list {
		if !filepath.IsAbs(v) {
			return errors.New("has a path that is not absolute")
		}
	}
	return nil
}

// emptyOrAbsolute accepts no path, and an absolute one of a file.
func emptyOrAbsolute(_ Config, v string) error {
	switch {
	case v != "" && !filepath.IsAbs(v):
		return errors.New("is not an absolute path")
	case strings.HasSuffix(v, "/"):
		return errors.New("is a directory, not the path of a file in one")
	}
	return nil
}

// notEmpty rejects the empty text.
func notEmpty(_ Config, v string) error {
	if v == "" {
		return errors.New("is empty")
	}
	return nil
}

// socketPath accepts an absolute path that fits into the address of a socket.
func socketPath(_ Config, v string) error {
	switch {
	case !filepath.IsAbs(v):
		return errors.New("is not an absolute path")
	case strings.HasSuffix(v, "/"):
		return errors.New("is a directory, not the path of a socket in one")
	case len(v) > sidecar.MaxSocketPath:
		return fmt.Errorf("is %d bytes long; the kernel takes at most %d", len(v), sidecar.MaxSocketPath)
	}
	return nil
}

// userIDs accepts the ids that a user can have.
func userIDs(_ Config, list []int) error {
	for _, id := range list {
		if id < 0 || int64(id) > maxUID {
			return fmt.Errorf("%d is not a user id: 0 to %d", id, int64(maxUID))
		}
	}
	return nil
}

// eachGroup accepts what can be the name or the id of a group.
func eachGroup(_ Config, list []string) error {
	for _, group := range list {
		odd := func(r rune) bool { return r <= ' ' || r == 0x7f || r == ':' }
		if group == "" || strings.ContainsFunc(group, odd) {
			return fmt.Errorf("%q is no name of a group", group)
		}
	}
	return nil
}

// loopback rejects names as well as, without TLS, addresses that other machines reach: a name may resolve to several
// addresses, or to another one tomorrow.
func loopback(c Config, v string) error {
	const form = "write 127.0.0.1:PORT or [::1]:PORT"
	if v == "" {
		return nil
	}
	address, err := netip.ParseAddrPort(v)
	if err != nil {
		host, _, splitErr := net.SplitHostPort(v)
		if _, hostErr := netip.ParseAddr(host); splitErr == nil && hostErr != nil && host != "" {
			return fmt.Errorf("names a host, and a name may resolve to any address; %s", form)
		}
		return fmt.Errorf("is not an address and a port; %s", form)
	}
	if !address.Addr().IsLoopback() && c.TLSCert == "" || address.Addr().Zone() != "" {
		return fmt.Errorf("is not a loopback address, so other machines might reach it; %s, or set tls_cert and tls_key", form)
	}
	return nil
}

// collector accepts the URL of a host, and nothing else in it: a path or a query would be ignored, and a password would
// be printed.
func collector(_ Config, v string) error {
	if v == "" {
		return nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Port() == "" ||
		*u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return errors.New("is not of the form http://HOST:PORT or https://HOST:PORT")
	}
	return nil
}

// objectLocation accepts an address of an object store, and only with a store that is a directory: it is the spool.
func objectLocation(c Config, v string) error {
	if v == "" {
		return nil
	}
	if c.Store == MemoryStore {
		return errors.New("needs a directory as its spool, and the store is in memory")
	}
	_, err := objectstore.ParseLocation(v)
	return err
}

// tokenForTCP rejects TCP without a token: any process of the machine can connect to a port of it.
func tokenForTCP(c Config, v string) error {
	if v != "" && c.TokenFile == "" && c.Token == "" {
		return errors.New("needs a bearer token: set token_file or the variable TOOLRESULT_TOKEN")
	}
	return nil
}

// completeTLS rejects a certificate that nothing would use.
func completeTLS(c Config, v string) error {
	switch {
	case v == "":
		return nil
	case c.TLSKey == "":
		return errors.New("needs its private key: set tls_key")
	case c.TCP == "":
		return errors.New("is for TCP, and tcp is off")
	}
	return nil
}

// withCertificate rejects settings of TLS that nothing would use.
func withCertificate(c Config, v string) error {
	if v != "" && c.TLSCert == "" {
		return errors.New("needs a certificate: set tls_cert")
	}
	return nil
}

// hostName is a name or an address that an :authority can be compared with.
var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
})

// eachHost accepts names and addresses without a port.
func eachHost(_ Config, list []string) error {
	for _, v := range list {
		if _, err := netip.ParseAddr(v); err != nil && !hostName().MatchString(v) {
			return errors.New("has an element that is neither a host name nor an address, without a port")
		}
	}
	return nil
}

// dsnForPostgres accepts an address of a database exactly with the audit log that needs it.
func dsnForPostgres(c Config, v string) error {
	switch {
	case v == AuditPostgres && c.AuditDSN == "":
		return errors.New("needs a database: set the variable TOOLRESULT_AUDIT_DSN")
	case v != AuditPostgres && c.AuditDSN != "":
		return errors.New("is set together with the variable TOOLRESULT_AUDIT_DSN, which is for " + AuditPostgres + " alone")
	}
	return nil
}

// oneToken rejects a file with a token beside the variable.
func oneToken(c Config, v string) error {
	if v != "" && c.Token != "" {
		return errors.New("is set together with the variable TOOLRESULT_TOKEN; keep one of them")
	}
	return nil
}

// goodToken accepts the form that checkToken states, and no token.
func goodToken(_ Config, v Secret) error {
	if v == "" {
		return nil
	}
	return checkToken(v)
}

// atLeastOneMessage rejects a bound in which not one message of the largest size fits: such a call
// could never be served.
func atLeastOneMessage(k kind[int64]) bound[int64] {
	return bound[int64]{help: "at least max-message-bytes", check: func(c Config, v int64) error {
		if v < int64(c.MaxMessageBytes) {
			return fmt.Errorf("is below max_message_bytes, which is %s", k.text(int64(c.MaxMessageBytes)))
		}
		return nil
	}}
}
