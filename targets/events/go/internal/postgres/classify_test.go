package postgres

import "testing"

func TestWhatPasses(t *testing.T) {
	for code, want := range map[string]bool{
		"08006": true, "40001": true, "40P01": true, "53300": true, "57014": true, "57P01": true, "57P03": true, "25006": true,
		"22P02": false, "22003": false, "28P01": false, "3D000": false, "42P01": false, "25001": false, "54000": false,
	} {
		if got := passes(code); got != want {
			t.Errorf("%s: got %v, want %v", code, got, want)
		}
	}
}
