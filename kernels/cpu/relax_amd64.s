//go:build amd64 && !noasm

// Inner loops of relax.go for AVX-512 (F, DQ, VL): the arcs of a row that lower their target, 16
// or 8 at a time. Each has the contract of filterGeneric.
//
// SI is the row, R8 its weights, CX the arcs to do, R9 the targets' values, DI the next free
// entry of out. Z0 is x in each lane, Z4 the numbers of the arcs, Z5 the step of these. A tail
// runs under the mask K1, so that no lane beyond the row is loaded. A call covers at most
// relaxPiece arcs: assembly cannot be preempted.

#include "textflag.h"

// 0, 1, … 15
DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
DATA numbers<>+16(SB)/8, $0x0000000500000004
DATA numbers<>+24(SB)/8, $0x0000000700000006
DATA numbers<>+32(SB)/8, $0x0000000900000008
DATA numbers<>+40(SB)/8, $0x0000000b0000000a
DATA numbers<>+48(SB)/8, $0x0000000d0000000c
DATA numbers<>+56(SB)/8, $0x0000000f0000000e
GLOBL numbers<>(SB), RODATA|NOPTR, $64

// START loads the arguments; lanes is 16 or 8.
#define START(lanes) \
	MOVQ         row_base+0(FP), SI     \
	MOVQ         row_len+8(FP), CX      \
	MOVQ         w_base+24(FP), R8      \
	MOVQ         dst_base+48(FP), R9    \
	MOVQ         out_base+80(FP), DI    \
	MOVQ         DI, R10                \
	MOVL         $lanes, AX             \
	VPBROADCASTD AX, Z5                 \
	VMOVDQU32    numbers<>(SB), Z4      \
	MOVL         $((1<<lanes)-1), AX    \
	KMOVW        AX, K1

// TAIL makes K1 the mask of the last CX arcs.
#define TAIL(n) \
	MOVL  $1, AX      \
	SHLL  CX, AX      \
	DECL  AX          \
	KMOVW AX, K1

// LOAD4 and LOAD8 load the neighbours in K1, and the values of these into Z3.
#define LOAD4(n) \
	VMOVDQU32.Z (SI), K1, Z1         \
	KMOVW       K1, K2               \
	VPXORD      Z3, Z3, Z3           \
	VPGATHERDD  (R9)(Z1*4), K2, Z3

#define LOAD8(n) \
	VMOVDQU32.Z (SI), K1, Y1         \
	KMOVW       K1, K2               \
	VPXORD      Z3, Z3, Z3           \
	VPGATHERDQ  (R9)(Y1*8), K2, Z3

// KEEP writes the numbers of the arcs in AX and K3 to out.
#define KEEP(n) \
	VPCOMPRESSD Z4, K3, Z6   \
	VMOVDQU32   Z6, (DI)     \
	POPCNTL     AX, AX       \
	LEAQ        (DI)(AX*4), DI

// func relaxI32AVX512(row []uint32, w, dst []int32, x int32, out []uint32) int
TEXT ·relaxI32AVX512(SB), NOSPLIT, $0-112
	START(16)
	MOVL x+72(FP), AX
	VPBROADCASTD AX, Z0

arcs:
	CMPQ CX, $16
	JGE  whole
	TESTQ CX, CX
	JLE  done
	TAIL(0)

whole:
	LOAD4(0)
	VMOVDQU32.Z (R8), K1, Z2
	VPADDD Z2, Z0, Z2
	VPCMPD $1, Z3, Z2, K1, K3
	KMOVW K3, AX
	TESTL AX, AX
	JZ next
	KEEP(0)

next:
	VPADDD Z5, Z4, Z4
	ADDQ $64, SI
	ADDQ $64, R8
	SUBQ $16, CX
	JMP arcs

done:
	SUBQ R10, DI
	SHRQ $2, DI
	MOVQ DI, ret+104(FP)
	VZEROUPPER
	RET

// func relaxF32AVX512(row []uint32, w, dst []float32, x float32, out []uint32) int
TEXT ·relaxF32AVX512(SB), NOSPLIT, $0-112
	START(16)
	VBROADCASTSS x+72(FP), Z0

arcs:
	CMPQ CX, $16
	JGE  whole
	TESTQ CX, CX
	JLE  done
	TAIL(0)

whole:
	LOAD4(0)
	VMOVUPS.Z (R8), K1, Z2
	VADDPS Z2, Z0, Z2
	VCMPPS $1, Z3, Z2, K1, K3
	KMOVW K3, AX
	TESTL AX, AX
	JZ next
	KEEP(0)

next:
	VPADDD Z5, Z4, Z4
	ADDQ $64, SI
	ADDQ $64, R8
	SUBQ $16, CX
	JMP arcs

done:
	SUBQ R10, DI
	SHRQ $2, DI
	MOVQ DI, ret+104(FP)
	VZEROUPPER
	RET

// func relaxI64AVX512(row []uint32, w, dst []int64, x int64, out []uint32) int
TEXT ·relaxI64AVX512(SB), NOSPLIT, $0-112
	START(8)
	MOVQ x+72(FP), AX
	VPBROADCASTQ AX, Z0

arcs:
	CMPQ CX, $8
	JGE  whole
	TESTQ CX, CX
	JLE  done
	TAIL(0)

whole:
	LOAD8(0)
	VMOVDQU64.Z (R8), K1, Z2
	VPADDQ Z2, Z0, Z2
	VPCMPQ $1, Z3, Z2, K1, K3
	KMOVW K3, AX
	TESTL AX, AX
	JZ next
	KEEP(0)

next:
	VPADDD Z5, Z4, Z4
	ADDQ $32, SI
	ADDQ $64, R8
	SUBQ $8, CX
	JMP arcs

done:
	SUBQ R10, DI
	SHRQ $2, DI
	MOVQ DI, ret+104(FP)
	VZEROUPPER
	RET

// func relaxF64AVX512(row []uint32, w, dst []float64, x float64, out []uint32) int
TEXT ·relaxF64AVX512(SB), NOSPLIT, $0-112
	START(8)
	VBROADCASTSD x+72(FP), Z0

arcs:
	CMPQ CX, $8
	JGE  whole
	TESTQ CX, CX
	JLE  done
	TAIL(0)

whole:
	LOAD8(0)
	VMOVUPD.Z (R8), K1, Z2
	VADDPD Z2, Z0, Z2
	VCMPPD $1, Z3, Z2, K1, K3
	KMOVW K3, AX
	TESTL AX, AX
	JZ next
	KEEP(0)

next:
	VPADDD Z5, Z4, Z4
	ADDQ $32, SI
	ADDQ $64, R8
	SUBQ $8, CX
	JMP arcs

done:
	SUBQ R10, DI
	SHRQ $2, DI
	MOVQ DI, ret+104(FP)
	VZEROUPPER
	RET

// func prefetchRowsAsm(rows, offsets, neighbours, weights []uint32, width int)
//
// width is the bytes of a weight, 0 without weights.
TEXT ·prefetchRowsAsm(SB), NOSPLIT, $0-104
	MOVQ rows_base+0(FP), SI
	MOVQ rows_len+8(FP), CX
	MOVQ offsets_base+24(FP), R8
	MOVQ neighbours_base+48(FP), R9
	MOVQ weights_base+72(FP), R10
	MOVQ width+96(FP), R11
	TESTQ CX, CX
	JZ done

next:
	MOVL (SI), AX
	MOVL (R8)(AX*4), BX
	MOVL 4(R8)(AX*4), DX
	LEAQ 17(BX), R12
	CMPQ DX, R12
	CMOVQCC R12, DX // the end, or 17 entries on
	PREFETCHT0 (R9)(BX*4)
	PREFETCHT0 -4(R9)(DX*4)
	TESTQ R11, R11
	JZ skip
	IMULQ R11, BX
	IMULQ R11, DX
	PREFETCHT0 (R10)(BX*1)
	PREFETCHT0 -4(R10)(DX*1)

skip:
	ADDQ $4, SI
	DECQ CX
	JNZ next

done:
	RET
