package objectstore

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// The defaults of a location.
const (
	defaultEndpoint = "https://s3.amazonaws.com"
	defaultRegion   = "us-east-1"
	// maxPrefix keeps the paths of artifacts short enough for receipts, and keys far from the 1,024 bytes of S3.
	maxPrefix = 256
)

// Location is a place for artifacts in object storage: the service, the bucket and the prefix of keys.
type Location struct {
	bucket   string
	prefix   string // of object names; empty or ending in "/"
	endpoint string // host, and port where one is given
	secure   bool
	region   string
}

// ParseLocation reads "s3://BUCKET/PREFIX?endpoint=URL&region=REGION&insecure=true". The prefix and all
// parameters are optional: without them the endpoint is that of AWS and the region us-east-1. An http endpoint is
// accepted for a loopback host, and for others with insecure=true. Credentials have no place in it, and no
// error repeats any part of the text.
func ParseLocation(text string) (Location, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Location{}, errors.New("is not a URL")
	case u.User != nil:
		return Location{}, errors.New("holds credentials; they come from the environment (AWS_ACCESS_KEY_ID) or a file (AWS_SHARED_CREDENTIALS_FILE)")
	case u.Scheme != "s3" || u.Opaque != "" || u.Fragment != "" || u.Port() != "":
		return Location{}, errors.New("is not of the form s3://BUCKET/PREFIX?endpoint=URL&region=REGION")
	case s3utils.CheckValidBucketNameStrict(u.Host) != nil:
		return Location{}, errors.New("has no valid name of a bucket")
	}
	l := Location{bucket: u.Host, region: defaultRegion}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		if err := checkPrefix(prefix); err != nil {
			return Location{}, err
		}
		l.prefix = prefix + "/"
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Location{}, errors.New("has parameters that cannot be read")
	}
	return l.withParameters(parameters)
}

// withParameters applies the parameters of the URL.
func (l Location) withParameters(parameters url.Values) (Location, error) {
	endpoint, insecure := defaultEndpoint, false
	for name, values := range parameters {
		if len(values) != 1 || values[0] == "" {
			return Location{}, errors.New("has a parameter twice, or one without a value")
		}
		switch value := values[0]; name {
		case "endpoint":
			endpoint = value
		case "region":
			if strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
				return Location{}, errors.New("has a region with other characters than letters, digits, - and _")
			}
			l.region = value
		case "insecure":
			if value != "true" && value != "false" {
				return Location{}, errors.New("has a parameter insecure that is neither true nor false")
			}
			insecure = value == "true"
		default:
			return Location{}, errors.New("has a parameter other than endpoint, region and insecure")
		}
	}
	return l.withEndpoint(endpoint, insecure)
}

// withEndpoint applies an endpoint.
func (l Location) withEndpoint(endpoint string, insecure bool) (Location, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil,
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return Location{}, errors.New("has an endpoint that is not of the form https://HOST:PORT")
	case u.Scheme == "http" && !insecure && !isLoopback(u.Hostname()):
		return Location{}, errors.New("has an http endpoint on another machine: artifacts and signatures could be read on the way; use https, or say insecure=true")
	}
	l.endpoint, l.secure = u.Host, u.Scheme == "https"
	return l, nil
}

// checkPrefix accepts only characters that every object store and every terminal leaves unchanged.
func checkPrefix(prefix string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.="
	if len(prefix) > maxPrefix {
		return fmt.Errorf("has a prefix of more than %d bytes", maxPrefix)
	}
	for segment := range strings.SplitSeq(prefix, "/") {
		if segment == "" || segment == "." || segment == ".." || strings.Trim(segment, allowed) != "" {
			return errors.New("has a prefix with other characters than letters, digits and - _ . = /, or with an empty part")
		}
	}
	return nil
}

// isLoopback reports whether host is this machine, without asking a name server.
func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// URL returns "s3://BUCKET/PREFIX".
func (l Location) URL() string { return "s3://" + l.bucket + strings.TrimSuffix("/"+l.prefix, "/") }

// pathPrefix returns the part of the path of an artifact before its name.
func (l Location) pathPrefix() string { return l.URL() + "/" }

// object returns the key of the object called name.
func (l Location) object(name string) string { return l.prefix + name }
