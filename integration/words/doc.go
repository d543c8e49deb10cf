// Package words rejects words of a language that only this project spoke, where a plain one exists.
package words
