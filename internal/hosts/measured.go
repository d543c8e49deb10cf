package hosts

import (
	_ "embed" // of what was measured
	"encoding/json"
	"fmt"

	"github.com/toolresult/toolresult/internal/hooks"
)

// Reading is what a model reads of the result of a command.
type Reading struct {
	Bytes  int  `json:"bytes"`
	Tokens int  `json:"tokens"` // by o200k_base
	Line   bool `json:"line"`   // the deciding line is there
}

// Measured is what the model of a host reads of one command, without toolresult and with it.
type Measured struct {
	Host    hooks.Host `json:"host"`
	Version string     `json:"version"`
	Without Reading    `json:"without"`
	With    Reading    `json:"with"`
}

// The command of all measurements prints 30,001 lines with an error in the middle, and ends with 2.
const (
	DecidingLine = "main.c:41:7: error: no x;"
	FailingLine  = "seq 1 15000; echo '" + DecidingLine + "'; seq 15001 30000; exit 2"
)

//go:embed measured.json
var measured []byte

// Measurements returns what the real hosts were seen to show their models. `make hosts WRITE=yes` measures it again.
func Measurements() ([]Measured, error) {
	var list []Measured
	if err := json.Unmarshal(measured, &list); err != nil {
		return nil, fmt.Errorf("measured.json: %w", err)
	}
	return list, nil
}

// TableHead is the head of the table of measurements in README.md and docs/hosts.md.
const TableHead = "| host | the model reads without us | with us | deciding line |\n| --- | --- | --- | --- |"

// Row returns a measurement as a row of the table.
func (m Measured) Row() string {
	line := map[bool]string{true: "yes", false: "no"}
	return fmt.Sprintf("| %s %s | %s | %s | %s / %s |", m.Host, m.Version, m.Without, m.With, line[m.Without.Line], line[m.With.Line])
}

// String returns a reading for people.
func (r Reading) String() string {
	return thousands(r.Tokens) + " tokens (" + thousands(r.Bytes) + " bytes)"
}

// thousands returns a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
