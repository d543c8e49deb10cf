package integration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// signer signs certificates, and is a file with its own.
type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newSigner(t *testing.T, name string) *signer {
	t.Helper()
	s := &signer{}
	s.cert, s.key = certify(t, nil, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	s.file = pemFile(t, "ca.pem", 0o644, "CERTIFICATE", s.cert.Raw)
	return s
}

// certify makes a certificate, signed by a signer or, without one, by itself.
func certify(t *testing.T, by *signer, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signedWith := template, key
	if by != nil {
		parent, signedWith = by.cert, by.key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signedWith)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// pair makes a certificate of a name for this machine, and returns the files of it and of its key.
func (s *signer) pair(t *testing.T, name string) (cert, key string) {
	t.Helper()
	c, k := certify(t, s, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost", "sidecar.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pemFile(t, "cert.pem", 0o644, "CERTIFICATE", c.Raw), pemFile(t, "key.pem", 0o600, "PRIVATE KEY", raw)
}

func pemFile(t *testing.T, name string, mode os.FileMode, kind string, raw []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// trusting are the rules of a client that trusts a signer.
func trusting(s *signer) *tls.Config {
	rules := &tls.Config{RootCAs: x509.NewCertPool()}
	rules.RootCAs.AddCert(s.cert)
	return rules
}

// overTLS asks a sidecar over TLS who it is.
func overTLS(t *testing.T, address string, rules *tls.Config, token string) error {
	t.Helper()
	conn := dial(t, address, grpc.WithTransportCredentials(credentials.NewTLS(rules)))
	_, err := pb.NewToolResultServiceClient(conn).GetServerInfo(bearing(t.Context(), token), &pb.GetServerInfoRequest{})
	return err
}

// TestTLS serves all addresses with a certificate: whoever trusts it and has the token is served, and nobody else.
func TestTLS(t *testing.T) {
	t.Parallel()
	ours := newSigner(t, "ours")
	cert, key := ours.pair(t, "sidecar")
	s := startSidecar(t, launch{Args: []string{
		"--tcp=0.0.0.0:0", "--token-file=" + tokenFile(t, 0o600), "--tls-cert=" + cert, "--tls-key=" + key, "--authorities=sidecar.example",
	}})
	_, port, err := net.SplitHostPort(s.TCP)
	if err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + port
	if err := overTLS(t, address, trusting(ours), secret); err != nil {
		t.Error(err)
	}
	named := trusting(ours)
	named.ServerName = "sidecar.example" // which is the authority of the call too
	if err := overTLS(t, address, named, secret); err != nil {
		t.Error(err)
	}
	wantRefusal(t, overTLS(t, address, trusting(ours), ""), codes.Unauthenticated, "TOKEN_MISSING", "")
	wantRefusal(t, overTLS(t, address, trusting(ours), secret+"x"), codes.Unauthenticated, "TOKEN_INVALID", "")
	if err := overTLS(t, address, trusting(ours), issue(t, s.conn, "a")); err != nil {
		t.Errorf("a session: %v", err)
	}
	if err := overTLS(t, address, trusting(newSigner(t, "theirs")), secret); status.Code(err) != codes.Unavailable {
		t.Errorf("a client that does not trust it: %v", err)
	}
	old := trusting(ours)
	old.MaxVersion = tls.VersionTLS12
	if err := overTLS(t, address, old, secret); status.Code(err) != codes.Unavailable {
		t.Errorf("TLS 1.2: %v", err)
	}
	if _, err := pb.NewToolResultServiceClient(dial(t, address)).GetServerInfo(bearing(t.Context(), secret), &pb.GetServerInfoRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("without TLS: %v", err)
	}
	env := append(environment(t), "TOOLRESULT_TOKEN="+secret)
	wantIn(t, mustCLI(t, env, nil, "info", "--server="+address, "--ca="+ours.file), `"go_version"`)
	if r := cli(t, env, nil, "info", "--server=192.0.2.1:"+port); r.code == 0 || !strings.Contains(r.stderr, "over TLS alone") {
		t.Errorf("the token in clear: %s", r.stderr)
	}
}

// TestClientCertificates asks callers for a certificate beside the token.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	ours, clients := newSigner(t, "ours"), newSigner(t, "clients")
	cert, key := ours.pair(t, "sidecar")
	s := startSidecar(t, launch{Args: []string{
		"--tcp=127.0.0.1:0", "--token-file=" + tokenFile(t, 0o600), "--tls-cert=" + cert, "--tls-key=" + key, "--tls-client-ca=" + clients.file,
	}})
	with := func(by *signer) *tls.Config {
		cert, key := by.pair(t, "runtime\x1b[31m 7")
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		rules := trusting(ours)
		rules.Certificates = []tls.Certificate{pair}
		return rules
	}
	if err := overTLS(t, s.TCP, with(clients), secret); err != nil {
		t.Error(err)
	}
	waitFor(t, "the certificate in the log", func() bool { return strings.Contains(s.Log.String(), "certificate CN=runtime\ufffd[31m 7") })
	wantRefusal(t, overTLS(t, s.TCP, with(clients), ""), codes.Unauthenticated, "TOKEN_MISSING", "")
	for what, rules := range map[string]*tls.Config{"none": trusting(ours), "of another signer": with(newSigner(t, "theirs"))} {
		if err := overTLS(t, s.TCP, rules, secret); status.Code(err) != codes.Unavailable {
			t.Errorf("certificate %s: %v", what, err)
		}
	}
	clientCert, clientKey := clients.pair(t, "operator")
	env := append(environment(t), "TOOLRESULT_TOKEN="+secret)
	wantIn(t, mustCLI(t, env, nil, "info", "--server="+s.TCP, "--ca="+ours.file, "--client-cert="+clientCert, "--client-key="+clientKey), `"go_version"`)
}

// TestRefusedTLS has certificates that must not be served.
func TestRefusedTLS(t *testing.T) {
	t.Parallel()
	ours := newSigner(t, "ours")
	cert, key := ours.pair(t, "sidecar")
	_, other := ours.pair(t, "other")
	open := filepath.Join(t.TempDir(), "key.pem")
	content, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(open, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o640); err != nil {
		t.Fatal(err)
	}
	token := "--token-file=" + tokenFile(t, 0o600)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no token":                       {[]string{"--tcp=0.0.0.0:0", "--tls-cert=" + cert, "--tls-key=" + key}, "needs a bearer token"},
		"no key":                         {[]string{"--tcp=0.0.0.0:0", token, "--tls-cert=" + cert}, "set tls_key"},
		"a key that the group can read":  {[]string{"--tcp=0.0.0.0:0", token, "--tls-cert=" + cert, "--tls-key=" + open}, "mode 0640 lets other users at the key"},
		"the key of another certificate": {[]string{"--tcp=0.0.0.0:0", token, "--tls-cert=" + cert, "--tls-key=" + other}, "private key does not match public key"},
		"no certificate at all":          {[]string{"--tcp=0.0.0.0:0", token, "--tls-cert=" + key, "--tls-key=" + key}, "tls_cert"},
		"a signer that is none":          {[]string{"--tcp=127.0.0.1:0", token, "--tls-cert=" + cert, "--tls-key=" + key, "--tls-client-ca=" + key}, "has no certificate"},
		"a name in place of an address":  {[]string{"--tcp=sidecar.example:0", token, "--tls-cert=" + cert, "--tls-key=" + key}, "names a host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stderr := refusedStart(t, launch{Args: c.args})
			wantIn(t, stderr, c.want)
			wantNone(t, stderr, secret, "PRIVATE KEY", strings.Split(string(content), "\n")[1])
		})
	}
}
