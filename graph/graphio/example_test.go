package graphio_test

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/graph/graphio"
)

// Content and name determine the format; Progress is called now and then.
func ExampleOpen() {
	last := graphio.Progress{}
	f, err := graphio.Open(context.Background(), "testdata/tiny.el", graphio.Options{
		Progress: func(p graphio.Progress) { last = p },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	fmt.Println(f.Report.Format, f.Source.NumVertices(), "vertices,", f.Report.Records, "records")
	fmt.Printf("read %d of %d %s\n", last.Done, last.Total, last.Unit)
	// Output:
	// edgelist 6 vertices, 7 records
	// read 47 of 47 bytes
}
