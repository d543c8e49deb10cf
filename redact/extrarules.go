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
	block   bool     // the expression is the first line of a block
	ends    ending   // an expression of an assigned value has its first bytes
	loose   needs    // as in a rule
	drawn   float64  // as in a rule
	behind  []string // as in a rule
}

// The marks as parts of expressions.
const (
	gap  = string(gapRune)
	stop = string(stopRune)
	// assign is between a name and the value that is assigned to it.
	assign = string(assignRune)
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
		re:   []string{`\b(eyJ[\w-]{8,}\.eyJ[\w/=.-]{20,})`, `\b(eyJ[\w-]{16,}\.\.?[\w-]{16,}\.[\w.-]{20,})`},
		rank: rankPrefix, entropy: 3,
	},
	{
		id: "authorization-header", about: "credentials in Authorization and Proxy-Authorization",
		re: []string{
			`(?i)authorization["'\\]{0,3}[ \t]{0,2}[:=,][ \t"'\\]{0,5}(?:bearer|basic|token|api-?key|negotiate|ssws|splunk|geniekey|key|bot)[ ]{1,4}([\w.~+/=:-]{8,})`,
			`(?i)authorization[ ]\\{0,3}["'](?:bearer|basic|token)[ ]{1,4}([\w.~+/=:-]{8,})`,
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
			`(?i)(?:[?&]|\\u0026|&amp;)(?:access_?token|auth_?token|id_token|refresh_token|token|api_?key|appid|app_?key|secret|client_secret|password|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=([\w%.~+/-]{16,})`,
			`(?i)[?&](?:code|key)=([\w%.~+/-]{32,}={0,2})`,
		},
		rank: rankPlace, entropy: 3, needs: aDigit, ends: atLeast,
	},
	{
		id: "session-cookie", about: "the first value of a Cookie or Set-Cookie header, and those with the name of a session",
		re: []string{
			`(?i)\b(?:set-)?cookie["']?[:=][ \t"']{0,3}[\w.-]{1,64}=([^\s;"',\\]{12,})`,
			`(?:TRUE|FALSE)\t/[^\s\\]{0,64}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\s\\]{1,64}\t([^\s\\"]{16,})`,
			`(?:TRUE|FALSE)\\{1,3}t/[^\s\\]{0,64}\\{1,3}t(?:TRUE|FALSE)\\{1,3}t\d{1,12}\\{1,3}t[^\s\\]{1,64}\\{1,3}t([^\s\\"]{16,})`,
			`(?i)\b(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|session_?id|session|sess|sid|auth)=([\w%.~+/:-]{20,})`,
		},
		rank: rankPlace, entropy: 3, drawn: clearly,
	},
	{
		id: "netrc-password", about: "`machine HOST login USER password PASSWORD`",
		re:   []string{`\bmachine[ \t]{1,8}[^\s\\]{1,255}(?:\s{1,8}|\\{1,4}[nr] {0,8})login[ \t]{1,8}[^\s\\]{1,128}(?:\s{1,8}|\\{1,4}[nr] {0,8})password[ \t]{1,8}([^\s"\\]{4,256})`},
		rank: rankPlace, ends: atLeast,
	},
	{
		id: "npmrc-auth", about: "`_authToken`, `_auth` and `_password` of an .npmrc",
		re:   []string{`(?:_authToken|\b_auth|:_password)["']?[ \t]{0,2}=[ \t"']{0,2}([^\s"'$;\\]{8,512})`, `/:_authToken[ ]["']?([^\s"'$;\\]{8,512})`},
		rank: rankPlace, needs: mixed,
	},
	{
		id: "docker-auth", about: "`\"auth\": \"...\"` of a Docker configuration",
		re:   []string{`"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{12,}={0,2})\\?"`},
		rank: rankPlace,
	},
	{
		id: "aws-secret-access-key", about: "forty characters beside the name of an AWS secret key, or behind the id of an access key",
		re: []string{
			`(?i)(?:secret[_.-]?(?:access[_.-]?)?key|aws[_.-]?secret)` + gap + `([a-z0-9/+]{40})` + stop,
			`(?i)secret[_ .-]?access[_ .-]?key["']?[ ,|\t]{1,40}([a-z0-9/+]{40})` + stop,
			`\b(?:AKIA|ASIA)[A-Z0-9]{16}["']?[ \t,;:|]{1,40}(?:secret[ \t:=]{1,3})?["']?([A-Za-z0-9/+]{40})` + stop,
		},
		rank: rankName, entropy: 3.5, needs: mixed,
	},
	{
		id: "aws-session-token", about: "an AWS session token beside its name",
		re:   []string{`(?i)(?:session|security)[_.-]?token` + gap + `([a-z0-9/+=]{100,})`},
		rank: rankName, entropy: 4,
	},
	{
		id: "env-secret", about: "the value of a variable in capitals whose name says that it is a secret: `X_TOKEN=value`",
		re:   []string{capitals + assign + `([^\r\n]{8})`, `(?:_PASS|_PWD|_PW|_PSK|BW_SESSION|AIO_KEY|APP_KEY|ENCRYPTION_KEY|SIGNING_KEY|MASTER_KEY)` + assign + `([^\r\n]{8})`},
		rank: rankPlace, needs: mixed | noPath | noCode, ends: byValue, loose: strong, drawn: surely,
	},
	{
		id: "env-secret", about: "the value of a variable in capitals whose name says that it is a secret: `X_TOKEN=value`",
		re: []string{
			capitals + `["']{0,1}(?:[ ]{1,40}|\t|\\{1,3}t)([^\r\n"'][^\r\n]{7})`,
			`(?:_PAT|_AUTH)` + assign + `([^\r\n]{8})`,
			`(?:_USER|_AUTH)=["']?[\w.@-]{1,64}:([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: likely,
	},
	{
		id: "password", about: passwordAbout,
		re: []string{
			`(?i)(?:passw(?:or)?d|passphrase|pwd)` + assign + `([^\r\n]{8})`,
			`(?i)passw(?:or)?d[ ]\\{0,3}'([^\r\n]{8})`,
			`(?i)(?:password|passphrase)["']?[ ](?:is|set[ ]to):?[ ]([^\r\n]{8})`,
			`(?i)identified(?:[ ]with[ ][\w'"]{1,40})?[ ]by[ ]\\{0,3}["']?([^\r\n]{8})`,
			`(?i)\bset[ ]password[ ]for[ ][^\s=]{1,100}[ ]?=[ ]?([^\r\n]{8})`,
		},
		rank: rankPlace, needs: aDigit | aLetter | noPath | noCode, ends: byValue, loose: strong, drawn: surely,
	},
	{
		id: "password", about: passwordAbout,
		re: []string{
			`(?i)pass` + assign + `([^\r\n]{8})`,
			`(?i)(?:password|passphrase)["']?(?:[ ]{1,40}|\t|\\{1,3}t)([^\r\n]{8})`,
			`(?i)passw(?:or)?d[ ]for[ ]the[ ][\w ./@-]{1,60}[ ]is[ ]?:?[ ]([^\r\n]{8})`,
			`(?i)\bcredentials:[ ][\w.@-]{1,64}[ ]/[ ]([^\r\n]{8})`,
			`\b(?:password|secret)[ ]\d[ ]([^\r\n]{8})`,
			`(?i)\b(?:password|secret|token|api[_-]key)[ ]\\{0,3}"([^\r\n]{8})`,
			`(?i)passw(?:or)?d[ ]\.{2,200}[ ]([^\r\n]{8})`,
			`(?i)passw(?:or)?d[ ](?:for|of)[ ](?:the[ ])?(?:user[ ])?[^\s:]{1,64}(?::|[ ]is)[ ]([^\r\n]{8})`,
			`(?i)passw(?:or)?d[ ]for[ ]the[ ][^\s:]{1,32}[ ]user[^\n:]{0,90}:[\s\\nr]{1,8}([^\r\n]{8})`,
			`\bNew value: ([^\r\n]{8})`,
			`password to proceed to installation:[\s\\nr*]{1,16}([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: likely,
	},
	{
		id: "password", about: passwordAbout,
		re: []string{
			`\b(?:requirepass|masterauth|bindpw)(?:[ \t]{1,8}|\\{0,3}"[\s\\nr]{1,40}2\)[ ])\\{0,3}["']?([^\r\n]{8})`,
			`\btemporary[ ]password[ ]is[ ]generated[ ]for[ ][^\s:]{1,64}:[ ]([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: hardly,
	},
	{
		id: "cli-secret", about: "the value of an option like `--token` or `--password`",
		re: []string{
			`--(?:password|passwd|token|secret|api-key|apikey|access-token|auth-token|access-key|secret-key|client-secret|private-token)[ =]([^\r\n]{8})`,
		},
		rank: rankPlace, entropy: 2.5, needs: aDigit | aLetter | noPath | noCode, ends: byValue, drawn: surely,
	},
	{
		id: "command-password", about: commandAbout,
		re:   []string{`[ ]-p([^\s"'-][^\r\n]{7})`, `[ ]-p["']([^\s"'][^\r\n]{7})`},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: hardly,
		behind: []string{"sshpass", " login", "mongo", "cqlsh", "mysql", "mariadb", "7z", "rar "},
	},
	{
		id: "command-password", about: commandAbout, // mysql takes a word after a space for a database
		re:   []string{`[ ]-p[ ]([^\s"'-][^\r\n]{7})`, `[ ]-p[ ]["']([^\s"'][^\r\n]{7})`},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: hardly,
		behind: []string{"sshpass", " login", "mongo", "cqlsh", "rar "},
	},
	{
		id: "command-password", about: commandAbout,
		re:   []string{`[ ]-[aANPwX][ ]([^\s"'-][^\r\n]{7})`, `[ ]-[aANPwX][ ]["']([^\s"'][^\r\n]{7})`},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: hardly,
		behind: []string{"redis-cli", "valkey-cli", "ldap", "zip", "mosquitto_", "ssh-keygen", "sqlcmd", "ipmitool", "snmp"},
	},
	{
		id: "command-password", about: commandAbout,
		re:   []string{`[ ]-t[ ]["']?([^\s"'-][^\r\n]{7})`},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: clearly,
		behind: []string{"influx "},
	},
	{
		id: "command-password", about: commandAbout,
		re: []string{
			`[ ]-pass(?:in|out)?[ ]pass:([^\r\n]{8})`,
			`\bhtpasswd[ ]-[a-zA-Z]{1,8}[ ](?:[^\s]{1,128}[ ])?[^\s]{1,64}[ ]([^\r\n]{8})`,
			`\bvault[ ]login[ ]([^\s-][^\r\n]{7})`,
			`\brabbitmqctl[ ](?:add_user|change_password)[ ][^\s]{1,64}[ ]([^\r\n]{8})`,
			`\bsqlplus[ ](?:-[A-Za-z][ ])?[\w.-]{1,32}/([^\r\n]{8})`,
			`[ ]-U[ ]?["']?[\w.\\/-]{1,64}%([^\r\n]{8})`,
			`\blftp[ ]-u[ ][\w.@-]{1,64},([^\r\n]{8})`,
			`[ ]-(?:storepass|keypass)[ ]([^\r\n]{8})`,
			`[ ]--pass[ ]([^\r\n]{8})`,
			`[ ]/(?:p|pass|password):([^\r\n]{8})`,
			`(?i)\bConvertTo-SecureString[ ](?:-String[ ])?\\{0,3}["']([^\s"'$][^\r\n]{7})`,
			`\brootpw[ ](?:--plaintext[ ])?([^\s-][^\r\n]{7})`,
			`[ ]-setcookie[ ]([^\r\n]{8})`,
			`\bstats[ ]auth[ ][\w.-]{1,64}:([^\r\n]{8})`,
			`[ ]login=[\w.-]{1,64}:([^\r\n]{8})`,
			`\bcreateUser[ ][\w.-]{1,32}[ ](?:MD5|SHA|SHA-\d{3})[ ]["']?([^\r\n]{8})`,
			`:[ ](?:PSK|EAP|XAUTH)[ ]\\{0,3}"([^\r\n]{8})`,
			`\bsnmp-server[ ]community[ ]([^\r\n]{8})`,
			`\badd-authtoken[ ]([^\r\n]{8})`,
			`\bmc[ ]alias[ ]set[ ][\w.-]{1,64}[ ][^\s]{1,128}[ ][^\s]{1,128}[ ]([^\r\n]{8})`,
			`\bmc[ ]admin[ ]user[ ]add[ ][\w.-]{1,64}[ ][^\s]{1,128}[ ]([^\r\n]{8})`,
			`\d[ ]LOGIN[ ][\w.@-]{1,64}[ ]([^\r\n]{8})`,
			`>[ ]PASS[ ]([^\r\n]{8})`,
			`u003e[ ]PASS[ ]([^\r\n]{8})`,
			`\bnet[ ]use[ ][^\n]{1,60}[ ]/user:[^\s]{1,64}[ ]([^\s/][^\r\n]{7})`,
			`\bnet[ ]user[ ][\w.-]{1,32}[ ]([^\s/*][^\r\n]{7})`,
			`\d>[ ]AUTH[ ](?:[\w.-]{1,32}[ ])?([^\r\n]{8})`,
			`u003e[ ]AUTH[ ](?:[\w.-]{1,32}[ ])?([^\r\n]{8})`,
			`\buser[ ][\w.-]{1,64}[ ]on[ ](?:sanitize-payload[ ])?(?:>|\\{1,3}u003e)([^\r\n]{8})`,
			`(?i)password:?[ ]?\\{0,3}["'][\s\\nr]{1,8}send[ ](?:--[ ])?\\{0,3}["']([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: hardly,
	},
	{
		id: "command-password", about: commandAbout,
		re: []string{
			`\becho[ ](?:-n[ ])?\\{0,3}["']?[^\s"':]{1,64}:([^\s"'|\\]{6,256})\\{0,3}["']?[ ]?\|[ ]?(?:sudo[ ])?chpasswd`,
			`\becho[ ](?:-n[ ])?["']?([^\s"'|$\\]{8,256})["']?[ ]?\|[ ]?(?:docker|podman|helm registry|skopeo|crane|oras|gh auth)[ ]login`,
			`\becho[ ](?:-n[ ])?["']?([^\s"'|$\\]{8,256})["']?[ ]?\|[ ]?sudo[ ]-S`,
			`\bsqlplus[ ](?:-[A-Za-z][ ])?[\w.-]{1,32}/([^\s@"'/]{6,128})@`,
			`\bjdbc:oracle:\w{1,8}:[\w.-]{1,32}/([^\s@"'/]{6,128})@`,
			`\bAUTH[ ]PLAIN[ ]([A-Za-z0-9+/]{16,}={0,2})`,
		},
		rank: rankPlace, needs: noPath,
	},
	{
		id: "assigned-secret", about: "a value with a symbol in it, or one drawn at random, beside a name like `client_secret` or `api_key`",
		re: []string{
			`(?i)(?:client[_.-]?secret|secret[_.-]?key|api[_.-]?key|access[_.-]?key|auth[_.-]?token|access[_.-]?token|private[_.-]?key)` + assign + `([^\r\n]{8})`,
		},
		rank: rankGeneric, entropy: 2.5, needs: strong | noPath | noCode, ends: byValue, loose: strong, drawn: surely,
	},
	{
		id: "assigned-secret", about: "a value with a symbol in it, or one drawn at random, beside a name like `client_secret` or `api_key`",
		re: []string{
			`(?i)` + secretNames + assign + `([^\r\n]{8})`,
			`(?i)(?:secretstring|psk|tls\.key|key-data|wpa_passphrase)` + assign + `([^\r\n]{8})`,
			`(?i)(?:api|access|secret|private)[ ](?:key|token)(?:[ ]created)?` + assign + `([^\r\n]{8})`,
			`(?i)(?:session[_.-]?key|subscription[_.-]?key|functions[_.-]?key|master[_.-]?key|admin[_.-]?key|license[_.-]?key|host[_.-]?key)` + assign + `([^\r\n]{8})`,
			`(?i)(?:fernet[_.-]?key|service[_.-]?key|deploy[_.-]?key|pre[_.-]shared[_.-]key|x-honeycomb-team)` + assign + `([^\r\n]{8})`,
			`(?i)(?:recovery|backup|signing|encryption)[ ](?:key|code)` + assign + `([^\r\n]{8})`,
			`(?i)(?:validation[_.-]?key|decryption[_.-]?key|[_.-]salt)` + assign + `([^\r\n]{8})`,
			`(?i)\b(?:encrypt|encryption|crypt|jwt[a-z]{0,12})\\{0,3}["']?[ ]?[:=][^}\]]{1,80}[\s"']key` + assign + `([^\r\n]{8})`,
			`(?i)(?:presharedkey|accountkey|sharedaccesskey|signing[_.-]?key|encryption[_.-]?key|auth[_.-]?key)` + assign + `([^\r\n]{8})`,
		},
		rank: rankGeneric, needs: noPath | noCode, ends: byValue, drawn: likely,
	},
	{
		id: "paired-secret", about: pairedAbout,
		re: []string{
			`(?i)` + pairNames + `["'\\,:{}=]{0,6}[\s\\nr"',:{}=]{1,90}value["'\\]{0,3}[ \t]{0,2}[:=][ \t]{0,2}([^\r\n]{8})`,
			`(?i)` + pairNames + `[ \t]{0,40}(?:\||[^\x00-\x7f]{3})[ \t]{0,4}([^\r\n]{8})`,
			`(?i)` + pairNames + "`[ \\t]{0,40}\\|[ \\t]{0,4}`([^\\r\\n]{8})",
			`(?i)` + pairNames + `[\w.-]{0,24}</[aekmny]{3,4}>[\s\\nrt]{1,40}<[aeginlrstuv]{5,6}>([^\r\n]{8})`,
			`(?i)` + pairNames + `[\w.-]{0,24}\\{1,3}u003c/[aekmny]{3,4}\\{1,3}u003e[\s\\nrt]{1,40}\\{1,3}u003c[aeginlrstuv]{5,6}\\{1,3}u003e([^\r\n]{8})`,
			`(?i)` + pairNames + `:[ ]Some\(\\{0,3}"([^\r\n]{8})`,
			`(?i)` + pairNames + `[ ]{0,20}=[ ]{0,4}\\{1,3}"\\{1,3}"\\{1,3}"([^\r\n]{8})`,
			`(?i)` + pairNames + `\\{0,3}"?:[ ]\(string\)[ ]\(len=\d{1,4}\)[ ]\\{0,3}"([^\r\n]{8})`,
			`(?i)` + pairNames + `\\{0,3}"\)[\s\\nr]{1,8}\[1\][ ]\\{0,3}"([^\r\n]{8})`,
			`(?i)` + pairNames + `\[1\]:[ ]\|([^\r\n]{8})`,
			`(?i)` + pairNames + `[ ]{1,40}=[ ]\\{0,3}"[^"\\\n]{0,90}\\{0,3}"[ ]-(?:>|\\{1,3}u003e)[ ]\\{0,3}"([^\r\n]{8})`,
			`(?i)` + pairNames + `\\{0,3}"[ ]\{[\s\\nr]{1,12}(?:type[ ]{1,20}=[ ]string[\s\\nr]{1,12})?(?:sensitive[ ]{1,20}=[ ]true[\s\\nr]{1,12})?default[ ]{1,20}=[ ]\\{0,3}"([^\r\n]{8})`,
			`"override_special\\{0,3}":[ ]?[^\n]{1,60},[\s\\nr]{1,40}"result\\{0,3}":[ ]?\\{0,3}"([^\r\n]{8})`,
			`"permissions\\{0,3}":[ ]?\\{0,3}"F(?:ULL|ull)\\{0,3}",[\s\\nr]{1,20}"value\\{0,3}":[ ]?\\{0,3}"([^\r\n]{8})`,
			`\.vault\.azure\.net/secrets/[^"\\\s]{1,160}\\{0,3}",[\s\\nr]{1,40}(?:"kid\\{0,3}":[ ]?null,[\s\\nr]{1,40}"managed\\{0,3}":[ ]?null,[\s\\nr]{1,40})?(?:"name\\{0,3}":[ ]?\\{0,3}"[^"\\]{1,127}\\{0,3}",[\s\\nr]{1,40})?(?:"tags\\{0,3}":[ ]?[^\n"]{1,8},[\s\\nr]{1,40})?"value\\{0,3}":[ ]?\\{0,3}"([^\r\n]{8})`,
			`\.bundle/config\):[ ]\\{0,3}"([^\r\n]{8})`,
			`(?i)` + pairNames + `["\\]{1,4}\]=(?:>|\\{1,3}u003e)[\s\\nr]{1,40}string\(\d{1,4}\)[ ]([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: hardly,
	},
	{
		id: "paired-secret", about: pairedAbout,
		re: []string{
			`(?i)(?:` + pairNames + `|auth_key|logged_in_key|nonce_key|_salt)\\{0,3}["'][ ]?,[ ]{0,20}\\{0,3}["']([^\r\n]{8})`,
			`\bsensitive\\{0,3}":[ ]?true,[\s\\nr]{0,40}"type\\{0,3}":[ ]?\\{0,3}"string\\{0,3}",[\s\\nr]{0,40}"value\\{0,3}":[ ]?([^\r\n]{8})`,
			`(?i)(?:token|secret|api[_.-]?key|access[_.-]?key)(?:[ ]{2,40}|\t|\\{1,3}t)([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: likely,
	},
	{
		id: "paired-secret", about: pairedAbout,
		re:     []string{`(?i),passw(?:or)?d(?:,[\w ]{1,40})?(?:\r?\n|\\{1,3}n|\\{1,3}r\\{1,3}n)[^,\r\n]{1,64},["']?([^,\s"'\\]{8,256})`},
		behind: []string{"ser", "SER", "ogin", "OGIN", "mail", "MAIL"},
		rank:   rankPlace, drawn: clearly,
	},
	{
		id: "pgpass-password", about: "the last field of a line of `.pgpass`, and of the password map of a mail server",
		re: []string{
			`:(?:543\d|6432|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:([^\r\n]{8})`,
			`\]:(?:25|465|587|2525)[ \t]{1,8}[^\s:]{1,128}:([^\r\n]{8})`,
		},
		rank: rankPlace, needs: noPath | noCode, ends: byValue, drawn: surely,
	},
	{
		id: "password-hash", about: "a password as `crypt`, bcrypt, Argon2, PBKDF2, SCRAM or LDAP hash it",
		re: []string{
			`(\$6\$(?:rounds=\d{1,12}\$)?[\w./]{0,16}\$[\w./]{86})`,
			`(\$5\$(?:rounds=\d{1,12}\$)?[\w./]{0,16}\$[\w./]{43})`,
			`(\$(?:1|apr1)\$[\w./]{0,8}\$[\w./]{22})`,
			`(\$2[abxy]\$\d\d\$[\w./]{53})`,
			`(\$(?:y|gy)\$[\w./]{1,8}\$[\w./]{1,86}\$[\w./]{43})`,
			`(\$argon2(?:id|i|d)\$v=\d{1,8}\$m=\d{1,12},t=\d{1,12},p=\d{1,12}\$[\w+/]{8,64}\$[\w+/]{16,128})`,
			`(pbkdf2_sha(?:1|256|512)\$\d{1,12}\$[\w+/]{4,64}\$[\w+/]{20,128}={0,2})`,
			`(SCRAM-SHA-(?:1|256)\$\d{1,12}:[\w+/]{8,64}={0,2}\$[\w+/]{20,64}={0,2}:[\w+/]{20,64}={0,2})`,
			`["'](\*[A-F0-9]{40})\b`,
			`\{(?:PLAIN|CLEAR|CLEARTEXT)\}([^\s:"'\\]{8,64})`,
			`\{(?:SHA|SSHA|SSHA256|SSHA512)\}([\w+/]{20,128}={0,2})`,
		},
		rank: rankPrefix, needs: mixed,
	},
	{
		id: "private-key-member", about: "the private member of a JSON Web Key, and the keys by which servers encrypt what they gossip",
		re: []string{
			`"d":[ ]?"([\w-]{40,})"`,
			`"d\\{1,4}":[ ]?\\{1,4}"([\w-]{40,})`,
			`"kty\\{0,3}":[ ]?\\{0,3}"oct\\{0,3}",[^}]{0,60}"k\\{0,3}":[ ]?\\{0,3}"([\w-]{20,})\\{0,3}"`,
			`\bencrypt(?:ion_key)?\\{0,3}["']?[ ]{0,20}[:=][ ]?\\{0,3}["']([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==)`,
		},
		rank: rankPlace, needs: mixed, drawn: clearly,
	},
	{
		id: "shown-once", about: "what follows the words that it is not shown again",
		re:   []string{`(?i)(?:not be shown again|not be able to see it again|only time it (?:is|will be) shown)[ .:!)]{0,8}[\s\\nr]{1,60}([\w.+/-]{20,}={0,2})`},
		rank: rankPlace, needs: aDigit | aLetter, drawn: clearly,
	},
	{
		id: "vault-key", about: "keys to unseal a vault, and its tokens of the form `s.` beside their name",
		re: []string{
			`(?i)secret[_-]id["']?[ :=\t"']{1,40}([a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})` + stop,
			`(?i)unseal[ _]key[ _]\d{1,2}["']?:[ ]["']?([\w+/]{40,128}={0,2})` + stop,
			`(?i)token["']?(?:[ ]|:|=|[ ]{2,40}|:[ \t]{1,40}|\t)["']?(s\.[a-z0-9]{24})` + stop,
		},
		rank: rankPlace, needs: mixed,
	},
	{
		id: "curl-user", about: curlAbout,
		re:   []string{`(?:[ ]-u|--user)[ =]["']?[^\s:"'/]{1,64}:([^\s"':/]{6,256})`},
		rank: rankPlace, needs: aLetter, ends: atLeast, behind: []string{"curl"},
	},
	{
		id: "curl-user", about: curlAbout,
		re:   []string{`(?:[ ]-u|--user)[ =]["']?[^\s:"'/]{1,64}:([^\s"':/]{6,256})`},
		rank: rankPlace, needs: aLetter, ends: atLeast, drawn: clearly,
	},
	{
		id: "generic-api-key", about: "a random value beside a name like token, key or secret; gitleaks' rule, tightened",
		re: []string{
			`(?i)(?:api[_.-]?key|access[_.-]?key|secret[_.-]?key|private[_.-]?key|auth[_.-]?key|account[_.-]?key|encryption[_.-]?key|signing[_.-]?key|token|secret|credential|passw(?:or)?d)` + gap + `([\w/+-]{16,}={0,2})` + stop,
		},
		rank: rankGeneric, needs: aDigit | aLetter | noPath, ends: atLeast, drawn: clearly,
	},
}

// Parts of expressions: the names of secrets. Those in capitals may go on, as in TOKEN_PROD.
const (
	capitals    = `(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_KEY|APIKEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS|AUTH_KEY)[A-Z0-9_]{0,32}`
	secretNames = `(?:token|secret|credentials?|api[_.-]?key|app[_.-]?key|access[_.-]?key|private[_.-]?key)`
	pairNames   = `(?:passw(?:or)?d|passphrase|_pass|_pwd|token|secret|api[_.-]?key|access[_.-]?key|private[_.-]?key|securestring)`
)

// What the document says of kinds with several rules.
const (
	curlAbout     = "the password of `-u user:password` and `--user`: of curl any, of other commands one that was drawn at random"
	passwordAbout = "a password that is assigned: quoted, or behind `=` without a space; otherwise if it has a symbol or was drawn at random"
	pairedAbout   = "the value beside the name of a secret as a member, attribute, argument or cell of its own: `name: DB_PASSWORD`, `value: X`"
	commandAbout  = "the password among the arguments of a command, such as `sshpass -p` or `redis-cli -a`"
)

// Bits of evidence that a value was drawn at random. An assigned value needs hardly any where its place leaves no doubt, few where its name
// leaves little, and more otherwise (without a digit, wordy more). Tokens and values that are no assigned ones need what words never have.
const (
	hardly  = -8
	surely  = -6
	likely  = -1
	clearly = 3
)
