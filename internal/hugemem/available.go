package hugemem

// Available returns the bytes that this process may use: the system's available memory, or what the limits of the process's
// control groups (memory.max, memory.high), of its address space and of its data leave, if that is less. Zero means unknown.
func Available() int64 { return available() }

// Installed returns the bytes of memory that this system has, or the limit of the
// process's control group if that is less. Zero means unknown.
func Installed() int64 { return installed() }
