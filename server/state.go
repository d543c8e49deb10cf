package server

import "github.com/toolresult/toolresult/server/metrics"

// State is how much of everything a server has at one moment.
type State struct {
	Artifacts, ArtifactBytes    int64            // in the catalog
	QuotaBytes                  int64            // 0: none
	Waiting                     map[string]int64 // records that wait to be made durable, by store
	ObjectStore                 bool             // there is one
	PendingArtifacts            int64            // in the spool alone
	PendingBytes                int64
	OpenUnary, OpenStreams      int64 // calls in flight
	InFlightBytes, MaxInFlight  int64
	Connections, MaxConnections int64
}

// State returns the state of the server. It may be called at any time after New, also when the server is closed. Safe for
// concurrent use.
func (s *Server) State() State {
	status := s.catalog.Status()
	load := s.calls.Load()
	now := State{
		Artifacts: status.Artifacts, ArtifactBytes: status.Bytes, QuotaBytes: s.config.StoreQuota,
		Waiting:   map[string]int64{metrics.JournalStore: s.catalog.Waiting(), metrics.AuditStore: s.audit.Waiting()},
		OpenUnary: load.Unary, OpenStreams: load.Streams,
		InFlightBytes: load.Bytes, MaxInFlight: s.config.MaxInFlightBytes,
		Connections: s.connections(), MaxConnections: int64(s.config.MaxConnections * len(s.listeners)),
	}
	if s.objects != nil {
		o := s.objects.Status()
		now.ObjectStore, now.PendingArtifacts, now.PendingBytes = true, int64(o.PendingArtifacts), int64(o.PendingBytes)
	}
	return now
}

// connections is the number of connections of all listeners.
func (s *Server) connections() (n int64) {
	for _, l := range s.listeners {
		if counted, ok := l.(interface{ Open() int }); ok {
			n += int64(counted.Open())
		}
	}
	return n
}
