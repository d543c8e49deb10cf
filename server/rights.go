package server

import (
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionalphapb "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// right says who may call a method.
type right int

const (
	nobody     right = iota // what a method has that is not in the table
	unconfined              // callers who are confined to no session
	everyone                // every caller whose identity is known; in a session, for that session
)

// rights has a row for every method of every service: who may call it. What has no row is refused like what no service
// has, and a test fails.
// docs/reference/access.md has the same as a table for people.
func rights() map[string]right {
	return map[string]right{
		pb.ToolResultService_Project_FullMethodName:       everyone,
		pb.ToolResultService_ProjectStream_FullMethodName: everyone,
		pb.ToolResultService_ProjectTurn_FullMethodName:   everyone,
		pb.ToolResultService_Render_FullMethodName:        everyone,
		pb.ToolResultService_ParseReceipt_FullMethodName:  everyone,
		pb.ToolResultService_Compact_FullMethodName:       everyone,
		pb.ToolResultService_CompactStream_FullMethodName: everyone,
		pb.ToolResultService_GetServerInfo_FullMethodName: everyone,

		pb.ArtifactService_ReadArtifact_FullMethodName:    everyone,
		pb.ArtifactService_ListArtifacts_FullMethodName:   everyone,
		pb.ArtifactService_LeaseSession_FullMethodName:    everyone,
		pb.ArtifactService_AppendLog_FullMethodName:       everyone,
		pb.ArtifactService_VerifyArtifacts_FullMethodName: unconfined,
		pb.ArtifactService_CollectGarbage_FullMethodName:  unconfined,

		pb.TransportService_EncodeTurn_FullMethodName:        everyone,
		pb.TransportService_LintTranscript_FullMethodName:    everyone,
		pb.TransportService_AssembleToolCalls_FullMethodName: everyone,

		pb.ToolService_GetToolDefinitions_FullMethodName: everyone,
		pb.ToolService_CallTool_FullMethodName:           everyone,

		pb.AuditService_GetRecord_FullMethodName:    everyone,
		pb.AuditService_ListRecords_FullMethodName:  everyone,
		pb.AuditService_VerifyRecord_FullMethodName: everyone,
		pb.AuditService_VerifyLog_FullMethodName:    unconfined,

		pb.AccessService_IssueSessionToken_FullMethodName: unconfined,
		pb.AccessService_RegisterSecrets_FullMethodName:   everyone,

		healthpb.Health_Check_FullMethodName: everyone, // and see isProbe
		healthpb.Health_List_FullMethodName:  everyone,
		healthpb.Health_Watch_FullMethodName: everyone,

		reflectionpb.ServerReflection_ServerReflectionInfo_FullMethodName:      unconfined,
		reflectionalphapb.ServerReflection_ServerReflectionInfo_FullMethodName: unconfined,
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

// mayCall says why a call may not be made, or nil. A stream has no request yet.
func (c *calls) mayCall(who caller, method string, req any) *refusal {
	if isProbe(method, req) {
		return nil
	}
	if who.refused != nil {
		return who.refused
	}
	switch right := c.rights[method]; {
	case right == nobody:
		return methodUnknown()
	case right == unconfined && who.session != "":
		return methodNotAllowed("a caller that is confined to a session may not call this method")
	case c.draining.Load() && !isHealth(method):
		return draining()
	}
	return nil
}
