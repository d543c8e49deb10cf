// Package inspect is a page on which people look at what a sidecar did: sessions and calls in their order, and of each call the
// complete output, the canonical result and the receipt, with what was kept and cut and why.
//
// The page is a client of the sidecar's services. It changes nothing: it lists and reads records and artifacts, asks for the plan of
// a compaction that is not carried out, and tries policies in another sidecar, which keeps nothing. Everything that a tool wrote is
// shown as text, in its visible form.
package inspect

import (
	"context"
	"crypto/rand"
	"embed"
	"net/http"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Sidecar has the services of the sidecar that is looked at. The caller must be able to read the records of all sessions.
type Sidecar struct {
	pb.ToolResultServiceClient
	pb.ArtifactServiceClient
	pb.AuditServiceClient
}

// Options are what a page is made of.
type Options struct {
	Sidecar Sidecar
	// Token is what a browser must show, as /?token=TOKEN; it has a cookie from then on. It can be shown once. Required.
	Token string
	// Trials returns the service of a sidecar in which policies are tried. Nil: they are not.
	Trials func(context.Context) (pb.ToolResultServiceClient, error)
}

// page serves the page. Safe for concurrent use.
type page struct {
	Options
	views views
}

//go:embed web
var web embed.FS

// New returns a handler that serves the page on an address of the loopback interface.
func New(o Options) (http.Handler, error) {
	root := "/" + rand.Text()
	views, err := parseViews(root)
	if err != nil {
		return nil, err
	}
	p := &page{Options: o, views: views}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.view("overview.html", p.overview))
	mux.HandleFunc("GET /records", p.view("records.html", p.records))
	mux.HandleFunc("GET /sessions/{id}", p.view("session.html", p.session))
	mux.HandleFunc("GET /sessions/{id}/compaction", p.view("compaction.html", p.compaction))
	mux.HandleFunc("GET /records/{sequence}", p.view("record.html", p.record))
	mux.HandleFunc("GET /records/{sequence}/json", p.recordJSON)
	mux.HandleFunc("GET /records/{sequence}/texts/{text}/lines", p.view("lines.html", p.lines))
	mux.HandleFunc("POST /records/{sequence}/verification", p.view("verified.html", p.verifyRecord))
	mux.HandleFunc("POST /records/{sequence}/trial", p.view("trial.html", p.try))
	mux.HandleFunc("POST /verification", p.view("verifiedlog.html", p.verifyLog))
	mux.HandleFunc("GET /static/{file}", p.static)
	mux.HandleFunc("/", p.unknown)
	return guard(o.Token, root, p.views, mux), nil
}

// view returns a handler that answers with a template, and what data returns for it.
func (p *page) view(name string, data func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		shown, err := data(r)
		if err != nil {
			p.failed(w, r, err)
			return
		}
		p.views.show(w, http.StatusOK, name, shown)
	}
}

// static serves the style and the scripts, which are part of the program.
func (p *page) static(w http.ResponseWriter, r *http.Request) {
	switch file := r.PathValue("file"); file {
	case "style.css", "htmx.min.js", "inspect.js", "icon.svg":
		w.Header().Set("Cache-Control", "private, max-age=3600")
		http.ServeFileFS(w, r, web, "web/"+file)
	default:
		p.unknown(w, r)
	}
}

// unknown answers for an address that has nothing.
func (p *page) unknown(w http.ResponseWriter, r *http.Request) {
	p.views.fail(w, r, http.StatusNotFound, "There is nothing at this address.")
}
