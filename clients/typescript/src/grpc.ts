// Messages of gRPC that the contract uses: error details and the health service. They are described here at run time, so that
// nothing else is generated, and are in no registry, so that they clash with nobody's.

import { create, createFileRegistry } from "@bufbuild/protobuf";
import type { DescFile, Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_duration,
} from "@bufbuild/protobuf/wkt";
import type { Duration, FileDescriptorProto } from "@bufbuild/protobuf/wkt";

/** ErrorInfo is why a call was rejected. */
export type ErrorInfo = Message<"google.rpc.ErrorInfo"> & {
  reason: string;
  domain: string;
  metadata: { [key: string]: string };
};

/** RetryInfo is how long to wait before a call is made again. */
export type RetryInfo = Message<"google.rpc.RetryInfo"> & { retryDelay?: Duration };

/** HealthCheckRequest asks for a service; empty: for the sidecar as a whole. */
export type HealthCheckRequest = Message<"grpc.health.v1.HealthCheckRequest"> & { service: string };

/** HealthCheckResponse says how it is: 1 is SERVING, 2 is NOT_SERVING, 3 is SERVICE_UNKNOWN. */
export type HealthCheckResponse = Message<"grpc.health.v1.HealthCheckResponse"> & { status: number };

const optional = Label.OPTIONAL;

const details = register(
  create(FileDescriptorProtoSchema, {
    name: "google/rpc/error_details.proto",
    package: "google.rpc",
    syntax: "proto3",
    dependency: ["google/protobuf/duration.proto"],
    messageType: [
      {
        name: "ErrorInfo",
        field: [
          { name: "reason", number: 1, type: Type.STRING, label: optional },
          { name: "domain", number: 2, type: Type.STRING, label: optional },
          { name: "metadata", number: 3, type: Type.MESSAGE, label: Label.REPEATED, typeName: ".google.rpc.ErrorInfo.MetadataEntry" },
        ],
        nestedType: [
          {
            name: "MetadataEntry",
            field: [
              { name: "key", number: 1, type: Type.STRING, label: optional },
              { name: "value", number: 2, type: Type.STRING, label: optional },
            ],
            options: { mapEntry: true },
          },
        ],
      },
      {
        name: "RetryInfo",
        field: [{ name: "retry_delay", number: 1, type: Type.MESSAGE, label: optional, typeName: ".google.protobuf.Duration" }],
      },
    ],
  }),
);

const health = register(
  create(FileDescriptorProtoSchema, {
    name: "grpc/health/v1/health.proto",
    package: "grpc.health.v1",
    syntax: "proto3",
    messageType: [
      { name: "HealthCheckRequest", field: [{ name: "service", number: 1, type: Type.STRING, label: optional }] },
      { name: "HealthCheckResponse", field: [{ name: "status", number: 1, type: Type.INT32, label: optional }] },
    ],
    service: [
      {
        name: "Health",
        method: [
          { name: "Check", inputType: ".grpc.health.v1.HealthCheckRequest", outputType: ".grpc.health.v1.HealthCheckResponse" },
          {
            name: "Watch",
            inputType: ".grpc.health.v1.HealthCheckRequest",
            outputType: ".grpc.health.v1.HealthCheckResponse",
            serverStreaming: true,
          },
        ],
      },
    ],
  }),
);

/** ErrorInfoSchema describes google.rpc.ErrorInfo. */
export const ErrorInfoSchema = message(details, 0) as GenMessage<ErrorInfo>;
/** RetryInfoSchema describes google.rpc.RetryInfo. */
export const RetryInfoSchema = message(details, 1) as GenMessage<RetryInfo>;
/** HealthCheckRequestSchema describes grpc.health.v1.HealthCheckRequest. */
export const HealthCheckRequestSchema = message(health, 0) as GenMessage<HealthCheckRequest>;
/** HealthCheckResponseSchema describes grpc.health.v1.HealthCheckResponse. An enum is an int32 on the wire. */
export const HealthCheckResponseSchema = message(health, 1) as GenMessage<HealthCheckResponse>;

/** Health is the health service of gRPC. */
export const Health = health.services[0] as unknown as GenService<{
  check: { methodKind: "unary"; input: typeof HealthCheckRequestSchema; output: typeof HealthCheckResponseSchema };
  watch: { methodKind: "server_streaming"; input: typeof HealthCheckRequestSchema; output: typeof HealthCheckResponseSchema };
}>;

/** register returns the description of a file. */
function register(proto: FileDescriptorProto): DescFile {
  const registry = createFileRegistry(proto, (name) =>
    name === "google/protobuf/duration.proto" ? file_google_protobuf_duration : undefined,
  );
  const file = registry.getFile(proto.name);
  if (file === undefined) {
    throw new Error(`there is no ${proto.name}`);
  }
  return file;
}

/** message returns the description of a message of a file. */
function message(file: DescFile, index: number): unknown {
  return file.messages[index];
}
