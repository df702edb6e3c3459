package engine

// ComponentsProgram is the program of Components.
var ComponentsProgram = components
