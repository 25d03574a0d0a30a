//go:build ignore

// The document's command: cd test/benchmark && go run main.go. The variables BENCHMARK_DURATION, _CONCURRENCY, _WARMUP,
// _OUTPUT and _FILE change what it does.
package main

import (
	"fmt"
	"os"

	"grpc-user-service/test/benchmark"
)

func main() {
	config, err := benchmark.ConfigFromEnvironment()
	if err == nil {
		_, err = benchmark.NewBenchmarkRunner(config).RunAllBenchmarks()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
