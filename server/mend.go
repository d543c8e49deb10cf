package server

import (
	"context"
	"errors"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/families"
)

// recordedArtifacts lists the artifacts that records of projections name, with the call that put them, and whether they are raw. Other records
// do not count: their results come from a client and may name artifacts of others.
func recordedArtifacts(registry *families.Registry, log auditlog.Reader) catalog.Recorded {
	put := []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}
	return func(ctx context.Context, visit func(o catalog.Owner, path string) error) error {
		for below := uint64(0); ; {
			page, next, err := log.List(ctx, auditlog.Query{Kinds: put, Below: below})
			if err != nil {
				return err
			}
			for _, outline := range page {
				record, err := log.Get(ctx, outline.GetSequence())
				if errors.Is(err, auditlog.ErrBroken) || errors.Is(err, auditlog.ErrUnknown) { // retention deletes meanwhile
					continue
				}
				if err == nil {
					err = visitArtifacts(registry, record, visit)
				}
				if err != nil {
					return err
				}
			}
			if below = next; next == 0 {
				return nil
			}
		}
	}
}

// visitArtifacts calls visit for each artifact that a record names.
func visitArtifacts(registry *families.Registry, record *pb.AuditRecord, visit func(o catalog.Owner, path string) error) error {
	owner := catalog.Owner{Session: record.GetCall().GetSessionId(), Call: record.GetCall().GetCallId()}
	var paths []string
	for _, p := range record.GetPayloads() {
		if p.GetArtifact() != "" {
			paths = append(paths, p.GetArtifact())
		}
		if p.GetOriginalArtifact() != "" {
			raw := owner
			raw.Raw = true
			if err := visit(raw, p.GetOriginalArtifact()); err != nil {
				return err
			}
		}
	}
	for _, m := range registry.Messages(record.GetCanonical()) {
		envelope.Walk("", m, func(_ string, m protoreflect.Message) { paths = append(paths, envelope.Artifacts(m)...) })
	}
	for _, path := range paths {
		if err := visit(owner, path); err != nil {
			return err
		}
	}
	return nil
}
