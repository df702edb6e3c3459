# What tests need besides Go; see scripts/deps.sh for the names. `make test DEPS=`
# runs the tests with what is there.
DEPS ?= cc clang oclgrind pocl
FUZZTIME ?= 20s
BENCH ?= .
BENCHTIME ?= 1s
PKG ?= ./...

.DEFAULT_GOAL := help
.PHONY: help build cuda cuda-check gpu-check gpu-lint test deps lint fuzz bench bench-compare generate cover modzip clean

comma := ,
empty :=
space := $(empty) $(empty)
require = $(subst $(space),$(comma),$(strip $(DEPS) $(subst $(comma),$(space),$(TOTEMGO_REQUIRE))))

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the command into bin/
	go build -o bin/ ./cmd/...

cuda: deps-cc ## build and vet bin/totemgo-cuda, which drives NVIDIA devices through CUDA (docs/gpu.md)
	@scripts/cuda.sh

cuda-check: cuda ## run both CUDA drivers against a stand-in of NVIDIA's driver (REAL=1: on a GPU)
	@scripts/cuda-check.sh

gpu-lint: deps-clang ## check the device kernels without a GPU: PTX rebuilt, compared and assembled
	@scripts/gpu-lint.sh

gpu-check: ## check the devices of this machine, and write gpu-check.json (PROCESSORS=cpu,opencl:0)
	@scripts/gpu-check.sh $(PROCESSORS)

deps-%:
	@scripts/deps.sh $*

test: deps ## install what tests need (DEPS=...), then run all tests, plain and with the race detector
	TOTEMGO_REQUIRE="$(require)" go test $(PKG)
	HTTPBFS_SOAK=10s TOTEMGO_REQUIRE="$(require)" go test -race -timeout 25m $(PKG)

deps: ## install what tests need on Debian, only what is missing
	@scripts/deps.sh $(DEPS)

lint: ## gofmt, go vet for every system, golangci-lint if it is there
	@scripts/lint.sh

fuzz: ## run every fuzz target for FUZZTIME (20s)
	@scripts/fuzz.sh $(FUZZTIME)

bench: ## run the benchmarks (BENCH=regexp PKG=./... BENCHTIME=1s)
	go test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) $(PKG)

bench-compare: ## compare the benchmarks with another commit's (REF=v0.1.0 BENCH= PKG= BENCHTIME=)
	@BENCH='$(BENCH)' BENCHTIME='$(BENCHTIME)' PKG='$(PKG)' scripts/bench-compare.sh '$(REF)'

generate: ## rebuild generated files; fails if that changes a committed one
	@scripts/generate.sh

cover: ## statement coverage, by package and in all
	@mkdir -p bin
	go test -coverprofile=bin/cover.out -coverpkg=./... $(PKG)
	@go tool cover -func=bin/cover.out | tail -n 1

modzip: ## install the command from a module zip of the last commit, as users do
	@scripts/modzip.sh

clean: ## remove what the targets have built
	rm -rf bin
