package server

import (
	"context"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/redaction"
)

// accessService is AccessService.
type accessService struct {
	pb.UnimplementedAccessServiceServer
	tokens  *identity.SessionTokens
	secrets *redaction.Secrets
}

// RegisterSecrets registers the values that must not be in anything made of an output.
func (a *accessService) RegisterSecrets(ctx context.Context, req *pb.RegisterSecretsRequest) (*pb.RegisterSecretsResponse, error) {
	return a.secrets.RegisterSecrets(ctx, req)
}

// IssueSessionToken makes a token that confines its bearer to a session.
func (a *accessService) IssueSessionToken(_ context.Context, req *pb.IssueSessionTokenRequest) (*pb.IssueSessionTokenResponse, error) {
	check := envelope.NewChecker("")
	check.Name("session_id", req.GetSessionId(), true)
	if err := check.Err(); err != nil {
		return nil, err
	}
	return &pb.IssueSessionTokenResponse{Token: a.tokens.Issue(req.GetSessionId())}, nil
}
