package benchmark

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// levels are callers for each CPU.
var levels = []int{1, 8, 32}

// measure runs an operation at each level against its own server. benchstat reads what it prints.
func measure(b *testing.B, protocol string, run operation) {
	for _, level := range levels {
		b.Run(fmt.Sprintf("callers=%dxCPU", level), func(b *testing.B) {
			// As many as RunParallel starts, and more: -cpu changes their number between benchmarks.
			service, err := start(b.Context(), protocol, level*64)
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := service.stop(); err != nil {
					b.Error(err)
				}
			}()
			var number atomic.Int64
			b.SetParallelism(level)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(loop *testing.PB) {
				for loop.Next() {
					if _, err := run(b.Context(), service, number.Add(1)); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.StopTimer()
		})
	}
}
