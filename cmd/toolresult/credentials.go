package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/sidecar"
	"github.com/toolresult/toolresult/server/config"
)

// Credentials of the client, three kinds: the user id of the process, which the kernel proves on a Unix socket; the token
// of the sidecar (TOOLRESULT_TOKEN), which stands for its own user over TCP; and a token of a session, which confines its
// bearer. Tokens and keys are files or variables, never values of flags: every user of a machine can read the command line
// of every process (proc(5), cmdline).

// credentialFlags are the credentials of client and sidecar, as flags. On a Unix socket the user id of the process is one too.
type credentialFlags struct {
	ca, cert, key string // files in PEM; see flags
	tokenFile     string // file with a token of a session; empty: none
}

// flags defines the flags.
func (t *credentialFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&t.ca, "ca", "", "file with the certificates that sign the sidecar's: HOST:PORT is called with TLS then")
	fs.StringVar(&t.cert, "client-cert", "", "file with the certificate to show to the sidecar (with --ca)")
	fs.StringVar(&t.key, "client-key", "", "file with its private key, readable by its owner alone")
	fs.StringVar(&t.tokenFile, "session-token-file", "", "file with a token of session-token, readable by its owner alone: "+
		"everything is called for that session")
}

// options returns the credentials for an address. A token is sent over a Unix socket, to this machine, or over TLS only.
func (t *credentialFlags) options(address string) ([]grpc.DialOption, error) {
	local := strings.HasPrefix(address, "unix:")
	// On a Unix socket the user id suffices, and a variable that was left over must not change who is calling.
	var token string
	if !local {
		token = os.Getenv("TOOLRESULT_TOKEN")
	}
	if t.tokenFile != "" {
		session, err := config.ReadToken(t.tokenFile)
		if err != nil {
			return nil, err
		}
		token = string(session)
	}
	onMachine := local || sidecar.IsLoopback(address)
	if token != "" && !onMachine && t.ca == "" {
		return nil, errTokenInClear
	}
	secure := insecure.NewCredentials()
	if t.ca != "" && !local {
		var err error
		if secure, err = t.tls(); err != nil {
			return nil, err
		}
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(secure)}
	if token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer{token, onMachine}))
	}
	return options, nil
}

// tls returns the credentials of TLS 1.3: the certificates to trust, and the client certificate, if any. The authorities of
// the system are not trusted: a sidecar has a certificate of its operator's own.
func (t *credentialFlags) tls() (credentials.TransportCredentials, error) {
	signers, err := os.ReadFile(t.ca)
	if err != nil {
		return nil, err
	}
	rules := &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: x509.NewCertPool()}
	if !rules.RootCAs.AppendCertsFromPEM(signers) {
		return nil, fmt.Errorf("%s: has no certificate", t.ca)
	}
	if t.cert == "" && t.key == "" {
		return credentials.NewTLS(rules), nil
	}
	cert, err := os.ReadFile(t.cert)
	if err != nil {
		return nil, err
	}
	key, err := config.ReadKey(t.key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(t.cert, t.key), err)
	}
	rules.Certificates = []tls.Certificate{pair}
	return credentials.NewTLS(rules), nil
}

// bearer sends a token with each call, in the header that RFC 6750 defines.
type bearer struct {
	token     string
	onMachine bool // the address is on this machine
}

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + b.token}, nil
}

// RequireTransportSecurity implements [credentials.PerRPCCredentials]: a token leaves this machine over TLS alone. options
// has checked that already; gRPC checks it again when it connects.
func (b bearer) RequireTransportSecurity() bool { return !b.onMachine }

var _ credentials.PerRPCCredentials = bearer{}

// errTokenInClear means that a token would be sent in clear text over a network, where everybody on the way could use it.
var errTokenInClear = errors.New("a token leaves this machine over TLS alone; give the certificates that sign the sidecar's with --ca")

// errNoSidecar means that a session token was given, and no sidecar runs that can have issued it.
var errNoSidecar = errors.New("no sidecar runs (docs/discovery.md), and a session token is good for none but the one that issued it")

// sessionTokenCommand returns `session-token`. A runtime gives such a token to an agent that may read its own artifacts and
// nothing else; the sidecar keeps it in memory alone, so that it ends with the process.
func sessionTokenCommand() *cobra.Command {
	var s sessionToken
	cmd := &cobra.Command{
		Use: "session-token [flags] [SESSION]", Short: "Print a token that confines its bearer to a session, or take tokens back", Args: cobra.MaximumNArgs(1),
		Long: "Prints a token that confines its bearer to a session, on the socket too (docs/reference/access.md). It is good until the\n" +
			"sidecar stops, --lifetime is over, or it is taken back. Write it to a file that only its reader can read; flags and variables\n" +
			"are for everybody. --output json has its id too, by which --revoke-id takes it back.",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.session = strings.Join(args, "")
			if err := s.check(cmd); err != nil {
				return err
			}
			return s.target.withConnection(cmd.Context(), func(c *connection) error { return s.run(cmd, c) })
		},
	}
	cmd.Flags().DurationVar(&s.lifetime, "lifetime", 0, "how long the token is good, 1s to 8784h (default: until the sidecar stops)")
	outputFlag(cmd.Flags(), &s.output, "(json has token, id and end)", "token", formJSON)
	cmd.Flags().BoolVar(&s.revoke, "revoke", false, "take back all tokens of the session that were issued until now")
	cmd.Flags().StringVar(&s.id, "revoke-id", "", "take back the token with this id")
	s.target.flags(cmd.Flags())
	return cmd
}

// sessionToken is one use of `session-token`.
type sessionToken struct {
	target   target
	session  string
	lifetime time.Duration // 0: until the sidecar stops
	output   string        // token or json
	revoke   bool          // of all tokens of the session
	id       string        // of a token to take back; empty: none
}

// check returns the mistake in the flags.
func (s *sessionToken) check(cmd *cobra.Command) error {
	switch revoking := s.revoke || s.id != ""; {
	case s.session == "" && (s.revoke || s.id == ""):
		return errors.New("the session is missing")
	case s.id != "" && !s.revoke && s.session != "":
		return errors.New("--revoke-id names the token; with --revoke it takes the session's back too")
	case revoking && (cmd.Flags().Changed("lifetime") || cmd.Flags().Changed("output")):
		return errors.New("--lifetime and --output are for a token that is issued")
	}
	return nil
}

// run issues a token, or takes tokens back.
func (s *sessionToken) run(cmd *cobra.Command, c *connection) error {
	if s.revoke || s.id != "" {
		_, err := c.RevokeSessionTokens(cmd.Context(), &pb.RevokeSessionTokensRequest{SessionId: s.session, TokenId: s.id})
		return err
	}
	req := &pb.IssueSessionTokenRequest{SessionId: s.session}
	if cmd.Flags().Changed("lifetime") {
		req.Lifetime = durationpb.New(s.lifetime)
	}
	resp, err := c.IssueSessionToken(cmd.Context(), req)
	switch {
	case err != nil:
		return err
	case s.output == formJSON:
		return printJSON(cmd.OutOrStdout(), resp)
	}
	return writeln(cmd.OutOrStdout(), resp.GetToken())
}
