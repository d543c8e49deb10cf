package redact

// extraRule is a rule of this package. In its expressions, gapRune is the gap
// between a name and its value, and stopRune the end of a secret.
type extraRule struct {
	id      string
	about   string   // for the document
	re      []string // the first group of each is the secret; without one all of it
	rank    int      // which of several rules names what they all find
	entropy float64  // bits for each byte that a secret has more than
	needs   needs
	allow   []string // secrets that contain one of these are none
	words   bool     // the stop words of gitleaks' generic rule
	block   bool     // the expression is the first line of a block
	ends    ending   // an expression of an assigned value has its first bytes
	loose   needs    // as in a rule
}

// The marks as parts of expressions.
const (
	gap  = string(gapRune)
	stop = string(stopRune)
)

// extraRules are the rules that gitleaks lacks, or has for files only.
// docs/reference/redaction.md lists them. A new one needs a plant in redacttest and
// look-alikes that it leaves alone.
var extraRules = []extraRule{
	{
		id: "private-key", about: "a PEM or PGP private key block of up to 16 KiB, also with escaped line ends or cut off",
		re: []string{`-----BEGIN[ A-Z0-9_]{8,60}-----`}, rank: rankPrefix, block: true,
	},
	{
		id: "jwt", about: "a signed or encrypted JSON Web Token; gitleaks' rule with a header that is JSON",
		re:   []string{`\b(eyJ[\w-]{8,}\.eyJ[\w/\\=.-]{20,})`, `\b(eyJ[\w-]{16,}\.\.?[\w-]{16,}\.[\w.-]{20,})`},
		rank: rankPrefix, entropy: 3,
	},
	{
		id: "authorization-header", about: "credentials in Authorization and Proxy-Authorization",
		re: []string{
			`(?i)authorization["'\\]{0,3}[ \t]{0,2}[:=,][ \t"'\\]{0,5}(?:bearer|basic|token|apikey|negotiate)[ ]{1,4}([\w.~+/=:-]{8,})`,
		},
		rank: rankPlace, needs: noWord,
	},
	{
		id: "authorization-header", about: "credentials in Authorization and Proxy-Authorization",
		re:   []string{`(?i)authorization["'\\]{0,3}[ \t]{0,2}[:=,][ \t"'\\]{0,5}([\w.~+/=:-]{20,})`},
		rank: rankPlace, needs: aDigit,
	},
	{
		id: "bearer-token", about: "what follows `Bearer`",
		re:   []string{`(?i)\bbearer[ ]{1,2}([\w.~+/-]{20,}={0,2})`},
		rank: rankPlace, entropy: 3.5, needs: aDigit | aLetter,
	},
	{
		id: "url-password", about: "the password in `scheme://user:password@host`",
		re:   []string{"://[^\\s/?#:@\"'<>`\\\\]{0,128}:([^\\s/?#@\"'<>`\\\\]{3,256})@[\\w\\[]"},
		rank: rankPlace,
	},
	{
		id: "url-token", about: "a token in the place of a user, `scheme://token@host`",
		re:   []string{`://([\w.~%-]{20,256})@[\w\[]`},
		rank: rankPlace, entropy: 3, needs: aDigit,
	},
	{
		id: "url-parameter", about: "tokens, keys and signatures in a query",
		re: []string{
			`(?i)[?&](?:access_?token|auth_?token|id_token|refresh_token|token|api_?key|secret|client_secret|password|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=([\w%.~+/-]{16,})`,
		},
		rank: rankPlace, entropy: 3, needs: aDigit, ends: atLeast,
	},
	{
		id: "session-cookie", about: "the first value of a Cookie or Set-Cookie header, and those with the name of a session",
		re: []string{
			`(?i)\b(?:set-)?cookie["']?[:=][ \t"']{0,3}[\w.-]{1,64}=([^\s;"',\\]{12,})`,
			`(?i)\b(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|session_?id|session|sess|sid|auth)=([\w%.~+/:-]{20,})`,
		},
		rank: rankPlace, entropy: 3, needs: aDigit,
	},
	{
		id: "netrc-password", about: "`machine HOST login USER password PASSWORD`",
		re:   []string{`\bmachine[ \t]{1,8}[^\s\\]{1,255}(?:\s{1,8}|\\{1,4}[nr] {0,8})login[ \t]{1,8}[^\s\\]{1,128}(?:\s{1,8}|\\{1,4}[nr] {0,8})password[ \t]{1,8}([^\s"\\]{4,256})`},
		rank: rankPlace, ends: atLeast,
	},
	{
		id: "npmrc-auth", about: "`_authToken`, `_auth` and `_password` of an .npmrc",
		re:   []string{`(?:_authToken|_auth|:_password)["']?[ \t]{0,2}=[ \t"']{0,2}([^\s"'$;]{8,512})`},
		rank: rankPlace, needs: mixed,
	},
	{
		id: "docker-auth", about: "`\"auth\": \"...\"` of a Docker configuration",
		re:   []string{`"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{12,}={0,2})\\?"`},
		rank: rankPlace,
	},
	{
		id: "aws-secret-access-key", about: "forty characters beside the name of an AWS secret key",
		re:   []string{`(?i)(?:secret[_.-]?(?:access[_.-]?)?key|aws[_.-]?secret)` + gap + `([a-z0-9/+]{40})` + stop},
		rank: rankName, entropy: 3.5, needs: mixed,
	},
	{
		id: "aws-session-token", about: "an AWS session token beside its name",
		re:   []string{`(?i)(?:session|security)[_.-]?token` + gap + `([a-z0-9/+=]{100,})`},
		rank: rankName, entropy: 4,
	},
	{
		id: "env-secret", about: "the value of a variable in capitals whose name says that it is a secret: `X_TOKEN=value`",
		re: []string{
			`(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_KEY|APIKEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS|AUTH_KEY)[A-Z0-9_]{0,32}["'\\\]]{0,4}[ ]?[:=]{1,2}[ ]?([^\r\n]{8})`,
		},
		rank: rankPlace, needs: mixed | noPath | noCode, ends: byValue, loose: strong,
	},
	{
		id: "password", about: "a password that is assigned: quoted, or behind `=` without a space; otherwise if a symbol is in it",
		re: []string{
			`(?i)(?:passw(?:or)?d|passphrase|pwd)["'\\\]]{0,4}[ \t]{0,2}[:=>]{1,2}[ \t]{0,2}([^\r\n]{8})`,
			`(?i)(?:passw(?:or)?d|identified by)[ ]\\{0,3}'([^\r\n]{8})`,
		},
		rank: rankPlace, needs: aDigit | aLetter | noPath | noCode, ends: byValue, loose: strong,
	},
	{
		id: "cli-secret", about: "the value of an option like `--token` or `--password`",
		re: []string{
			`--(?:password|passwd|token|secret|api-key|apikey|access-token|auth-token|access-key|secret-key|client-secret|private-token)[ =]([^\r\n]{8})`,
		},
		rank: rankPlace, entropy: 2.5, needs: aDigit | aLetter | noPath | noCode, ends: byValue,
	},
	{
		id: "assigned-secret", about: "a value with a symbol in it beside a name like `client_secret` or `api_key`",
		re: []string{
			`(?i)(?:client[_.-]?secret|secret[_.-]?key|api[_.-]?key|access[_.-]?key|auth[_.-]?token|access[_.-]?token|private[_.-]?key)["'\\\]]{0,4}[ \t]{0,2}[:=>]{1,2}[ \t]{0,2}([^\r\n]{8})`,
		},
		rank: rankGeneric, entropy: 2.5, needs: strong | noPath | noCode, ends: byValue, loose: strong,
	},
	{
		id: "curl-user", about: "the password of `-u user:password` and `--user`",
		re:   []string{`(?:[ ]-u|--user)[ =]["']?[^\s:"'/]{1,64}:([^\s"':/]{6,256})`},
		rank: rankPlace, needs: aLetter, ends: atLeast,
	},
	{
		id: "generic-api-key", about: "a random value beside a name like token, key or secret; gitleaks' rule, tightened",
		re: []string{
			`(?i)(?:api[_.-]?key|access[_.-]?key|secret[_.-]?key|private[_.-]?key|auth[_.-]?key|account[_.-]?key|encryption[_.-]?key|signing[_.-]?key|token|secret|credential|passw(?:or)?d)` + gap + `([\w/+-]{16,150}={0,2})` + stop,
		},
		rank: rankGeneric, entropy: 3.5, needs: aDigit | aLetter | noPath, words: true, ends: atLeast,
	},
}
