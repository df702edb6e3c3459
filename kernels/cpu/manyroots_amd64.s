//go:build amd64 && !noasm

// Pulls of many roots for AVX2 and AVX-512 processors; pullManyGeneric is their contract.
//
// R13 is the block, CX the vertices to do, SI the next neighbour, DI the neighbours, R8 seen, R9 next, R10 ends, R11 counts,
// R12 front, R14 the end of the row and R15 the last place where 8 neighbours are left; AX, BX and DX are scratch.

#include "go_asm.h"
#include "textflag.h"

#define BEGIN \
	MOVQ b+0(FP), R13                  \
	MOVQ manyBlock_seen(R13), R8       \
	MOVQ manyBlock_next(R13), R9       \
	MOVQ manyBlock_ends(R13), R10      \
	MOVQ (manyBlock_ends+8)(R13), CX   \
	MOVQ manyBlock_counts(R13), R11    \
	MOVQ manyBlock_front(R13), R12     \
	MOVQ manyBlock_neighbours(R13), DI \
	MOVQ manyBlock_start(R13), SI      \
	LEAQ (DI)(SI*4), SI                \
	MOVQ manyBlock_all(R13), AX

// ROW sets the ends of the row.
#define ROW \
	MOVL (R10), BX        \
	LEAQ (DI)(BX*4), R14  \
	LEAQ -32(R14), R15    \
	XORL DX, DX

// NEXT goes to the next vertex; DX is the number of bits in next.
#define NEXT \
	MOVL DX, (R11) \
	MOVQ R14, SI   \
	ADDQ $64, R8   \
	ADDQ $64, R9   \
	ADDQ $4, R10   \
	ADDQ $4, R11   \
	DECQ CX

// COUNT sets DX to the number of bits in next.
#define COUNT \
	POPCNTQ (R9), DX   \
	POPCNTQ 8(R9), AX  \
	ADDL    AX, DX     \
	POPCNTQ 16(R9), AX \
	ADDL    AX, DX     \
	POPCNTQ 24(R9), AX \
	ADDL    AX, DX     \
	POPCNTQ 32(R9), AX \
	ADDL    AX, DX     \
	POPCNTQ 40(R9), AX \
	ADDL    AX, DX     \
	POPCNTQ 48(R9), AX \
	ADDL    AX, DX     \
	POPCNTQ 56(R9), AX \
	ADDL    AX, DX

// OR512 adds the bits of the k-th neighbour at SI to acc.
#define OR512(k, acc) \
	MOVL  (4*k)(SI), AX          \
	SHLQ  $6, AX                 \
	VPORQ (R12)(AX*1), acc, acc

// OR256 adds them to Y1 and Y2.
#define OR256(k) \
	MOVL (4*k)(SI), AX           \
	SHLQ $6, AX                  \
	VPOR (R12)(AX*1), Y1, Y1     \
	VPOR 32(R12)(AX*1), Y2, Y2

// func pullManyAVX512(b *manyBlock)
//
// Z10 is all, Z5 seen, Z0 what the vertex lacks; Z1 and Z2 collect.
TEXT ·pullManyAVX512(SB), NOSPLIT, $0-8
	BEGIN
	VMOVDQU64 (AX), Z10

vertex:
	ROW
	VMOVDQU64 (R8), Z5
	VPANDNQ   Z10, Z5, Z0
	VPXORQ    Z1, Z1, Z1
	VPTESTMQ  Z0, Z0, K1
	KORTESTB  K1, K1
	JZ        none
	VPXORQ    Z2, Z2, Z2

eight:
	CMPQ SI, R15
	JHI  tail
	OR512(0, Z1)
	OR512(1, Z2)
	OR512(2, Z1)
	OR512(3, Z2)
	OR512(4, Z1)
	OR512(5, Z2)
	OR512(6, Z1)
	OR512(7, Z2)
	ADDQ     $32, SI
	VPORQ    Z1, Z2, Z3
	VPANDNQ  Z0, Z3, Z3
	VPTESTMQ Z3, Z3, K1
	KORTESTB K1, K1
	JNZ      eight
	JMP      collected

tail:
	CMPQ SI, R14
	JAE  collected
	OR512(0, Z1)
	ADDQ $4, SI
	JMP  tail

collected:
	VPORQ     Z1, Z2, Z1
	VPANDQ    Z0, Z1, Z1
	VPORQ     Z1, Z5, Z5
	VMOVDQU64 Z5, (R8)
	VMOVDQU64 Z1, (R9)
	COUNT
	NEXT
	JNZ vertex
	VZEROUPPER
	RET

none:
	VMOVDQU64 Z1, (R9)
	NEXT
	JNZ vertex
	VZEROUPPER
	RET

// func pullManyAVX2(b *manyBlock)
//
// Y10 and Y11 are all, Y5 and Y6 seen, Y3 and Y4 what the vertex lacks; Y1 and Y2 collect.
TEXT ·pullManyAVX2(SB), NOSPLIT, $0-8
	BEGIN
	VMOVDQU (AX), Y10
	VMOVDQU 32(AX), Y11

vertex:
	ROW
	VMOVDQU (R8), Y5
	VMOVDQU 32(R8), Y6
	VPANDN  Y10, Y5, Y3
	VPANDN  Y11, Y6, Y4
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPOR    Y3, Y4, Y7
	VPTEST  Y7, Y7
	JZ      none

eight:
	CMPQ SI, R15
	JHI  tail
	OR256(0)
	OR256(1)
	OR256(2)
	OR256(3)
	OR256(4)
	OR256(5)
	OR256(6)
	OR256(7)
	ADDQ   $32, SI
	VPANDN Y3, Y1, Y7
	VPANDN Y4, Y2, Y8
	VPOR   Y7, Y8, Y7
	VPTEST Y7, Y7
	JNZ    eight
	JMP    collected

tail:
	CMPQ SI, R14
	JAE  collected
	OR256(0)
	ADDQ $4, SI
	JMP  tail

collected:
	VPAND   Y3, Y1, Y1
	VPAND   Y4, Y2, Y2
	VPOR    Y1, Y5, Y5
	VPOR    Y2, Y6, Y6
	VMOVDQU Y5, (R8)
	VMOVDQU Y6, 32(R8)
	VMOVDQU Y1, (R9)
	VMOVDQU Y2, 32(R9)
	COUNT
	NEXT
	JNZ vertex
	VZEROUPPER
	RET

none:
	VMOVDQU Y1, (R9)
	VMOVDQU Y2, 32(R9)
	NEXT
	JNZ vertex
	VZEROUPPER
	RET
