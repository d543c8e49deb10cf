package profile_test

import (
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/toolresult/toolresult/projectors/profile"
)

// An operator adds a profile of a program of their own.
func ExampleLoad() {
	own := profile.Layer{Name: "ours", Files: fstest.MapFS{"deploy.yaml": {Data: []byte("name: deploy\nmatch: [deploy]\nfold: ['^uploaded ']\nexit:\n  2: {class: failure, text: rolled back}\n")}}}
	set, err := profile.Load(profile.BuiltInLayer(), own)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := set.Find("sudo deploy --now")
	fmt.Println(p.Name(), p.Layer(), p.Rules().Classify([]byte("uploaded 7 files")))
	fmt.Println(set.Exit("deploy", 2).GetText())
	// Output:
	// deploy ours fold
	// rolled back
}

// An author asks why a command has its profile.
func ExampleSet_Explain() {
	for _, step := range profile.BuiltIn().Explain("cd web && npx jest --ci").Steps {
		fmt.Println(step)
	}
	// Output: jest --ci: the pattern "jest" of jest matches
}

// A fixture is made of the output of a command, for an author to review.
func ExampleNewFixture() {
	f, err := profile.NewFixture(profile.BuiltIn(), "git clone https://x.example/y", strings.NewReader("Cloning into 'y'...\nReceiving objects:  10%\rReceiving objects: 100%, done.\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(f)
	// Output:
	// $ git clone https://x.example/y
	//
	//   Cloning into 'y'...
	// - Receiving objects: 100%, done.
}
