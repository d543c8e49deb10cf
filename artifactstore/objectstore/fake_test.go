package objectstore_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fault is what happens to a request.
type fault int

const (
	served fault = iota
	hungUp       // the connection is closed without an answer
	broken       // 500
	denied       // 403
	cut          // the answer ends in the middle
	lost         // it is done, and the connection closed without an answer
	stuck        // nothing happens until the client goes away
	frozen       // the answer begins, and nothing more happens until the client goes away
)

// fakeObject is an object of the fake.
type fakeObject struct {
	content []byte
	meta    http.Header
}

// fakeS3 answers the handful of requests that the store makes, as S3 does, from memory. It checks no signatures.
type fakeS3 struct {
	*httptest.Server

	mu      sync.Mutex
	objects map[string]fakeObject
	parts   map[string]map[int][]byte // by upload id
	metas   map[string]http.Header
	fault   func(r *http.Request) fault
	missing bool // the bucket does not exist
}

func newFake(t testing.TB) *fakeS3 {
	t.Helper()
	f := &fakeS3{objects: map[string]fakeObject{}, parts: map[string]map[int][]byte{}, metas: map[string]http.Header{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// location is a URL of the fake.
func (f *fakeS3) location() string { return "s3://bucket/some/prefix?endpoint=" + f.URL }

// fail lets requests meet faults; nil for none.
func (f *fakeS3) fail(fault func(*http.Request) fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// always is a fault of every request.
func always(what fault) func(*http.Request) fault {
	return func(*http.Request) fault { return what }
}

// of is a fault of every request with a method.
func of(method string, what fault) func(*http.Request) fault {
	return func(r *http.Request) fault {
		if r.Method == method {
			return what
		}
		return served
	}
}

// keys are the names of all objects.
func (f *fakeS3) keys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.objects))
}

// edit changes what is there behind everyone's back.
func (f *fakeS3) edit(change func(objects map[string]fakeObject)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.objects)
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	what := served
	if f.fault != nil {
		what = f.fault(r)
	}
	f.mu.Unlock()
	switch what {
	case hungUp:
		panic(http.ErrAbortHandler)
	case broken:
		writeError(w, http.StatusInternalServerError, "InternalError")
		return
	case denied:
		writeError(w, http.StatusForbidden, "AccessDenied")
		return
	case stuck:
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client goes away
		select {
		case <-r.Context().Done():
		case <-time.After(time.Hour):
		}
		return
	}
	recorded := httptest.NewRecorder()
	f.serve(recorded, r)
	if what == lost {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), recorded.Header())
	w.WriteHeader(recorded.Code)
	body := recorded.Body.Bytes()
	if what == frozen {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	if what == cut {
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(body)
}

// writeError answers as S3 does, with a text that no error of the store may repeat unescaped.
func writeError(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test wants it\n\u009b31m</Message></Error>", code)
}

func (f *fakeS3) serve(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	if sum := r.Header.Get("Content-Md5"); sum != "" {
		if got := md5.Sum(content); base64.StdEncoding.EncodeToString(got[:]) != sum {
			writeError(w, http.StatusBadRequest, "BadDigest")
			return
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key, ok := strings.CutPrefix(r.URL.Path, "/bucket/")
	if key == "" && ok && r.URL.Query().Has("list-type") && !f.missing {
		f.list(w, r.URL.Query().Get("prefix"))
		return
	}
	if !ok || f.missing {
		writeError(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	query := r.URL.Query()
	switch r.Method {
	case http.MethodHead, http.MethodGet:
		f.get(w, r, key)
	case http.MethodDelete:
		if query.Has("uploadId") {
			delete(f.parts, query.Get("uploadId"))
		} else {
			delete(f.objects, key)
		}
		w.WriteHeader(http.StatusNoContent)
	case http.MethodPut:
		if id := query.Get("uploadId"); id != "" {
			f.part(w, id, query.Get("partNumber"), content)
			return
		}
		f.create(w, r, key, fakeObject{content, metaOf(r.Header)})
	case http.MethodPost:
		f.post(w, r, key, content)
	}
}

func (f *fakeS3) list(w http.ResponseWriter, prefix string) {
	fmt.Fprint(w, "<ListBucketResult><IsTruncated>false</IsTruncated>")
	for _, key := range slices.Sorted(maps.Keys(f.objects)) {
		if strings.HasPrefix(key, prefix) {
			fmt.Fprintf(w, "<Contents><Key>%s</Key><LastModified>1970-01-01T00:00:00Z</LastModified><Size>%d</Size></Contents>", key, len(f.objects[key].content))
		}
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func metaOf(h http.Header) http.Header {
	meta := http.Header{}
	for k, v := range h {
		if strings.HasPrefix(k, "X-Amz-Meta-") {
			meta[k] = v
		}
	}
	return meta
}

func (f *fakeS3) get(w http.ResponseWriter, r *http.Request, key string) {
	o, ok := f.objects[key]
	if !ok {
		writeError(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	maps.Copy(w.Header(), o.meta)
	w.Header().Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
	w.Header().Set("ETag", `"x"`)
	http.ServeContent(w, r, "", time.Unix(0, 0), bytes.NewReader(o.content))
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Length", strconv.Itoa(len(o.content)))
	}
}

func (f *fakeS3) create(w http.ResponseWriter, r *http.Request, key string, o fakeObject) bool {
	if _, exists := f.objects[key]; exists && r.Header.Get("If-None-Match") == "*" {
		writeError(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return false
	}
	f.objects[key] = o
	w.Header().Set("ETag", `"x"`)
	return true
}

func (f *fakeS3) part(w http.ResponseWriter, id, number string, content []byte) {
	n, err := strconv.Atoi(number)
	if err != nil || f.parts[id] == nil {
		writeError(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	f.parts[id][n] = content
	w.Header().Set("ETag", `"`+number+`"`)
}

func (f *fakeS3) post(w http.ResponseWriter, r *http.Request, key string, content []byte) {
	query := r.URL.Query()
	if query.Has("uploads") {
		id := "upload-" + strconv.Itoa(len(f.metas))
		f.parts[id], f.metas[id] = map[int][]byte{}, metaOf(r.Header)
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>", key, id)
		return
	}
	id := query.Get("uploadId")
	var list struct {
		Part []struct{ PartNumber int }
	}
	if err := xml.Unmarshal(content, &list); err != nil || f.parts[id] == nil {
		writeError(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	var whole []byte
	for _, p := range list.Part {
		whole = append(whole, f.parts[id][p.PartNumber]...)
	}
	if f.create(w, r, key, fakeObject{whole, f.metas[id]}) {
		delete(f.parts, id)
		fmt.Fprintf(w, `<CompleteMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`, key)
	}
}
