package rpc

import (
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionalphapb "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// right says who may call a method.
type right int

const (
	denyAll      right = iota // nobody: the method is not in the table
	unscopedOnly              // callers who are confined to no session
	anyCaller                 // every caller whose identity is known; in a session, for that session
)

// Rights returns a row for every method of every service: who may call it. A method without a row is rejected like one that does
// not exist, and a test fails.
// docs/reference/access.md has the same as a table for people.
func Rights() map[string]right {
	return map[string]right{
		pb.ToolResultService_Project_FullMethodName:         anyCaller,
		pb.ToolResultService_ProjectStream_FullMethodName:   anyCaller,
		pb.ToolResultService_ProjectSession_FullMethodName:  anyCaller,
		pb.ToolResultService_ProjectTurn_FullMethodName:     anyCaller,
		pb.ToolResultService_Render_FullMethodName:          anyCaller,
		pb.ToolResultService_ParseReceipt_FullMethodName:    anyCaller,
		pb.ToolResultService_Compact_FullMethodName:         anyCaller,
		pb.ToolResultService_CompactStream_FullMethodName:   anyCaller,
		pb.ToolResultService_SetSessionFocus_FullMethodName: anyCaller,
		pb.ToolResultService_GetServerInfo_FullMethodName:   anyCaller,

		pb.ArtifactService_ReadArtifact_FullMethodName:    anyCaller,
		pb.ArtifactService_ListArtifacts_FullMethodName:   anyCaller,
		pb.ArtifactService_LeaseSession_FullMethodName:    anyCaller,
		pb.ArtifactService_AppendLog_FullMethodName:       anyCaller,
		pb.ArtifactService_VerifyArtifacts_FullMethodName: unscopedOnly,
		pb.ArtifactService_CollectGarbage_FullMethodName:  unscopedOnly,

		pb.TransportService_EncodeTurn_FullMethodName:        anyCaller,
		pb.TransportService_LintTranscript_FullMethodName:    anyCaller,
		pb.TransportService_AssembleToolCalls_FullMethodName: anyCaller,

		pb.ToolService_GetToolDefinitions_FullMethodName: anyCaller,
		pb.ToolService_CallTool_FullMethodName:           anyCaller,

		pb.AuditService_GetRecord_FullMethodName:    anyCaller,
		pb.AuditService_ListRecords_FullMethodName:  anyCaller,
		pb.AuditService_VerifyRecord_FullMethodName: anyCaller,
		pb.AuditService_VerifyLog_FullMethodName:    unscopedOnly,

		pb.AccessService_IssueSessionToken_FullMethodName:   unscopedOnly,
		pb.AccessService_RevokeSessionTokens_FullMethodName: unscopedOnly,
		pb.AccessService_RegisterSecrets_FullMethodName:     anyCaller,

		healthpb.Health_Check_FullMethodName: anyCaller, // and see isProbe
		healthpb.Health_List_FullMethodName:  anyCaller,
		healthpb.Health_Watch_FullMethodName: anyCaller,

		reflectionpb.ServerReflection_ServerReflectionInfo_FullMethodName:      unscopedOnly,
		reflectionalphapb.ServerReflection_ServerReflectionInfo_FullMethodName: unscopedOnly,
	}
}

// isProbe reports whether a call asks for the health of the server as a whole. That is answered to anybody: it says
// nothing but that the server serves.
func isProbe(method string, req any) bool {
	check, ok := req.(*healthpb.HealthCheckRequest)
	return ok && method == healthpb.Health_Check_FullMethodName && check.GetService() == ""
}

// isHealth reports whether a method is one of the health service, which answers also while the server drains.
func isHealth(method string) bool {
	switch method {
	case healthpb.Health_Check_FullMethodName, healthpb.Health_List_FullMethodName, healthpb.Health_Watch_FullMethodName:
		return true
	}
	return false
}

// checkRight returns the status of a call that may not be made, nil of one that may. The order matters: an unknown caller learns
// nothing about methods, and a drain is only mentioned to callers that might have called. A stream has no request yet.
func (c *Interceptors) checkRight(who identity.Caller, method string, req any) *apierror.StatusError {
	if isProbe(method, req) {
		return nil
	}
	if who.Rejected != nil {
		return who.Rejected
	}
	switch right := c.rights[method]; {
	case right == denyAll:
		return apierror.MethodUnknown()
	case right == unscopedOnly && who.Session != "":
		return apierror.MethodNotAllowed("a caller that is confined to a session may not call this method")
	case c.draining.Load() && !isHealth(method):
		return apierror.Draining()
	}
	return nil
}
