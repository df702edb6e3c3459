//go:build !amd64 || noasm

package cpu

func pullManyOf() func(*manyBlock) { return pullManyGeneric }
