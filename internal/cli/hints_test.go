package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph/graphio"
)

// Every cure of graphio has a flag, and messages name it instead of the field.
func TestCureFlags(t *testing.T) {
	for c := graphio.Cure(0); !strings.HasPrefix(c.String(), "Cure("); c++ {
		err := fmt.Errorf("save: %w", &graphio.Error{File: "g", Found: "x", Hint: graphio.Hint{Text: "use (%s 16)", Cures: []graphio.Cure{c}}, Err: graphio.ErrLoss})
		if flag := cureFlag(c); !strings.HasPrefix(flag, "--") || !strings.Contains(message(err), "use ("+flag+" 16)") {
			t.Errorf("%v: flag %q, message %q", c, flag, message(err))
		}
	}
}
