package redact

// Tokens that say by their beginning whose they are, as their issuers document them or as detectors of other projects know them, where
// gitleaks has no rule, wants the name of the issuer beside the token, or knows an older form. All are drawn at random.
var tokens = []struct {
	kind, re string
	drawn    float64 // bits of evidence that one of this form was drawn at random, at least
}{
	{"adafruit-key", `\b(aio_[a-zA-Z0-9]{28})\b`, 0},
	{"anthropic-api-key", `\b(sk-ant-[a-z]{2,10}\d{2}-[\w-]{40,})`, 0},
	{"atlassian-api-token", `\b(AT[AC]TT3[\w=-]{60,})`, 0},
	{"azure-devops-token", `\b([a-zA-Z0-9]{52}JQQJ99[a-zA-Z0-9]{18}AZDO[a-zA-Z0-9]{4})`, 0},
	{"azure-key", `([a-zA-Z0-9]{52}JQQJ9\d[a-zA-Z0-9]{20,30})`, 0},
	{"bitbucket-app-password", `\b(ATBB[a-zA-Z0-9]{24,40})\b`, 0},
	{"buildkite-token", `\b(bk(?:ua|ct|aj|pt)_[a-zA-Z0-9]{36,64})\b`, 0},
	{"cerebras-api-key", `\b(csk-[a-z0-9]{40,64})\b`, 0},
	{"circleci-token", `\b(CCI(?:PAT|PRJ)_[a-zA-Z0-9]{16,24}_[a-f0-9]{40})\b`, 0},
	{"cloudflare-api-token", `\b(cf(?:ut|k|at)_[a-zA-Z0-9]{40,64})\b`, 0},
	{"cloudflare-tunnel-token", `\b(eyJhIjoi[\w+/]{80,}={0,2})`, 0},
	{"conda-token", `/t/([a-z]{2}-[a-f0-9-]{36,64})`, 0},
	{"crates-io-token", `\b(cio[a-zA-Z0-9]{32})\b`, clearly},
	{"discord-webhook", `discord(?:app)?\.com/api/webhooks/\d{15,21}/([\w-]{60,80})`, 0},
	{"docker-access-token", `\b(dckr_(?:pat|oat)_[\w-]{20,64})`, 0},
	{"docker-auth", `\b(eyJhdXRocyI6[\w+/]{20,}={0,2})`, 0},
	{"e2b-api-key", `\b(e2b_[a-f0-9]{32,48})\b`, 0},
	{"ecr-password", `\b(eyJwYXlsb2FkIjoi[\w+/]{100,}={0,2})`, 0},
	{"elevenlabs-api-key", `\b(sk_[a-f0-9]{48})\b`, 0},
	{"figma-token", `\b(fig(?:d|u|o|or)_[\w-]{36,64})`, 0},
	{"firebase-server-key", `\b(AAAA[\w-]{7}:APA91b[\w-]{100,200})`, 0},
	{"firecrawl-api-key", `\b(fc-[a-f0-9]{32})\b`, 0},
	{"fireworks-api-key", `\b(fw_[a-zA-Z0-9]{22,28})\b`, clearly},
	{"flyio-access-token", `\b(fo1_[\w-]{40,50})`, 0},
	{"google-oauth-secret", `\b(GOCSPX-[\w-]{24,32})`, 0},
	{"google-oauth-token", `\b(ya29\.[\w.-]{20,})`, 0},
	{"google-refresh-token", `\b(1//0[\w-]{40,})`, 0},
	{"grafana-token", `\b(gl(?:sa|c)_[\w+/=]{32,})`, 0},
	{"groq-api-key", `\b(gsk_[a-zA-Z0-9]{40,64})\b`, 0},
	{"hubspot-token", `\b(pat-[a-z]{2}\d-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})\b`, 0},
	{"huggingface-access-token", `\b((?:hf|api_org)_[a-zA-Z0-9]{30,40})\b`, 0},
	{"jina-api-key", `\b(jina_[\w-]{50,70})`, 0},
	{"k3s-token", `\bK10[a-f0-9]{64}::(?:server|node|[a-z0-9]{6}):([\w.-]{16,64})`, 0},
	{"kubeadm-token", `--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})\b`, 0},
	{"langfuse-secret-key", `\b(sk-lf-[a-f0-9-]{36})\b`, 0},
	{"langsmith-api-key", `\b(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})\b`, 0},
	{"laravel-app-key", `\b(base64:[a-zA-Z0-9+/]{43}=)`, 0},
	{"mailgun-key", `\b(key-[a-f0-9]{32})\b`, 0},
	{"meta-llama-api-key", `\b(LLM\|\d{12,20}\|[\w-]{24,32})`, 0},
	{"mistral-agent-key", `\b(msk-[a-zA-Z0-9]{32,48})\b`, 0},
	{"neon-api-key", `\b(napi_[a-z0-9]{48,72})\b`, 0},
	{"netlify-token", `\b(nf[pco]_[a-zA-Z0-9]{36,48})\b`, 0},
	{"new-relic-key", `\b(NR(?:AK|II|JS|RA)-[a-zA-Z0-9]{19,32})\b`, 0},
	{"new-relic-key", `\b([a-f0-9]{36}NRAL)\b`, 0},
	{"notion-api-token", `\b(ntn_[a-zA-Z0-9]{40,50})\b`, 0},
	{"notion-api-token", `\b(secret_[a-zA-Z0-9]{43})\b`, 0},
	{"nuget-api-key", `\b(oy2[a-z0-9]{43})\b`, clearly},
	{"nvidia-api-key", `\b(nvapi-[\w-]{60,70})`, 0},
	{"onepassword-token", `\b(ops_eyJ[\w+/=-]{100,})`, 0},
	{"pinecone-api-key", `\b(pcsk_[a-zA-Z0-9]{5,6}_[a-zA-Z0-9]{50,70})\b`, 0},
	{"posthog-key", `\b(ph[xs]_[a-zA-Z0-9]{40,50})\b`, clearly},
	{"railway-token", `\b(rw_[\w-]{40,60})`, clearly},
	{"render-api-key", `\b(rnd_[a-zA-Z0-9]{24,36})\b`, 0},
	{"replicate-token", `\b(r8_[a-zA-Z0-9]{37})\b`, 0},
	{"resend-api-key", `\b(re_[a-zA-Z0-9]{6,10}_[a-zA-Z0-9]{20,28})\b`, clearly},
	{"runpod-api-key", `\b(rpa_[a-zA-Z0-9]{40,50})\b`, 0},
	{"secret-key", `\b(sk-[\w-]{20,})`, clearly},
	{"sentry-token", `\b(sntry[su]_[\w+/=-]{40,})`, 0},
	{"slack-token", `\b(xox[a-z](?:\.xox[a-z])?-[\w-]{24,})`, 0},
	{"sonar-token", `\b(sq[upa]_[a-f0-9]{40})\b`, 0},
	{"square-token", `\b(EAAA[\w-]{60})\b`, 0},
	{"stripe-key", `\b([rs]k_(?:live|test|prod)_[a-zA-Z0-9]{16,247})\b`, 0},
	{"supabase-token", `\b(sb(?:p|_secret|p_oauth|_publishable)_[\w-]{20,60})`, 0},
	{"swarm-token", `\b(SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30})\b`, 0},
	{"tailscale-key", `\b(tskey-[a-z]{2,12}-[a-zA-Z0-9]{8,24}(?:CNTRL)?-[a-zA-Z0-9]{20,48})\b`, 0},
	{"tavily-api-key", `\b(tvly-(?:dev-|prod-)?[\w-]{20,50})`, 0},
	{"telegram-bot-token", `\bbot\d{8,12}:(AA[\w-]{32,36})`, 0},
	{"telegram-bot-token", `\d{3}:(AA[EFGH][\w-]{32})` + stop, 0},
	{"together-api-key", `\b(tgp_v1_[\w-]{40,48})`, 0},
	{"token-with-prefix", `[_-](?:live|test|prod|pat|api|tok|token|secret|sk|key)_([a-zA-Z0-9]{24,})`, clearly},
	{"vercel-token", `\b(vc[apikr]_[a-zA-Z0-9]{24,64})\b`, clearly},
	{"wandb-api-key", `\b(wandb_v1_[\w-]{60,100})`, 0},
	{"webhook-secret", `\b(whsec_[\w+/=-]{24,64})`, 0},
	{"xai-api-key", `\b(xai-[a-zA-Z0-9]{70,90})\b`, 0},
	{"yandex-api-key", `\b(AQVN[\w-]{35,38})`, clearly},
	{"yandex-iam-token", `\b(t1\.9eue[\w-]{20,}(?:\.[\w-]{80,})?)`, 0},
}

// AboutTokens is what documents say of the kinds of tokens.
const AboutTokens = "a token that is known by its beginning, which gitleaks has not or only beside the name of its issuer"

// tokenRules returns the rules of tokens.
func tokenRules() (list []extraRule) {
	for _, t := range tokens {
		list = append(list, extraRule{id: t.kind, about: AboutTokens, re: []string{t.re}, rank: rankPrefix, drawn: t.drawn, entropy: 2.5})
	}
	return list
}
