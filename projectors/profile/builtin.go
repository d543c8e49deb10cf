package profile

import (
	"embed"
	"io/fs"
	"sync"
)

//go:embed builtin/*.yaml
var embedded embed.FS

// BuiltInLayer is the layer of the profiles that come with the program.
func BuiltInLayer() Layer {
	files, err := fs.Sub(embedded, "builtin")
	if err != nil {
		panic(err) // the name is valid
	}
	return Layer{Name: "built in", Files: files}
}

// BuiltIn is the set of the profiles that come with the program, and no others.
var BuiltIn = sync.OnceValue(func() *Set {
	s, err := Load(BuiltInLayer())
	if err != nil {
		panic(err) // the tests load them
	}
	return s
})
