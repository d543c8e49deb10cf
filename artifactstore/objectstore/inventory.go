package objectstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
)

// RefFor implements [artifactstore.Namer].
func (s *Store) RefFor(content []byte) artifactstore.Ref { return s.spool.RefFor(content) }

// PathFor implements [artifactstore.Namer]. The path of an artifact is the same on every machine.
func (s *Store) PathFor(name string) string { return s.spool.PathFor(name) }

// Resolve implements [artifactstore.Namer]. It fails with ErrOutsideStore.
func (s *Store) Resolve(path string) (string, error) {
	name, err := s.spool.Resolve(path)
	if err != nil {
		return "", fmt.Errorf("object store %s: %w", s.options.Location.URL(), artifactstore.ErrOutsideStore)
	}
	return name, nil
}

// LogAt implements [artifactstore.Namer].
func (s *Store) LogAt(path string) (live string, ok bool) { return s.spool.LogAt(path) }

// isName reports whether a name is one that this store gives to artifacts.
func isName(name string) bool {
	return len(name) >= NameDigits && len(name) <= 64 && strings.Trim(name, "0123456789abcdef") == ""
}

// Has implements [artifactstore.Inventory]. The bucket is asked for what is not in the spool.
func (s *Store) Has(ctx context.Context, name string) (bool, error) {
	if has, err := s.spool.Has(ctx, name); has || err != nil || !isName(name) {
		return has, err
	}
	_, err := s.bucket.stat(ctx, name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return false, nil
	}
	return err == nil, remoteError(name, err)
}

// Walk implements [artifactstore.Inventory]. It visits the spool, and then the other objects of the bucket, also those of
// other machines.
func (s *Store) Walk(ctx context.Context, visit func(artifactstore.StoredArtifact) error) error {
	visited := map[string]struct{}{} // what is evicted meanwhile is in both
	err := s.spool.Walk(ctx, func(h artifactstore.StoredArtifact) error {
		visited[h.Name] = struct{}{}
		return visit(h)
	})
	if err != nil {
		return err
	}
	return s.bucket.list(ctx, func(h artifactstore.StoredArtifact) error {
		if _, done := visited[h.Name]; done || !isName(h.Name) {
			return nil // an index, or not ours
		}
		return visit(h)
	})
}

// Remove implements [artifactstore.Inventory]. It deletes an artifact everywhere: in the bucket with its index, and in the
// spool. It ends an upload of it under way before. The caller must prevent concurrent puts of the same content, on this
// machine or on one that shares the prefix.
//
// Errors beside those of Inventory: ErrUnavailable when the object store does not answer. It can be called again.
func (s *Store) Remove(ctx context.Context, name string) error {
	if !isName(name) {
		return s.spool.Remove(ctx, name)
	}
	has, err := s.Has(ctx, name)
	if err != nil {
		return err
	}
	if !has && !s.uploads.has(name) {
		return fmt.Errorf("artifact %s: %w", name, artifactstore.ErrUnknown)
	}
	s.setRemoving(name, true)
	defer s.setRemoving(name, false)
	if size, pending := s.uploads.forget(name); pending {
		if err := s.markers.remove(name, size); err != nil {
			return fmt.Errorf("artifact %s: %w", name, err)
		}
	}
	for _, object := range []string{name + indexSuffix, name} {
		if err := s.bucket.remove(ctx, object); err != nil {
			return fmt.Errorf("artifact %s: remove: %w", name, err)
		}
	}
	if err := s.spool.Remove(ctx, name); err != nil && !errors.Is(err, artifactstore.ErrUnknown) {
		return err
	}
	return nil
}

// setRemoving records that an artifact is being removed, so that eviction does not take it for one that the bucket lost.
func (s *Store) setRemoving(name string, removing bool) {
	s.local.Lock()
	defer s.local.Unlock()
	if removing {
		s.removing[name] = true
	} else {
		delete(s.removing, name)
	}
}
