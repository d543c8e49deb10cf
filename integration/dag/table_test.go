package dag_test

// The table: a row for each package of the module. It grows downwards, so a row imports rows above it. A package without
// a row has the one of its nearest parent folder.

// row says what a package may import.
type row struct {
	imports []string // packages of this module; NAME/... is the package with all below it
	grpc    knows    // packages of google.golang.org/grpc
	pure    bool     // no clock, no random source, no environment
}

// knows is how much of gRPC a package may import.
type knows int

const (
	nothing knows = iota
	codes         // grpc/codes: to name the status of an error
	calls         // also grpc itself: the types of calls and of services
	all           // everything, also status, metadata, credentials
)

// Groups of packages that the services of the server import.
var (
	text    = []string{"preview/...", "tokens", "redact"}
	results = []string{"gen", "envelope", "projectors", "renderers"}
	stores  = []string{"artifactstore", "artifactstore/catalog", "artifactstore/dir", "artifactstore/slice"}
	request = []string{
		"server/admission", "server/apierror", "server/config", "server/idle", "server/identity", "server/ingest", "server/metrics", "server/families",
		"server/policy", "server/redaction", "server/recorder",
	}
)

var table = map[string]row{
	// What is generated, and what two packages need and nobody else may import.
	"gen":                    {grpc: all},
	"internal/compactstream": {imports: []string{"gen"}}, // of the services, by streams
	"internal/groupcommit":   {},
	"internal/heldfile":      {},
	"internal/jsonspan":      {pure: true},
	"internal/hooks":         {imports: []string{"gen", "internal/jsonspan"}, pure: true}, // payloads of agent hosts to outputs, and receipts back
	"internal/hosts":         {imports: []string{"internal/hooks"}},                       // settings files of agent hosts
	"internal/spool":         {},
	"internal/systemd":       {},
	"internal/peercred":      {},
	"internal/privatedir":    {},
	"internal/sidecar":       {imports: []string{"internal/peercred", "internal/privatedir"}},
	"internal/sqlitedb":      {imports: []string{"internal/heldfile"}},                         // knows no tables
	"internal/journal":       {imports: []string{"internal/groupcommit", "internal/heldfile"}}, // knows no records and no artifacts
	"internal/index":         {imports: []string{"internal/journal", "internal/sqlitedb"}},
	"internal/mcpproxy":      {imports: []string{"internal/jsonspan", "redact"}},

	"internal/mcpproxy/sidecarclient": {imports: []string{"gen", "clients/go", "internal/mcpproxy"}, grpc: all},

	// Bytes to bounded text. docs/adr/0040 has the layers of previews.
	"tokens":           {pure: true},
	"redact":           {pure: true},
	"preview/textscan": {pure: true},
	"preview/literal":  {pure: true},
	"preview/linerule": {imports: []string{"preview/literal", "preview/textscan", "preview/salience"}, pure: true},
	"preview/frames":   {imports: []string{"preview/textscan"}, pure: true},
	"preview/salience": {imports: []string{"preview/literal", "preview/textscan", "preview/frames"}, pure: true},
	"preview/steps":    {imports: []string{"preview/textscan", "preview/salience"}, pure: true},
	"preview/focus":    {imports: []string{"preview/textscan"}, pure: true},
	"preview/shape":    {imports: []string{"preview/textscan", "preview/salience", "preview/linerule", "preview/steps", "preview/focus", "preview/frames"}, pure: true},
	"preview/reports":  {imports: []string{"preview/textscan", "preview/salience", "preview/shape", "preview/frames"}, pure: true},
	"preview/records":  {imports: []string{"preview/textscan", "preview/salience", "preview/shape"}, pure: true},
	"preview/notebook": {imports: []string{"preview/textscan", "preview/salience", "preview/shape", "preview/records"}, pure: true},
	"preview":          {imports: []string{"preview/textscan", "preview/salience", "preview/linerule", "preview/focus", "preview/shape", "preview/reports", "preview/records", "preview/notebook", "tokens"}, pure: true},

	// Bytes to a durable path and back. The interfaces know none of their implementations.
	"artifactstore/internal":    {},
	"artifactstore":             {imports: []string{"artifactstore/internal/..."}},
	"artifactstore/slice":       {imports: []string{"artifactstore"}},
	"artifactstore/memory":      {imports: []string{"artifactstore", "artifactstore/internal/..."}},
	"artifactstore/dir":         {imports: []string{"artifactstore", "artifactstore/internal/...", "internal/heldfile"}},
	"artifactstore/objectstore": {imports: []string{"artifactstore", "artifactstore/dir"}},
	"artifactstore/catalog":     {imports: []string{"artifactstore", "internal/index", "internal/journal", "internal/sqlitedb"}},

	// Records, chained.
	"auditlog":                 {imports: []string{"gen", "internal/journal"}},
	"auditlog/internal/record": {imports: []string{"gen", "auditlog"}},
	"auditlog/local":           {imports: []string{"gen", "auditlog", "auditlog/internal/record", "internal/index", "internal/journal", "internal/sqlitedb"}},
	"auditlog/postgres":        {imports: []string{"gen", "auditlog", "auditlog/internal/record", "auditlog/local", "internal/journal"}},

	// The families: complete output to canonical result, to receipt, to fewer tokens, to messages of providers. A renderer
	// sees no store and no complete output; a projector no receipt.
	"envelope":              {imports: []string{"gen", "internal/jsonspan"}},
	"projectors/profile":    {imports: []string{"gen", "preview/..."}, pure: true},
	"projectors/web":        {imports: []string{"gen"}, pure: true},
	"projectors/external":   {imports: []string{"gen", "envelope", "internal/jsonspan", "preview/textscan"}, pure: true},
	"projectors":            {imports: []string{"gen", "envelope", "preview/...", "tokens", "artifactstore", "projectors/..."}, pure: true},
	"renderers":             {imports: []string{"gen", "envelope", "preview/...", "tokens", "redact"}, pure: true},
	"compactor":             {imports: []string{"gen", "envelope", "preview/...", "tokens"}, pure: true},
	"transports/internal":   {imports: []string{"gen", "envelope", "internal/jsonspan"}, pure: true},
	"transports":            {imports: []string{"gen", "envelope", "transports/internal/..."}, pure: true},
	"transports/streams":    {imports: []string{"gen", "envelope", "internal/jsonspan", "transports/internal/..."}, pure: true},
	"transports/transcript": {imports: []string{"gen", "envelope", "internal/jsonspan", "transports/internal/..."}, pure: true},

	// What one request needs. apierror maps the errors of the packages above to status codes; rpc has interceptors,
	// listeners and the codec, and knows no store.
	"server/apierror":  {imports: list("gen", "envelope", "renderers", "artifactstore", "artifactstore/catalog", "auditlog"), grpc: all},
	"server/admission": {imports: list("server/apierror")},
	"server/config":    {imports: list("internal/sidecar", "artifactstore/objectstore")},
	"server/idle":      {imports: list("server/apierror")},
	"server/identity":  {imports: list("gen", "internal/peercred", "server/apierror"), grpc: all},
	"server/metrics":   {imports: list("gen", "envelope", "preview/..."), grpc: codes},
	"server/rpc":       {imports: list("gen", "internal/privatedir", "internal/sidecar", "server/admission", "server/apierror", "server/config", "server/idle", "server/identity", "server/metrics"), grpc: all},
	"server/families":  {imports: list(results, "artifactstore", "preview/...", "projectors/profile", "server/config")},
	"server/policy":    {imports: list(results, "artifactstore/dir", "tokens", "server/config")},
	"server/ingest":    {imports: list("gen", "envelope", "projectors", "artifactstore", text, "server/apierror", "server/identity", "server/idle")},
	"server/redaction": {imports: list("gen", "envelope", "projectors", "artifactstore", "preview/textscan", "redact", "server/apierror", "server/families", "server/identity", "server/ingest"), grpc: codes},
	"server/recorder":  {imports: list(results, "auditlog", "internal/journal", "server/apierror", "server/identity", "server/metrics"), grpc: all},

	// The services.
	"server/pipeline":     {imports: list(results, stores, text, request, "auditlog", "compactor", "server/rpc"), grpc: calls},
	"server/compaction":   {imports: list(results, stores, text, request, "auditlog", "compactor", "server/pipeline"), grpc: calls},
	"server/session":      {imports: list("gen", "envelope", "server/apierror", "server/identity", "server/idle", "server/recorder", "server/rpc"), grpc: all},
	"server/artifactapi":  {imports: list(results, stores, text, request), grpc: calls},
	"server/auditapi":     {imports: list(results, stores, text, request, "auditlog", "server/artifactapi", "server/pipeline"), grpc: calls},
	"server/toolapi":      {imports: list(results, stores, text, request, "transports", "server/artifactapi", "server/pipeline"), grpc: calls},
	"server/transportapi": {imports: list(results, stores, text, request, "transports", "transports/streams", "transports/transcript", "server/pipeline"), grpc: calls},

	// Assembly, and who uses it.
	"server": {
		imports: list(results, stores, text, request, "internal/journal", "internal/sidecar", "artifactstore/memory", "artifactstore/objectstore", "auditlog", "auditlog/local", "auditlog/postgres", "compactor", "server/rpc",
			"server/pipeline", "server/session", "server/compaction", "server/artifactapi", "server/auditapi", "server/toolapi", "server/transportapi"),
		grpc: all,
	},
	"server/telemetry": {imports: list("gen", "preview", "server", "server/config", "server/metrics"), grpc: all},
	// What other programs import, to call the sidecar.
	"clients/go":             {imports: []string{"gen", "internal/compactstream", "internal/sidecar"}, grpc: all},
	"clients/go/conformance": {imports: []string{"gen", "clients/go"}},
	"clients/generate":       {imports: []string{"gen"}},

	// The page, a client of the services.
	"inspect": {imports: list("gen", "internal/compactstream", "envelope", "preview/textscan", "tokens"), grpc: all},

	"cmd":                     {imports: list("gen", "clients/go", "inspect", "cmd/toolresult/internal/...", "internal/...", "envelope", "artifactstore", "projectors/profile", "redact", "server", "server/config", "server/families", "server/rpc", "server/telemetry", "tokens"), grpc: all},
	"integration":             {imports: list("gen", "artifactstore/dir", "clients/go"), grpc: all},
	"integration/performance": {imports: list("gen", "artifactstore/dir", "auditlog", "auditlog/local", "integration/audittest", "internal/journal", "integration"), grpc: all},
	// How commands are run knows no message.
	"cmd/toolresult/internal/shell":       {}, // also no package that is initialized late, as early
	"cmd/toolresult/internal/shell/inner": {},
	"cmd/toolresult/internal/early":       {imports: []string{"cmd/toolresult/internal/shell"}},
	"cmd/toolresult/internal/process":     {imports: []string{"cmd/toolresult/internal/early", "cmd/toolresult/internal/shell"}},
	"integration/eval":                    {imports: []string{"tokens"}},
	// Packages that only tests import: the contracts of stores and of audit logs, secrets, the services in
	// one process, and golden cases without a server.
	"integration/artifactstoretest": {imports: []string{"artifactstore", "artifactstore/memory"}},
	"integration/audittest":         {imports: []string{"gen", "auditlog"}},
	"integration/redacttest":        {imports: []string{"redact"}},
	"integration/servertest": {
		imports: list(results, stores, text, request, "integration/redacttest", "internal/journal/...", "artifactstore/memory", "auditlog", "auditlog/local", "compactor",
			"server/pipeline", "server/compaction", "server/auditapi", "server/rpc/..."),
		grpc: all,
	},
	"integration/goldencase": {imports: list(results, "artifactstore", "artifactstore/dir", "server/families", "server/policy")},
}

// list joins names and lists of names.
func list(of ...any) (names []string) {
	for _, o := range of {
		switch o := o.(type) {
		case string:
			names = append(names, o)
		case []string:
			names = append(names, o...)
		}
	}
	return names
}
