package rpc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/toolresult/toolresult/server/config"
)

// certificate writes a self-signed certificate and its key, and returns their paths and the pair.
func certificate(t *testing.T, dir, name string) (cert, key string, pair tls.Certificate) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	if err := errors.Join(
		os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o644),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	if pair, err = tls.LoadX509KeyPair(cert, key); err != nil {
		t.Fatal(err)
	}
	return cert, key, pair
}

// TestTLSFilesAreChecked has files that are missing, mixed up or empty. The error names the setting.
func TestTLSFilesAreChecked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, _ := certificate(t, dir, "a")
	_, otherKey, _ := certificate(t, dir, "b")
	none, empty := filepath.Join(dir, "none"), filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cert, key, ca string
		want          string // beginning of the error; "": credentials
	}{
		"good": {cert, key, "", ""}, "good, with callers": {cert, key, cert, ""},
		"no certificate": {none, key, "", "tls_cert: "}, "no key": {cert, none, "", "tls_key: "}, "other key": {cert, otherKey, "", "tls_cert "},
		"empty certificate": {empty, key, "", "tls_cert "}, "no authority": {cert, key, none, "tls_client_ca: "}, "empty authority": {cert, key, empty, "tls_client_ca "},
	} {
		got, err := TLSCredentials(config.Config{TLSCert: c.cert, TLSKey: c.key, TLSClientCA: c.ca})
		if (err == nil) != (c.want == "") || (got != nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := TLSCredentials(config.Config{TLSKey: none, TLSClientCA: none}); got != nil || err != nil {
		t.Errorf("without a certificate: %v, %v", got, err)
	}
}

// TestHandshakes connects with versions of TLS and certificates of clients: 1.3 alone is spoken, and where authorities are
// named a client needs a certificate of one of them.
func TestHandshakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, pair := certificate(t, dir, "server")
	_, _, other := certificate(t, dir, "other")
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	for name, c := range map[string]struct {
		ca     string
		client *tls.Config
		served bool
	}{
		"1.3":                           {"", &tls.Config{}, true},
		"1.2":                           {"", &tls.Config{MaxVersion: tls.VersionTLS12}, false},
		"no certificate":                {cert, &tls.Config{}, false},
		"certificate":                   {cert, &tls.Config{Certificates: []tls.Certificate{pair}}, true},
		"certificate of another issuer": {cert, &tls.Config{Certificates: []tls.Certificate{other}}, false},
	} {
		server, err := TLSCredentials(config.Config{TLSCert: cert, TLSKey: key, TLSClientCA: c.ca})
		if err != nil {
			t.Fatal(err)
		}
		c.client.RootCAs, c.client.ServerName, c.client.NextProtos = roots, "127.0.0.1", []string{"h2"}
		if got := handshake(t, server, c.client); got != c.served {
			t.Errorf("%s: served is %v", name, got)
		}
	}
}

// handshake reports whether a server accepts a client.
func handshake(t *testing.T, server credentials.TransportCredentials, client *tls.Config) bool {
	t.Helper()
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		c := tls.Client(far, client)
		if c.Handshake() == nil {
			_, _ = c.Read(make([]byte, 1)) // the alert, if there is one
		}
		_ = far.Close()
	}()
	_, info, err := server.ServerHandshake(near)
	if err != nil {
		return false
	}
	state := info.(credentials.TLSInfo).State
	return state.Version == tls.VersionTLS13 && !state.DidResume
}
