package graphio

// WithBlock sets the number of bytes that are parsed at once, so that small inputs are
// parsed in many blocks.
func (o Options) WithBlock(n int) Options { o.block = n; return o }

// TGRVersion is the version of the native format.
const TGRVersion = tgrVersion

// WithoutSync leaves out waiting for the disk.
func (o SaveOptions) WithoutSync() SaveOptions { o.noSync = true; return o }
