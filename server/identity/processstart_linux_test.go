package identity

import "testing"

// TestStartTicks reads stat files of processes with every kind of name (proc_pid_stat(5)).
func TestStartTicks(t *testing.T) {
	t.Parallel()
	const rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20"
	for text, want := range map[string]uint64{
		"1 (sh)" + rest: 987654, "1 (a) b (c)" + rest: 987654, "1 (\n) S 1)" + rest: 987654, "1 (x) S 1 2": 0, "": 0, "1 (x)": 0,
		"1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99999999999999999999": 0,
	} {
		if got, ok := startTicks([]byte(text)); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}
