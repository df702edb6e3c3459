//go:build amd64 && !noasm

#include "textflag.h"

// func prefetchLinesAsm(at []uintptr)
TEXT ·prefetchLinesAsm(SB), NOSPLIT, $0-24
	MOVQ at_base+0(FP), SI
	MOVQ at_len+8(FP), CX
	TESTQ CX, CX
	JZ done

next:
	MOVQ (SI), AX
	PREFETCHT0 (AX)
	ADDQ $8, SI
	DECQ CX
	JNZ next

done:
	RET
