package rpc

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"google.golang.org/grpc/credentials"

	"github.com/toolresult/toolresult/server/config"
)

// TLSCredentials reads the certificate for TCP, and those of the authorities that sign the callers'. It returns nil
// when there is none.
func TLSCredentials(c config.Config) (credentials.TransportCredentials, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	cert, err := os.ReadFile(c.TLSCert)
	if err != nil {
		return nil, fmt.Errorf("tls_cert: %w", err)
	}
	key, err := config.ReadKey(c.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("tls_key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("tls_cert %q and tls_key %q: %w", c.TLSCert, c.TLSKey, err)
	}
	// Every client of gRPC that is in use speaks 1.3. Without tickets each connection shows its certificate anew.
	rules := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, SessionTicketsDisabled: true}
	if c.TLSClientCA == "" {
		return credentials.NewTLS(rules), nil
	}
	signers, err := os.ReadFile(c.TLSClientCA)
	if err != nil {
		return nil, fmt.Errorf("tls_client_ca: %w", err)
	}
	rules.ClientCAs, rules.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !rules.ClientCAs.AppendCertsFromPEM(signers) {
		return nil, fmt.Errorf("tls_client_ca %q: has no certificate", c.TLSClientCA)
	}
	return credentials.NewTLS(rules), nil
}
