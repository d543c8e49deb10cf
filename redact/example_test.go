package redact_test

import (
	"fmt"

	"github.com/toolresult/toolresult/redact"
)

// A registered value is found in any encoding, and a token by its looks.
func ExampleText() {
	values, err := redact.NewValues([]redact.Secret{{Name: "db", Value: []byte("k7#Qp!9zLm")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "password k7#Qp!9zLm, as a URL k7%23Qp%219zLm, ghp_0123456789abcdefABCDEF0123456789abcd\n"
	out, found := redact.Text(redact.Options{Values: values, Patterns: redact.BuiltIn()}, []byte(text))
	fmt.Printf("%s", out)
	for _, c := range found {
		fmt.Println(c.Kind, c.Matches)
	}
	// Output:
	// password [redacted:db], as a URL [redacted:db], [redacted:github-pat]
	// db 2
	// github-pat 1
}

// A secret that is cut by a write is pending until it is whole.
func ExampleRedactor() {
	r := redact.New(redact.Options{Patterns: redact.BuiltIn()})
	for _, write := range []string{"the token is ghp_0123456789abcdef", "ABCDEF0123456789abcd, and more\n"} {
		for _, part := range r.Write([][]byte{[]byte(write)}) {
			fmt.Printf("%s", part)
		}
	}
	for _, part := range r.Flush() {
		fmt.Printf("%s", part)
	}
	// Output:
	// the token is [redacted:github-pat], and more
}
