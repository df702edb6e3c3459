package graphio

// CheckSave tells, before anything is computed, whether Save could write a file of
// that name with these options at all: its errors are those that Save would find
// without looking at the graph.
func CheckSave(path string, o SaveOptions) error {
	_, err := saveFormat(path, &o)
	return err
}
