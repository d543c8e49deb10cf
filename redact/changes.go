package redact

// changesVersion goes up with every change of changes, extraRules, or their
// meaning in the finder: it is part of the version of the rules.
const changesVersion = 3

// change is a difference from a rule of gitleaks, and its reason.
type change struct {
	id      string
	drop    bool
	re      string  // instead of theirs
	entropy float64 // instead of theirs
	needs   needs
	why     string
}

// changes are sorted by id. A rule has at most one. The reasons are those of
// docs/reference/redaction.md: a rule that is for one kind of file needs its name,
// which output does not have, and one that is known by three letters is tried at every
// word.
var changes = []change{
	{
		id: "aws-amazon-bedrock-api-key-short-lived", re: `bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]*`,
		why: "theirs ends where the secret part begins",
	},
	{id: "azure-ad-client-secret", re: `\b([a-zA-Z0-9_~.]{3}\dQ~[a-zA-Z0-9_~.-]{31,34})` + stop, why: "the same, with our edges"},
	{id: "curl-auth-header", drop: true, why: "authorization-header finds it without a command line over several lines"},
	{id: "curl-auth-user", drop: true, why: "curl-user finds it without a command line over several lines"},
	{
		id: "facebook-access-token", re: `\b(\d{15}\|[0-9a-zA-Z_-]{27,40}|\d{16}\|[0-9a-zA-Z_-]{27,40})` + stop,
		why: "theirs begins with any digits, so it would be tried at every number",
	},
	{id: "freemius-secret-key", drop: true, why: "for .php files only"},
	{id: "generic-api-key", drop: true, why: "replaced by a tightened rule of the same name"},
	{id: "hashicorp-tf-password", drop: true, why: "for .tf files only; password finds it"},
	{id: "jwt", drop: true, why: "replaced by a rule of the same name that needs the header of one"},
	{id: "kubernetes-secret-yaml", drop: true, why: "for .yaml files only, and needs hundreds of bytes around"},
	{id: "lob-api-key", re: `\b((?:live|test)_[a-f0-9]{35})` + stop, why: "theirs is known by three letters that are in `global`; the token has a begin of its own"},
	{id: "lob-pub-api-key", re: `\b((?:live|test)_pub_[a-f0-9]{31})` + stop, why: "as lob-api-key"},
	{
		id: "microsoft-teams-webhook", re: `webhook\.office\.com/webhookb2/([a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36})`,
		why: "the same, without the host in front, so that it is not tried at every URL",
	},
	{id: "nuget-config-password", drop: true, why: "for nuget.config only"},
	{id: "private-key", drop: true, why: "replaced by a rule of the same name that is bounded"},
	{
		id: "sentry-org-token", re: `\b(sntrys_eyJpYXQiO[a-zA-Z0-9+/=_-]{60,})`,
		why: "theirs must be tried in many ways, and says no more than its begin and length",
	},
	{id: "sidekiq-sensitive-url", drop: true, why: "url-password finds it"},
	{
		id: "slack-webhook-url", re: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{43,56})`,
		why: "the same, without what is in front, so that it is not tried at every URL",
	},
	{
		id: "sourcegraph-access-token", re: `\b(sgp_(?:[a-fA-F0-9]{16}|local)_[a-fA-F0-9]{40}|sgp_[a-fA-F0-9]{40})` + stop,
		why: "theirs takes every commit id for one",
	},
	{
		id: "square-access-token", re: `\b(sq0atp-[\w-]{22,60})` + stop,
		why: "theirs takes four letters that base64 of programs has often for the beginning of a token; square-token knows the length",
	},
	{id: "vault-service-token", re: `\b(hvs\.[\w-]{90,120})` + stop, why: "the old form `s.` and 24 letters is any member of an object"},
}

// Change is a difference from gitleaks, for documents.
type Change struct{ Kind, What, Why string }

// Changes returns the differences from gitleaks, sorted by kind.
func Changes() []Change {
	var list []Change
	for _, c := range changes {
		what := "changed"
		if c.drop {
			what = "dropped"
		}
		list = append(list, Change{c.id, what, c.why})
	}
	return list
}
