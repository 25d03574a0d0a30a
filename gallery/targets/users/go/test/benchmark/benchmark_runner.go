package benchmark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"
)

// BenchmarkConfig says how long and how hard each operation is measured.
type BenchmarkConfig struct {
	Duration       time.Duration
	Concurrency    int
	WarmupDuration time.Duration
	// OutputFormat is table or json.
	OutputFormat string
	// OutputFile gets the results; standard output where it is empty.
	OutputFile   string
	EnableWarmup bool
}

// DefaultConfig is the document's.
func DefaultConfig() *BenchmarkConfig {
	return &BenchmarkConfig{
		Duration: 30 * time.Second, Concurrency: 10, WarmupDuration: 5 * time.Second, OutputFormat: "table", EnableWarmup: true,
	}
}

// ConfigFromEnvironment is the document's, changed by BENCHMARK_DURATION, _CONCURRENCY, _WARMUP, _OUTPUT and _FILE. A
// warm-up of 0 is none.
func ConfigFromEnvironment() (*BenchmarkConfig, error) {
	config := DefaultConfig()
	var errs []error
	duration := func(name string, into *time.Duration) {
		if value := os.Getenv(name); value != "" {
			parsed, err := time.ParseDuration(value)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s is %q: use a duration such as 30s", name, value))
			}
			*into = parsed
		}
	}
	duration("BENCHMARK_DURATION", &config.Duration)
	duration("BENCHMARK_WARMUP", &config.WarmupDuration)
	config.EnableWarmup = config.WarmupDuration > 0
	if value := os.Getenv("BENCHMARK_CONCURRENCY"); value != "" {
		parsed, err := strconv.Atoi(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("BENCHMARK_CONCURRENCY is %q: use a whole number", value))
		}
		config.Concurrency = parsed
	}
	if value := os.Getenv("BENCHMARK_OUTPUT"); value != "" {
		config.OutputFormat = value
	}
	config.OutputFile = os.Getenv("BENCHMARK_FILE")
	return config, errors.Join(errs...)
}

// BenchmarkRunner measures every operation over both protocols.
type BenchmarkRunner struct {
	config *BenchmarkConfig
}

// NewBenchmarkRunner returns a runner.
func NewBenchmarkRunner(config *BenchmarkConfig) *BenchmarkRunner {
	return &BenchmarkRunner{config}
}

// RunAllBenchmarks measures, writes the results as the configuration says, and returns them.
func (r *BenchmarkRunner) RunAllBenchmarks() ([]Report, error) {
	if r.config.Concurrency < 1 || r.config.Duration <= 0 {
		return nil, errors.New("the concurrency must be at least 1 and the duration above 0")
	}
	write, known := map[string]func(io.Writer, []Report) error{"table": WriteTable, "json": WriteJSON}[r.config.OutputFormat]
	if !known {
		return nil, fmt.Errorf("the output format is %q: use table or json", r.config.OutputFormat)
	}
	var reports []Report
	for _, protocol := range []string{GRPC, REST} {
		for _, operation := range operations {
			report, err := r.measure(protocol, operation.name, operation.run)
			if err != nil {
				return reports, fmt.Errorf("%s %s: %w", protocol, operation.name, err)
			}
			reports = append(reports, report)
		}
	}
	if r.config.OutputFile == "" {
		return reports, write(os.Stdout, reports)
	}
	file, err := os.Create(r.config.OutputFile)
	if err != nil {
		return reports, err
	}
	return reports, errors.Join(write(file, reports), file.Close())
}

func (r *BenchmarkRunner) measure(protocol, name string, run operation) (Report, error) {
	ctx := context.Background()
	service, err := start(ctx, protocol, r.config.Concurrency)
	if err != nil {
		return Report{}, err
	}
	if r.config.EnableWarmup {
		r.hold(ctx, service, run, r.config.WarmupDuration)
	}
	begun := time.Now()
	collected := r.hold(ctx, service, run, r.config.Duration)
	report := reportOf(protocol, name, collected, time.Since(begun))
	return report, service.stop()
}

// hold keeps all workers calling for a time.
func (r *BenchmarkRunner) hold(ctx context.Context, s *service, run operation, duration time.Duration) []MetricsCollector {
	collected := make([]MetricsCollector, r.config.Concurrency)
	end := time.Now().Add(duration)
	var workers sync.WaitGroup
	for worker := range collected {
		workers.Go(func() {
			for number := int64(worker); time.Now().Before(end); number += int64(r.config.Concurrency) {
				begun, err := run(ctx, s, number)
				collected[worker].Record(time.Since(begun), err)
			}
		})
	}
	workers.Wait()
	return collected
}
