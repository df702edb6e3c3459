package engine

// LimitMemory sets the memory limit of an open engine.
func LimitMemory(e *Engine, bytes int64) { e.opts.MemoryLimit = bytes }
