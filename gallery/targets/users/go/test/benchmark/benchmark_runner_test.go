package benchmark

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestTheRunnerMeasuresEveryOperationOverBothProtocols(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	config := &BenchmarkConfig{Duration: 300 * time.Millisecond, Concurrency: 3, OutputFormat: "json", OutputFile: file}
	reports, err := NewBenchmarkRunner(config).RunAllBenchmarks()
	if err != nil {
		t.Fatal(err)
	}
	if len(reports) != 12 {
		t.Fatalf("got %d reports, want 12", len(reports))
	}
	for _, report := range reports {
		if report.TotalRequests == 0 || report.ErrorCount > 0 || report.P50 <= 0 || report.Max < report.P999 {
			t.Errorf("%+v", report)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written []Report
	if err := json.Unmarshal(content, &written); err != nil || len(written) != len(reports) {
		t.Errorf("%d reports in the file: %v", len(written), err)
	}
}

// TestTheDocumentsCommand runs what no build compiles: main.go is ignored by them, to stand in this folder.
func TestTheDocumentsCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	command := exec.CommandContext(t.Context(), "go", "run", "main.go")
	command.Env = append(os.Environ(), "BENCHMARK_DURATION=5ms", "BENCHMARK_CONCURRENCY=2", "BENCHMARK_WARMUP=0s",
		"BENCHMARK_OUTPUT=json", "BENCHMARK_FILE="+file)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written []Report
	if err := json.Unmarshal(content, &written); err != nil || len(written) != 12 {
		t.Errorf("%d reports in the file: %v", len(written), err)
	}
}

func TestTheDocumentsFilesAreHere(t *testing.T) {
	for _, name := range []string{
		"grpc_benchmark_test.go", "rest_benchmark_test.go", "metrics_reporter.go", "benchmark_runner.go",
		"performance_benchmarks.md", "main.go",
	} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

func TestSettingsThatCannotBeAreRefused(t *testing.T) {
	t.Setenv("BENCHMARK_DURATION", "soon")
	if _, err := ConfigFromEnvironment(); err == nil {
		t.Error("a duration that is none was accepted")
	}
	for _, config := range []*BenchmarkConfig{
		{Duration: time.Second, Concurrency: 0, OutputFormat: "table"},
		{Duration: time.Second, Concurrency: 1, OutputFormat: "xml"},
	} {
		if _, err := NewBenchmarkRunner(config).RunAllBenchmarks(); err == nil {
			t.Errorf("%+v was accepted", config)
		}
	}
}

func TestPercentiles(t *testing.T) {
	sorted := make([]time.Duration, 1000)
	for i := range sorted {
		sorted[i] = time.Duration(i + 1)
	}
	for percent, want := range map[float64]time.Duration{50: 501, 99: 991, 99.9: 1000, 100: 1000} {
		if got := percentile(sorted, percent); got != want {
			t.Errorf("p%g is %d, want %d", percent, got, want)
		}
	}
}
