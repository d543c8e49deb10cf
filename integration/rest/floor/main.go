// Command floor prints a word, which is the least that a Go program does.
package main

import "os"

func main() { _, _ = os.Stdout.WriteString("floor\n") }
