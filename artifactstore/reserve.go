package artifactstore

import "context"

// Reserver is implemented by a store whose small artifacts may be durable elsewhere first, such as in a journal: what is written here need
// not be synced before a call is answered.
type Reserver interface {
	// Reserve writes content, which has no name before the reservation is kept.
	//
	// Errors: those of [Sink.Put], except for those about a blob.
	Reserve(ctx context.Context, content []byte) (Reservation, error)
	// Restore makes the artifact of a name again from its content if it is missing. With verify it is made again also if it is not what it
	// was. It reports whether it was.
	Restore(name string, content []byte, verify bool) (done bool, err error)
	// Settle makes everything durable that was kept before the call.
	Settle() error
}

// Reservation is an artifact that is written and has no name. One goroutine uses it.
type Reservation interface {
	// Ref returns what the artifact will be called. No other content gets this name before Release.
	Ref() Ref
	// Stored reports whether the content is in the store already, durably.
	Stored() bool
	// Keep gives the artifact its name, from which on it can be read. It is durable after [Reserver.Settle].
	Keep() error
	// Release frees what the reservation has. It must be called in the end, also after Keep.
	Release()
}
