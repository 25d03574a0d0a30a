package process

import "runtime/debug"

// gcPercent trades memory for time: what lives is a few megabytes, what a second of load leaves behind hundreds.
const gcPercent = 200

// tuneCollector sets the garbage collector, unless GOGC says otherwise.
func tuneCollector(lookup func(string) (string, bool)) {
	if _, set := lookup("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
}
