module github.com/totemgo/totemgo

go 1.25.0

require (
	github.com/bits-and-blooms/bitset v1.29.0
	github.com/ebitengine/purego v0.11.3
	github.com/google/go-cmp v0.7.0
	github.com/klauspost/compress v1.20.4
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/prometheus/procfs v0.20.1
	github.com/spf13/cobra v1.10.2
	github.com/ulikunitz/xz v0.5.17
	go.uber.org/goleak v1.3.0
	golang.org/x/mod v0.30.0
	golang.org/x/sys v0.46.0
	golang.org/x/term v0.44.0
)

require golang.org/x/sync v0.19.0 // indirect

require (
	github.com/dustin/go-humanize v1.1.0
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.9
)
