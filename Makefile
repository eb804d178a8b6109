# The targets here are what CI runs: .ci/run calls them and adds nothing of its own.
# Each tool is pinned in a module of its own below tools/, outside the graph of the main module, and run by `go tool`, which
# builds it once and keeps it in the build cache.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

GO       ?= go
BUF      := $(GO) tool -modfile=tools/buf/go.mod buf
GRPCURL  := $(GO) tool -modfile=tools/grpcurl/go.mod grpcurl
# Takes the verb and its arguments; absolute paths, because it also runs in other modules.
LINT     := tool -modfile=$(CURDIR)/tools/lint/go.mod golangci-lint --config $(CURDIR)/.golangci.yml
FUZZTIME ?= 10m
# What is compiled in another way with the tag crashpoint.
CRASHES  := ./internal/campaign ./internal/crashpoint ./server ./server/remedyd ./cmd/remedyd

# The .proto of a dependency is printed into an ignored folder, a second module of buf.yaml, that lint and breaking checks skip.
PROTODEPS       := .protodeps/buf/validate/validate.proto
PRINT_PROTODEPS := $(GO) -C tools/gen run ./protodeps $(CURDIR)/.protodeps
# Plugins of our own are built before buf runs, because buf empties gen/, which they import, before it starts them.
PLUGINS         := $(wildcard cmd/protoc-gen-*)

.PHONY: help
help: ## Print the targets and what they do.
	@sed -nE 's/^([a-z][a-z-]*):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | sort | while IFS=$$'\t' read -r target text; do \
		printf '%-20s %s\n' "$$target" "$$text"; done

## Generated code and the contract

$(PROTODEPS): tools/gen/go.mod tools/gen/go.sum $(wildcard tools/gen/protodeps/*.go)
	rm -rf .protodeps
	$(PRINT_PROTODEPS)

.PHONY: generate
generate: ## Write gen/ anew from proto/, and the protos of the tests.
	rm -rf .protodeps
	$(PRINT_PROTODEPS)
	$(if $(PLUGINS),$(GO) build -o bin/ $(addprefix ./,$(PLUGINS)))
	$(BUF) generate
	$(BUF) generate --template internal/shop/buf.gen.yaml
	$(BUF) generate --template internal/corpus/buf.gen.yaml
	$(BUF) generate --template internal/evolve/before/buf.gen.yaml
	$(BUF) generate --template internal/evolve/after/buf.gen.yaml
	rm -rf internal/example/shop/third_party
	mkdir -p internal/example/shop/third_party/remedy
	cp -r proto/remedy/v1 internal/example/shop/third_party/remedy/
	$(BUF) generate --template internal/example/buf.gen.yaml

.PHONY: generate-check
generate-check: generate ## Fail when generated code is not what the protos generate.
	@tools/script/unchanged gen internal/shop/shopv1 internal/corpus internal/evolve internal/example

.PHONY: example-check
example-check: ## Do what the README says about declared errors, outside of the repository.
	@GO='$(GO)' tools/script/example

.PHONY: proto-lint
proto-lint: $(PROTODEPS) ## Lint the protos.
	$(BUF) lint

.PHONY: proto-breaking
proto-breaking: $(PROTODEPS) ## Compare the protos, and what they declare, with the image of the newest release.
	@BUF='$(BUF)' REMEDY='$(GO) run ./cmd/remedy' tools/script/breaking

.PHONY: breaking-check
breaking-check: $(PROTODEPS) ## Prove that proto-breaking fails when it has to, on a copy of the protos.
	@BUF='$(BUF)' REMEDY='$(GO) run ./cmd/remedy' tools/script/breaking-check

.PHONY: proto-image
proto-image: $(PROTODEPS) ## Before tagging VERSION (v1.2.3): write the image that later protos are compared with.
	@[[ '$(VERSION)' =~ ^v[0-9]+\.[0-9]+\.[0-9]+$$ ]] || { echo 'usage: make proto-image VERSION=v1.2.3' >&2; exit 2; }
	mkdir -p tools/buf/image
	$(BUF) build proto --exclude-source-info -o tools/buf/image/$(VERSION).binpb

.PHONY: check-versions
check-versions: ## Fail when the modules of tools/ and the main module disagree on what generates gen/.
	@tools/script/check-versions

## Go code

.PHONY: vet
vet: ## Vet the main module and the one of the generator.
	$(GO) vet ./...
	$(GO) vet -tags crashpoint $(CRASHES)
	$(GO) -C tools/gen vet ./...

.PHONY: lint
lint: lint-generated ## Lint the Go code; .golangci.yml holds the rules and their reasons.
	$(GO) $(LINT) run ./...
	$(GO) $(LINT) run --build-tags crashpoint $(CRASHES)
	$(GO) -C tools/gen $(LINT) run ./...

.PHONY: lint-generated
lint-generated: ## Lint what protoc-gen-remedy generated, which lint skips.
	@tools/script/lint-generated $(GO) tool -modfile=tools/lint/go.mod golangci-lint

.PHONY: fmt
fmt: ## Format the Go code the way lint wants it.
	$(GO) $(LINT) fmt

.PHONY: test
test: ## Run the tests.
	$(GO) test ./...

.PHONY: race
race: ## Run the tests in random order under the race detector.
	$(GO) test -race -shuffle=on ./...

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10m), one after another.
	@tools/script/fuzz $(FUZZTIME)

.PHONY: fuzz-short
fuzz-short: FUZZTIME := 10s
fuzz-short: fuzz ## Run every fuzz target for ten seconds.

.PHONY: bench
bench: ## Measure the success and error paths, and the ledger, against their floors, in one run.
	$(GO) run ./internal/bench $(BENCHFLAGS)

## Other languages and proxies. A fragment client/conformance/<suite>.mk adds the target conformance-<suite>, with its text for
## help, and `conformance: conformance-<suite>`; .ci/run has a step for each.

.PHONY: conformance conformance-go
conformance: conformance-go ## Run every conformance suite.
conformance-go: ## Run the conformance suite of the Go client.
	@[[ -d client/conformance ]] || { echo 'client/conformance does not exist' >&2; exit 1; }
	$(GO) test -count=1 ./client/conformance/...

include $(wildcard client/conformance/*.mk server/ledger/*.mk internal/campaign/*.mk)

.PHONY: clean
clean: ## Remove what the targets wrote, except gen/.
	rm -rf bin .cache .protodeps
