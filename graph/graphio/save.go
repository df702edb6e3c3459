package graphio

type writer struct{}
