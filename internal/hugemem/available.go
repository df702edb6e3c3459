package hugemem

// Available returns the bytes that this process may use: the memory that the
// system could hand out now, or the limit of the process's control group if that
// is less. Zero means that it cannot be told.
func Available() int64 { return available() }

// Installed returns the bytes of memory that this system has, or the limit of the
// process's control group if that is less. Zero means that it cannot be told.
func Installed() int64 { return installed() }
