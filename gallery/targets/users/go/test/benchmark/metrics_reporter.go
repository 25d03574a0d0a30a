package benchmark

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Report is what was measured of one operation over one protocol. Times are in nanoseconds in JSON.
type Report struct {
	Protocol      string        `json:"protocol"`
	Operation     string        `json:"operation"`
	TotalRequests int           `json:"total_requests"`
	ErrorCount    int           `json:"error_count"`
	SuccessRate   float64       `json:"success_rate_percent"`
	Duration      time.Duration `json:"duration_ns"`
	PerSecond     float64       `json:"requests_per_second"`
	Min           time.Duration `json:"min_ns"`
	Mean          time.Duration `json:"mean_ns"`
	P50           time.Duration `json:"p50_ns"`
	P90           time.Duration `json:"p90_ns"`
	P95           time.Duration `json:"p95_ns"`
	P99           time.Duration `json:"p99_ns"`
	P999          time.Duration `json:"p99_9_ns"`
	Max           time.Duration `json:"max_ns"`
	// Met is whether the document's targets of the protocol are met.
	Met bool `json:"targets_met"`
}

// target is what the document expects of a protocol.
type target struct {
	p50, p90, p95, p99, p999 time.Duration
	perSecond                float64
}

var targets = map[string]target{
	GRPC: {2 * time.Millisecond, 3 * time.Millisecond, 4 * time.Millisecond, 5 * time.Millisecond, 8 * time.Millisecond, 50_000},
	REST: {7 * time.Millisecond, 10 * time.Millisecond, 12 * time.Millisecond, 15 * time.Millisecond, 20 * time.Millisecond, 20_000},
}

// MetricsCollector collects the latencies of one worker; it is not for several at once.
type MetricsCollector struct {
	latencies []time.Duration
	errors    int
}

// Record adds a call. One that failed has no latency.
func (m *MetricsCollector) Record(latency time.Duration, err error) {
	if err != nil {
		m.errors++
		return
	}
	m.latencies = append(m.latencies, latency)
}

// reportOf summarises what all workers collected in a time.
func reportOf(protocol, operation string, collected []MetricsCollector, elapsed time.Duration) Report {
	var all []time.Duration
	report := Report{Protocol: protocol, Operation: operation, Duration: elapsed}
	for _, each := range collected {
		all = append(all, each.latencies...)
		report.ErrorCount += each.errors
	}
	slices.Sort(all)
	report.TotalRequests = len(all)
	if len(all) == 0 {
		return report
	}
	var sum time.Duration
	for _, latency := range all {
		sum += latency
	}
	report.SuccessRate = 100 * float64(len(all)) / float64(len(all)+report.ErrorCount)
	report.PerSecond = float64(len(all)) / elapsed.Seconds()
	report.Min, report.Mean, report.Max = all[0], sum/time.Duration(len(all)), all[len(all)-1]
	report.P50, report.P90, report.P95 = percentile(all, 50), percentile(all, 90), percentile(all, 95)
	report.P99, report.P999 = percentile(all, 99), percentile(all, 99.9)
	report.Met = report.meets(targets[protocol])
	return report
}

// percentile is the least latency that this percentage of the sorted ones does not exceed.
func percentile(sorted []time.Duration, percent float64) time.Duration {
	rank := int(percent / 100 * float64(len(sorted)))
	return sorted[min(rank, len(sorted)-1)]
}

func (r Report) meets(goal target) bool {
	return r.P50 <= goal.p50 && r.P90 <= goal.p90 && r.P95 <= goal.p95 && r.P99 <= goal.p99 && r.P999 <= goal.p999 &&
		r.PerSecond >= goal.perSecond && r.ErrorCount == 0
}

// WriteTable writes the reports as a table.
func WriteTable(w io.Writer, reports []Report) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "protocol\toperation\trequests/s\tmin\tmean\tp50\tp90\tp95\tp99\tp99.9\tmax\tsuccess\ttargets\t")
	for _, r := range reports {
		mark := "❌"
		if r.Met {
			mark = "✅"
		}
		fmt.Fprintf(table, "%s\t%s\t%.0f", r.Protocol, r.Operation, r.PerSecond)
		for _, latency := range []time.Duration{r.Min, r.Mean, r.P50, r.P90, r.P95, r.P99, r.P999, r.Max} {
			fmt.Fprintf(table, "\t%s", latency.Round(time.Microsecond))
		}
		fmt.Fprintf(table, "\t%.2f %%\t%s\t\n", r.SuccessRate, mark)
	}
	return table.Flush()
}

// WriteJSON writes the reports as JSON.
func WriteJSON(w io.Writer, reports []Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(reports)
}
