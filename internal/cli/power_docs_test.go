package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// TestPowerDocumented compares docs/energy.md with the types that are printed and
// with the flags and kinds there are.
func TestPowerDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/energy.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	i := strings.Index(doc, "## What the JSON holds")
	if i < 0 {
		t.Fatal("docs/energy.md does not say what the JSON holds")
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(x reflect.Type) {
		for x.Kind() == reflect.Pointer || x.Kind() == reflect.Slice {
			x = x.Elem()
		}
		if x.Kind() != reflect.Struct || seen[x] {
			return
		}
		seen[x] = true
		for f := range x.NumField() {
			name, _, _ := strings.Cut(x.Field(f).Tag.Get("json"), ",")
			if !strings.Contains(doc[i:], "`"+name+"`") && !strings.Contains(doc[i:], "`"+name+"[]`") {
				t.Errorf("%s.%s: docs/energy.md does not name `%s`", x.Name(), x.Field(f).Name, name)
			}
			walk(x.Field(f).Type)
		}
	}
	walk(reflect.TypeFor[record.PowerSession]())
	walk(reflect.TypeFor[record.PowerMeters]())
	for _, k := range []string{record.PowerSessionSchema, record.PowerMetersSchema, record.CoverageWholeSystem, power.KindAuto,
		power.KindNone, power.KindRAPL, power.KindNVML, power.KindHwmon, power.KindWattsUp, power.KindLine, power.KindReplay, power.KindModel} {
		if !strings.Contains(doc, "`"+k) {
			t.Errorf("docs/energy.md does not name %s", k)
		}
	}
}
