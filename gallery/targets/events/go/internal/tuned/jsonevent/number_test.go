package jsonevent

import (
	"strings"
	"testing"
)

func TestNumbersThatCanBeStored(t *testing.T) {
	for _, literal := range []string{
		"0", "-0", "0.10", "12345678901234567890",
		"1.7976931348623157e308", "-1.7976931348623157E+308", "1.7976931348623158e308",
		"5e-324", "2.4703282292062328e-324",
		"0e400", "0.00e-400", "0e000000000000000000001", "0e1100", "0e-1100", "0E+00001100", "1e00000000000000000000000001",
		strings.Repeat("9", 308),
		"0." + strings.Repeat("0", 322) + "1",
		"0." + strings.Repeat("1", 1_098),
	} {
		if !isStorable(literal) {
			t.Errorf("%s can be stored", literal)
		}
	}
}

func TestNumbersThatCannotBeStored(t *testing.T) {
	for _, literal := range []string{
		"1.7976931348623159e308", "-1e309", "1e999999999999999999999",
		"1e-324", "2.4703282292062327e-324", "-1e-99999999999999999999",
		"0e1101", "0e-1101", "0e-16384", "0." + strings.Repeat("0", 900) + "1e1101", "0.0e99999999999999999999",
		strings.Repeat("9", 309),
		"0." + strings.Repeat("0", 400) + "1",
		"0." + strings.Repeat("1", 1_099),
		"0." + strings.Repeat("0", 1_099),
	} {
		if isStorable(literal) {
			t.Errorf("%s cannot be stored", literal)
		}
	}
}
