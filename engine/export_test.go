package engine

// LimitMemory sets the limit of an open engine.
func (e *Engine) LimitMemory(bytes int64) { e.opts.MemoryLimit = bytes }
