package objectstore

import (
	"errors"
	"fmt"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// The environment variables of credentials, as in every program for S3.
const (
	accessKeyVariable    = "AWS_ACCESS_KEY_ID"
	secretKeyVariable    = "AWS_SECRET_ACCESS_KEY"
	sessionTokenVariable = "AWS_SESSION_TOKEN"
	fileVariable         = "AWS_SHARED_CREDENTIALS_FILE"
)

// ErrNoCredentials means that the environment has no credentials, or only a part of them.
var ErrNoCredentials = errors.New("no credentials for the object store: set " + accessKeyVariable + " and " + secretKeyVariable +
	", or " + fileVariable)

// Credentials sign requests. No text that this package writes has them.
type Credentials struct {
	source *credentials.Credentials
}

// FindCredentials takes the credentials from variables: AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY and, if there
// is one, AWS_SESSION_TOKEN; else from the file AWS_SHARED_CREDENTIALS_FILE, in which AWS_PROFILE names the profile.
// Nothing else is asked, no file in the home directory and no metadata address. getenv is os.Getenv, or a replacement in tests.
// It fails with ErrNoCredentials.
func FindCredentials(getenv func(string) string) (Credentials, error) {
	key, secret := getenv(accessKeyVariable), getenv(secretKeyVariable)
	if key != "" && secret != "" {
		return Credentials{credentials.NewStaticV4(key, secret, getenv(sessionTokenVariable))}, nil
	}
	file := getenv(fileVariable)
	if key != "" || secret != "" || file == "" {
		return Credentials{}, ErrNoCredentials
	}
	source := credentials.NewFileAWSCredentials(file, getenv("AWS_PROFILE"))
	value, err := source.GetWithContext(nil)
	if err != nil || value.AccessKeyID == "" || value.SecretAccessKey == "" {
		// The error of the parser may repeat lines of the file.
		return Credentials{}, fmt.Errorf("%w: %s has none that can be read", ErrNoCredentials, file)
	}
	return Credentials{source}, nil
}
