package power_test

import (
	"context"
	"fmt"
	"log"

	"github.com/totemgo/totemgo/power"
)

// A program measures a phase of its own. Here a recorded log stands in for a wall
// meter; "auto" takes the machine's own meters.
func Example() {
	spec, err := power.ParseSpec("replay:testdata/watts.csv,column=watts,covers=whole-system")
	if err != nil {
		log.Fatal(err)
	}
	meters, missing, err := power.Open([]power.Spec{spec}, power.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := power.Start(context.Background(), power.Options{Meters: meters, Unavailable: missing})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	mark := session.Mark("sum")
	sum := 0
	for i := range 1_000_000 {
		sum += i
	}
	energy := mark.End()

	fmt.Println("energy known:", energy.Known)
	fmt.Println("covers:", energy.Coverage, "replayed:", energy.Replayed, "estimated:", energy.Estimated)
	fmt.Println("power between 52 and 188 W:", energy.MeanWatts() > 52 && energy.MeanWatts() < 188)
	// Output:
	// energy known: true
	// covers: whole-system replayed: true estimated: false
	// power between 52 and 188 W: true
}
