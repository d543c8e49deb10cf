package config

// Differences returns the keys of the settings that differ between two configurations, in the order of [Config]. Secrets are hidden:
// of each it sees whether there is one.
func Differences(a, b Config) (keys []string) {
	for _, s := range settings() {
		if s.text(a) != s.text(b) {
			keys = append(keys, s.describe().key)
		}
	}
	return keys
}
