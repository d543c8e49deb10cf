package objectstore_test

import (
	"fmt"

	"github.com/toolresult/toolresult/artifactstore/objectstore"
)

// A location names the bucket and the service. Credentials have no place in it.
func ExampleParseLocation() {
	l, err := objectstore.ParseLocation("s3://artifacts/team-a?endpoint=http://127.0.0.1:9000&region=eu-central-1")
	fmt.Println(l.URL(), err)
	_, err = objectstore.ParseLocation("s3://key:secret@artifacts")
	fmt.Println(err)
	// Output:
	// s3://artifacts/team-a <nil>
	// holds credentials; they come from the environment (AWS_ACCESS_KEY_ID) or a file (AWS_SHARED_CREDENTIALS_FILE)
}
