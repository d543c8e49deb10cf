package profile

import (
	"embed"
	"io/fs"
	"sync"
)

//go:embed builtin/*.yaml
var embedded embed.FS

// BuiltInLayer returns the layer of the built-in profiles.
func BuiltInLayer() Layer {
	files, err := fs.Sub(embedded, "builtin")
	if err != nil {
		panic(err) // the name is valid
	}
	return Layer{Name: "built in", Files: files}
}

// BuiltIn returns the set of the built-in profiles alone. It is loaded once.
var BuiltIn = sync.OnceValue(func() *Set {
	s, err := Load(BuiltInLayer())
	if err != nil {
		panic(err) // the tests load them
	}
	return s
})
