package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Results are what one run measured: every number of every round. The tables are made of them and of nothing else.
type Results struct {
	Run   Run
	Calls []Calls
	Log   Log
	Disk  Disk
	Bulk  []Bulk
}

// Run says where and when a run was made.
type Run struct {
	Commit     string // with "+" if files differed from it
	Date       string // day and minute, UTC
	Go         string
	Processor  string
	Cores      int
	FileSystem string
	Quick      bool       // too short for a document
	Rounds     int        // of calls
	Burst      string     // the time of one side in one round
	Took       string     // the whole run
	Load       [2]float64 // average of a minute, before and after; the run itself is in the second
	Others     float64    // share of the processors that other programs, or other machines on the same hardware, used
}

// Calls are the sides of one payload and number of callers.
type Calls struct {
	Payload  string
	Callers  int
	Answer   int // bytes
	Appended int // bytes that the sidecar with the defaults appends for a call
	Sides    []Side
}

// Side has a number for each round. Round i of a side was beside round i of the others.
type Side struct {
	Name          string
	P50, P99, CPU Samples // microseconds
	Rate          Samples // calls a second
}

// Log is the audit log alone, without gRPC.
type Log struct {
	Bytes  int     // of a record
	Shared Samples // records a second of 64 callers
	InTurn Samples // the same, by a write and a sync each, one after the other
}

// Disk is what calls of 4 KB leave on the disk.
type Disk struct {
	Calls, Sealed             int   // calls, and records in sealed files
	Records, Catalog, Indexes int64 // bytes of the sealed files, and of the indexes
}

// Bulk has the seconds that one large output takes, in turns.
type Bulk struct {
	Kind  string
	Bytes int64
	Sides []Timed
}

// Timed is one side of Bulk.
type Timed struct {
	Name    string
	Seconds Samples
	CPU     Samples // seconds of the server's processor time; none for a program that is no server
}

// Samples are the numbers of rounds.
type Samples []float64

// MarshalJSON writes four digits of each number: more would be noise.
func (s Samples) MarshalJSON() ([]byte, error) {
	texts := make([]string, len(s))
	for i, v := range s {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("sample %v", v)
		}
		texts[i] = strconv.FormatFloat(v, 'g', 4, 64)
	}
	return []byte("[" + strings.Join(texts, ",") + "]"), nil
}

func (s *Side) add(m sample) {
	s.P50, s.P99 = append(s.P50, m.p50), append(s.P99, m.p99)
	s.Rate, s.CPU = append(s.Rate, m.rate), append(s.CPU, m.cpu)
}

// median returns the middle of samples; NaN of none.
func (s Samples) median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// over returns the ratios of samples to those of the same rounds.
func (s Samples) over(floor Samples) Samples {
	ratios := make(Samples, min(len(s), len(floor)))
	for i := range ratios {
		ratios[i] = s[i] / floor[i]
	}
	return ratios
}

// String returns the median and the range, as tables have them. Samples that are all the same have no range.
func (s Samples) String() string {
	if len(s) == 0 {
		return ""
	}
	median, least, most := digits(s.median()), digits(slices.Min(s)), digits(slices.Max(s))
	if least == most {
		return median
	}
	return fmt.Sprintf("%s (%s–%s)", median, least, most)
}

// digits returns a number with about three digits.
func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v >= 1000:
		return group(int64(v + 0.5))
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// group returns a number with commas.
func group(v int64) string {
	s := strconv.FormatInt(v, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// side returns the side of a name; an empty one if it was not measured.
func (c Calls) side(name string) Side {
	for _, s := range c.Sides {
		if s.Name == name {
			return s
		}
	}
	return Side{}
}

// medians returns the medians of all sides, for a line of progress.
func (c Calls) medians() string {
	var all []string
	for _, s := range c.Sides {
		all = append(all, digits(s.P50.median()))
	}
	return strings.Join(all, " ")
}

// calls returns the results of a payload and a number of callers; none if they were not measured.
func (r Results) calls(payload string, callers int) Calls {
	for _, c := range r.Calls {
		if c.Payload == payload && c.Callers == callers {
			return c
		}
	}
	return Calls{}
}
