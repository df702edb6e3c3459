// Package power measures energy in sessions: it starts meters, marks phases, and
// states the joules of each, with what the figures cover and what went wrong.
//
// # Basics
//
// A Meter is one source of readings: a RAPL zone, a GPU, a wall meter, a recorded
// log, a model. Open turns specifications ("auto", "rapl", "model:idle=50,busy=180")
// into meters; List says what the machine has and what it lacks. A Session reads its
// meters in one goroutine from Start to Close; a Mark is a phase between two readings
// of every meter; an Interval is the energy of a phase, per meter and altogether.
//
// # How energy comes about
//
// Counters: the difference of two readings, taken at the phase's edges. Counters
// wrap; the range is added back. A counter that falls without a plausible wrap was
// reset: that step has no energy, and the seconds are missing from what is covered. A
// counter that does not move tells nothing: its energy is unknown, never 0.
// Power: the trapezoid over the real times of the readings, interpolated at the
// edges. A step far longer than usual is bridged by a straight line and reported as a
// gap with the seconds it makes up. Nothing is filled in without being counted.
//
// # Caveats
//
// No joule counts twice: cores are part of their package, a platform meter contains
// the packages, a wall meter contains everything, and the totals take only one of
// each. Component figures miss the rest of the machine. Estimated figures come from a
// model, replayed ones from another time; both say so, and so does a total that lacks a
// meter which should count.
package power
