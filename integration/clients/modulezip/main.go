// Command modulezip writes the module that is in a folder as the zip file that a module proxy serves.
package main

import (
	"log"
	"os"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("modulezip: ")
	if len(os.Args) != 4 {
		log.Fatal("usage: modulezip FOLDER VERSION FILE")
	}
	file, err := os.Create(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	err = zip.CreateFromDir(file, module.Version{Path: "github.com/toolresult/toolresult", Version: os.Args[2]}, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
