package cli

import (
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

// TestDevices lists what there is; a machine without devices is no error.
func TestDevices(t *testing.T) {
	r := command(t, "devices", "--json")
	d := document[record.Devices](t, r)
	has(t, r, "devices")
	if d.Schema != record.SchemaDevices || d.Devices == nil {
		t.Errorf("%+v", d)
	}
	text := command(t, "devices").must(t).stdout
	if !strings.HasPrefix(text, "cpu ") || len(d.Devices) == 0 && !strings.Contains(text, "no device: ") {
		t.Errorf("%q", text)
	}
	for _, x := range d.Devices {
		if !strings.Contains(text, "\n"+x.Name+" ") {
			t.Errorf("%s is not listed: %q", x.Name, text)
		}
	}
}
