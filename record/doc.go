// Package record holds the Go types of everything a run states: the machine, the
// processors, levels, searches, and the results of each command. The library's
// statistics and the commands' JSON are the same types. They have no behaviour;
// each document has one schema constant.
//
// Names in JSON are snake case with the unit last (_s, _j, _w, _bytes). An unknown value
// is absent, never 0: such fields are pointers or omitted when empty. docs/json.md is made
// from the comments of types and fields: name a field by its Go name.
package record

//go:generate go test -run ^TestDocument$ -update .
