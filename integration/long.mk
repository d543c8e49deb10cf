# What takes hours: `make long`, or one of these. Each job writes its line of docs/long-runs.md.

LONG := integration/ci/table.sh -run docs/long-runs.md $(JOB)
LONG_JOBS := mutants mutate-all race-long anyoutput soak sealing faults-long faults-crashes
CRASHES := ^(TestKilledAtRandom|TestSidecarKilledAtRandom|TestKilledWhileCollecting|TestPowerCuts.*)$$
# Sizes.
SEED ?= 1
KILLS ?= 10000
CUTS ?= 3000
LEDGER ?= .run/crashes.txt
CASES ?= 100000000
FUZZ ?= 1000000x
WORKERS ?= 0
OUTPUTS ?= 1000000
OUTPUTS_FROM ?= 0
CALLS ?= 1000000
COSTS ?= 10m
MUTATED ?= 80

long: mutants race-long mutate-all anyoutput faults-long soak sealing ## What takes hours; docs/long-runs.md has the last run of each
mutants: programs ## Take one safety measure out after the other; its test must fail
	$(EVERY) $(POSTGRES) $(LONG) -all mutants $(GO) test -count=1 -timeout 60m ./integration/faults/mutants
mutate: $(BIN)/gremlins ## Change each condition, bound and operator below PKG; its tests must fail
	$(BIN)/gremlins unleash $(PKG)
mutate-all: $(BIN)/gremlins ## The same for every package; at least MUTATED per cent must fail
	$(LONG) mutate-all $(BIN)/gremlins unleash --threshold-efficacy $(MUTATED) -E '^(gen|integration|packaging|redact/generate)/' .
race-long: ## All tests in full, twice, shuffled, under the race detector
	$(LONG) race-long $(GO) test -race -shuffle=on -count=2 -timeout 90m ./...
anyoutput: ## Attack with OUTPUTS outputs of any family: none rejected, none over budget, nothing invented
	$(LONG) anyoutput $(GO) test -count=1 -timeout 24h ./integration/anyoutput -anyoutput.cases $(OUTPUTS) \
		-anyoutput.from $(OUTPUTS_FROM) -anyoutput.seed $(SEED) -anyoutput.ledger $(CURDIR)/.run/anyoutput.txt
costs: build ## Search for COSTS (10m) for the calls that cost the most memory; writes integration/costs/winners.jsonl
	TOOLRESULT_BINARY=$(CURDIR)/$(BIN)/toolresult TOOLRESULT_COSTS=$(COSTS) TOOLRESULT_COSTS_SEED=$(SEED) \
		$(GO) test -count=1 -v -timeout 24h -run '^TestSearchCosts$$' ./integration
soak: ## CALLS calls by clients that are killed and frozen; what grows is an error; .run/soak.txt has the numbers
	$(EVERY) TOOLRESULT_SOAK_CALLS=$(CALLS) TOOLRESULT_SOAK_TOTALS=$(CURDIR)/.run/soak.txt \
		$(LONG) -all soak $(GO) test -count=1 -timeout 24h ./integration/soak
sealing: ## Attack receipts: CASES generated, FUZZ guided by coverage; .run/sealing.txt adds up
	$(LONG) sealing integration/sealing.sh $(CASES) $(SEED) $(FUZZ) $(WORKERS)
faults-long: faults-crashes ## The faults for hours; the counts go to .run/faults.txt and .run/crashes.txt
	$(EVERY) TOOLRESULT_FAULTS_UPLOADS=10000 TOOLRESULT_FAULTS_STEPS=1 TOOLRESULT_FAULTS_ARTIFACTS=1000000 TOOLRESULT_FAULTS_MEGABYTES=1024 \
		TOOLRESULT_FAULTS_TOTALS=$(CURDIR)/.run/faults.txt $(LONG) -all faults-long $(GO) test -count=1 -timeout 6h -skip '$(CRASHES)' ./integration/faults
faults-crashes: programs ## KILLS by kill -9 and power CUTS, in runs that add up in LEDGER
	$(LONG) faults-crashes integration/faults/crashes.sh $(LEDGER) $(KILLS) $(CUTS)
faults-totals: ## The sums of LEDGER by test; integration/faults/README.md has those of all
	@integration/faults/crashes.sh $(LEDGER)
