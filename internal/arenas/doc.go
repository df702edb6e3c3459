// Package arenas starts a program again, in its process, where address space or data is limited (ulimit -v, -d): with
// small stacks and one malloc arena, since glibc reserves 128 MiB for each thread, which leaves the Go heap too little.
//
// Main packages import it for this effect alone. It acts while packages are initialized and imports little, so that it comes
// early: the heap must not grow before, since threads may have taken the space already.
package arenas
