package main

import "testing"

func TestSizesForPeople(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 10 << 10: "10 KiB", 1<<20 - 1: "1.0 MiB", 1 << 20: "1.0 MiB",
		5 << 30: "5.0 GiB", 3 << 40: "3.0 TiB", 1<<64 - 1: "16 EiB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("formatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}
