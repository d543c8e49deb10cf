// Deadlines and retries of the calls (gRPC service config). Made by `make generate`.
export const serviceConfig = {
  "methodConfig": [
    {
      "name": [
        {"service": "toolresult.v1.ToolResultService"},
        {"service": "toolresult.v1.ArtifactService"},
        {"service": "toolresult.v1.TransportService"},
        {"service": "toolresult.v1.ToolService"},
        {"service": "toolresult.v1.AuditService"},
        {"service": "toolresult.v1.AccessService"}
      ],
      "timeout": "30s",
      "retryPolicy": {
        "maxAttempts": 5,
        "initialBackoff": "0.1s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"]
      }
    },
    {
      "name": [
        {"service": "toolresult.v1.ToolResultService", "method": "Compact"},
        {"service": "toolresult.v1.ArtifactService", "method": "CollectGarbage"}
      ],
      "timeout": "300s",
      "retryPolicy": {
        "maxAttempts": 5,
        "initialBackoff": "0.1s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"]
      }
    },
    {
      "name": [
        {"service": "toolresult.v1.AccessService", "method": "IssueSessionToken"},
        {"service": "grpc.health.v1.Health", "method": "Check"}
      ],
      "timeout": "5s"
    },
    {
      "name": [
        {"service": "toolresult.v1.ToolResultService", "method": "ProjectStream"},
        {"service": "toolresult.v1.ToolResultService", "method": "ProjectSession"},
        {"service": "toolresult.v1.ToolResultService", "method": "CompactStream"},
        {"service": "toolresult.v1.ArtifactService", "method": "AppendLog"},
        {"service": "toolresult.v1.ArtifactService", "method": "VerifyArtifacts"},
        {"service": "toolresult.v1.AuditService", "method": "VerifyLog"}
      ]
    },
    {
      "name": [
        {"service": "toolresult.v1.TransportService", "method": "AssembleToolCalls"}
      ],
      "retryPolicy": {
        "maxAttempts": 5,
        "initialBackoff": "0.1s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE"]
      }
    }
  ],
  "retryThrottling": {
    "maxTokens": 20,
    "tokenRatio": 1
  }
} as const;
