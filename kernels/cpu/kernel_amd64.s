//go:build amd64 && !noasm

// Inner loops of kernel.go for AVX2 and AVX-512 (F, BW, DQ, VL) processors. kernel_amd64.go
// checks the lengths on which they rely; each has a twin in plain Go with its contract.
//
//	probeAVX512     bottom-up: 16 vertices at a time, up to 4 neighbours each
//	probeAVX2       bottom-up: first neighbours bit by bit, second ones vertex by vertex
//	settleAVX512/2  visits what a scattered top-down step has written
//	scanAVX512      first neighbour of a row that is in the frontier, 16 at a time
//	byVertexAVX512/2  gathers parents by vertex id
//	prefetchAsm     two cache lines of each of several rows
//	spreadAsm       writes one value at every entry of a row; prefetches another row's
//
// Conventions: SI seen, DI next, R10 parent, R11 the next free entry of rest, R12 the bits of
// the frontier, CX the words or entries to do; AX, BX, DX and R14 are scratch. Z31 is all ones,
// Z30 is 1 in each lane. Functions on Y or Z registers use VEX and EVEX encodings alone and
// end with VZEROUPPER: TestEncoding. A bitmap is read in words of 32 bits: bit i of word i/32.
// Partial last words of a block have the bits beyond its rows set in seen, so that no lane of
// theirs is loaded or stored. A call covers at most blockWords words: assembly cannot be
// preempted.

#include "go_asm.h"
#include "textflag.h"

// 0, 1, … 15
DATA iota<>+0(SB)/8, $0x0000000100000000
DATA iota<>+8(SB)/8, $0x0000000300000002
DATA iota<>+16(SB)/8, $0x0000000500000004
DATA iota<>+24(SB)/8, $0x0000000700000006
DATA iota<>+32(SB)/8, $0x0000000900000008
DATA iota<>+40(SB)/8, $0x0000000b0000000a
DATA iota<>+48(SB)/8, $0x0000000d0000000c
DATA iota<>+56(SB)/8, $0x0000000f0000000e
GLOBL iota<>(SB), RODATA|NOPTR, $64

// 1, 2, 4, … 128: lane i's bit of a byte
DATA lanebit<>+0(SB)/8, $0x0000000200000001
DATA lanebit<>+8(SB)/8, $0x0000000800000004
DATA lanebit<>+16(SB)/8, $0x0000002000000010
DATA lanebit<>+24(SB)/8, $0x0000008000000040
GLOBL lanebit<>(SB), RODATA|NOPTR, $32

// PROBE512 tests column k of near, in Z0, of the lanes in todo against the bits at R12:
// the hits are left in K4, added to DX, and get their ids, column k of nearID, as parents.
// What stays unvisited is left in K5.
#define PROBE512(todo, k, g) \
	VPSRLD      $5, Z0, Z1             \
	KMOVW       todo, K3               \
	VPXORD      Z2, Z2, Z2             \
	VPGATHERDD  (R12)(Z1*4), K3, Z2    \
	VPRORVD     Z0, Z2, Z2             \
	VPTESTMD    Z30, Z2, todo, K4      \
	MOVQ        (probeBlock_nearID+24*k)(R13), R14 \
	ADDQ        R15, R14               \
	VMOVDQU32.Z (64*g)(R14), K4, Z6    \
	VMOVDQU32   Z6, K4, (64*g)(R10)    \
	KMOVW       K4, BX                 \
	SHLQ        $(16*g), BX            \
	ORQ         BX, DX                 \
	KANDNW      todo, K4, K5

// FAR512 probes column k of the lanes in K5 that have so many neighbours, or skips.
#define FAR512(k, g, skip) \
	MOVQ        (probeBlock_near+24*k)(R13), R14 \
	ADDQ        R15, R14               \
	VMOVDQU32.Z (64*g)(R14), K5, Z0    \
	VPCMPUD     $4, Z23, Z0, K5, K6    \
	KORTESTW    K6, K6                 \
	JZ          skip                   \
	PROBE512(K6, k, g)                 \
	KORTESTW    K5, K5                 \
	JZ          skip

// GROUP512 probes 16 vertices of the word, number g of four, index vector in ids.
#define GROUP512(g, ids, skip) \
	MOVQ        AX, BX                 \
	SHRQ        $(16*g), BX            \
	ANDL        $0xffff, BX            \
	JZ          skip                   \
	KMOVW       BX, K1                 \
	VMOVDQU32.Z (64*g)(R8), K1, Z0     \
	PROBE512(K1, 0, g)                 \
	KORTESTW    K5, K5                 \
	JZ          skip                   \
	KMOVW       K5, K1                 \
	VMOVDQU32.Z (64*g)(R9), K1, Z0     \
	PROBE512(K1, 1, g)                 \
	KORTESTW    K5, K5                 \
	JZ          skip                   \
	FAR512(2, g, skip)                 \
	FAR512(3, g, skip)                 \
	MOVQ        R15, R14               \
	SHRQ        $5, R14                \
	ADDQ        probeBlock_long(R13), R14 \
	KMOVW       (2*g)(R14), K6         \
	KANDW       K5, K6, K5             \
	KMOVW       K5, R14                \
	VPADDD      ids, Z29, Z3           \
	VPCOMPRESSD.Z Z3, K5, Z4           \
	VMOVDQU32   Z4, (R11)              \
	POPCNTL     R14, R14               \
	LEAQ        (R11)(R14*4), R11

// func probeAVX512(b *probeBlock) int
//
// Probes 16 vertices at a time, column by column while any of them is unvisited: gathers
// the words of front that hold their neighbours, rotates the bit down and tests it.
// R13 is the block, R15 the number of bytes from the start of the arrays by vertex.
TEXT ·probeAVX512(SB), NOSPLIT, $0-16
	MOVQ b+0(FP), R13
	MOVQ probeBlock_seen(R13), SI
	MOVQ (probeBlock_seen+8)(R13), CX
	MOVQ probeBlock_next(R13), DI
	MOVQ probeBlock_near(R13), R8
	MOVQ (probeBlock_near+24)(R13), R9
	MOVQ probeBlock_parent(R13), R10
	MOVQ probeBlock_rest(R13), R11
	MOVQ probeBlock_front(R13), R12
	XORL R15, R15
	VPTERNLOGD $0xff, Z31, Z31, Z31
	VPSRLD $31, Z31, Z30            // 1
	VMOVDQU32 iota<>(SB), Z24
	VPSLLD $4, Z30, Z5              // 16
	VPADDD Z5, Z24, Z25
	VPADDD Z5, Z25, Z26
	VPADDD Z5, Z26, Z27
	VPXORD Z29, Z29, Z29            // number of the word's first vertex
	VPSLLD $6, Z30, Z28             // 64
	MOVQ (probeBlock_front+8)(R13), AX
	DECQ AX
	SHLQ $6, AX
	VPBROADCASTD AX, Z23            // the number of ranks: no neighbour
	VPXORD Z22, Z22, Z22
	VPSLLD $9, Z30, Z21             // 512

block: // skips 8 visited words at once
	CMPQ CX, $8
	JLT words
	VMOVDQU64 (SI), Z0
	VPCMPEQD Z31, Z0, K1
	KORTESTW K1, K1
	JCC words                       // not all ones
	VMOVDQU64 Z22, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $2048, R8
	ADDQ $2048, R9
	ADDQ $2048, R10
	ADDQ $2048, R15
	VPADDD Z21, Z29, Z29
	SUBQ $8, CX
	JMP block

words:
	TESTQ CX, CX
	JZ done

word:
	MOVQ (SI), AX
	NOTQ AX
	XORL DX, DX
	TESTQ AX, AX
	JZ store
	GROUP512(0, Z24, g1)
g1:
	GROUP512(1, Z25, g2)
g2:
	GROUP512(2, Z26, g3)
g3:
	GROUP512(3, Z27, store)
store:
	MOVQ DX, (DI)
	ORQ DX, (SI)
	ADDQ $8, SI
	ADDQ $8, DI
	ADDQ $256, R8
	ADDQ $256, R9
	ADDQ $256, R10
	ADDQ $256, R15
	VPADDD Z28, Z29, Z29
	DECQ CX
	JZ done
	TESTQ $7, CX
	JNZ word
	JMP block

done:
	SUBQ probeBlock_rest(R13), R11
	SHRQ $2, R11
	MOVQ R11, ret+8(FP)
	VZEROUPPER
	RET

// func settleAVX512(scatter []uint32, seen, next []uint64, parent []uint32)
TEXT ·settleAVX512(SB), NOSPLIT, $0-96
	MOVQ scatter_base+0(FP), R8
	MOVQ seen_base+24(FP), SI
	MOVQ seen_len+32(FP), CX
	MOVQ next_base+48(FP), DI
	MOVQ parent_base+72(FP), R10
	VPTERNLOGD $0xff, Z31, Z31, Z31
	TESTQ CX, CX
	JZ done

word:
	VMOVDQU32 (R8), Z0
	VMOVDQU32 64(R8), Z1
	VMOVDQU32 128(R8), Z2
	VMOVDQU32 192(R8), Z3
	VPCMPUD $4, Z31, Z0, K1
	VPCMPUD $4, Z31, Z1, K2
	VPCMPUD $4, Z31, Z2, K3
	VPCMPUD $4, Z31, Z3, K4
	KUNPCKWD K1, K2, K1
	KUNPCKWD K3, K4, K3
	KUNPCKDQ K1, K3, K1
	KMOVQ K1, AX
	XORL DX, DX
	TESTQ AX, AX
	JZ store
	VMOVDQU32 Z31, (R8)
	VMOVDQU32 Z31, 64(R8)
	VMOVDQU32 Z31, 128(R8)
	VMOVDQU32 Z31, 192(R8)
	MOVQ (SI), BX
	MOVQ BX, DX
	NOTQ DX
	ANDQ AX, DX
	JZ store
	ORQ DX, BX
	MOVQ BX, (SI)
	KMOVQ DX, K1
	VMOVDQU32 Z0, K1, (R10)
	KSHIFTRQ $16, K1, K2
	VMOVDQU32 Z1, K2, 64(R10)
	KSHIFTRQ $32, K1, K3
	VMOVDQU32 Z2, K3, 128(R10)
	KSHIFTRQ $48, K1, K4
	VMOVDQU32 Z3, K4, 192(R10)
store:
	MOVQ DX, (DI)
	ADDQ $8, SI
	ADDQ $8, DI
	ADDQ $256, R8
	ADDQ $256, R10
	DECQ CX
	JNZ word

done:
	VZEROUPPER
	RET

// func scanAVX512(row []uint32, front []uint64) int
TEXT ·scanAVX512(SB), NOSPLIT, $0-56
	MOVQ row_base+0(FP), SI
	MOVQ row_len+8(FP), CX
	MOVQ front_base+24(FP), R12
	VPTERNLOGD $0xff, Z31, Z31, Z31
	VPSRLD $31, Z31, Z30
	XORL AX, AX
	KXNORW K1, K1, K1

full:
	MOVQ CX, BX
	SUBQ AX, BX
	CMPQ BX, $16
	JLT tail
	VMOVDQU32 (SI)(AX*4), Z0
	VPSRLD $5, Z0, Z1
	KMOVW K1, K3
	VPXORD Z2, Z2, Z2
	VPGATHERDD (R12)(Z1*4), K3, Z2
	VPRORVD Z0, Z2, Z2
	VPTESTMD Z30, Z2, K4
	KMOVW K4, DX
	TESTL DX, DX
	JNZ hit
	ADDQ $16, AX
	JMP full

tail:
	TESTQ BX, BX
	JZ none
	MOVL $1, DX
	MOVQ BX, CX
	SHLL CX, DX
	DECL DX
	KMOVW DX, K1
	VMOVDQU32.Z (SI)(AX*4), K1, Z0
	VPSRLD $5, Z0, Z1
	KMOVW K1, K3
	VPXORD Z2, Z2, Z2
	VPGATHERDD (R12)(Z1*4), K3, Z2
	VPRORVD Z0, Z2, Z2
	VPTESTMD Z30, Z2, K1, K4
	KMOVW K4, DX
	TESTL DX, DX
	JNZ hit
none:
	MOVQ row_len+8(FP), AX
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET
hit:
	TZCNTL DX, DX
	ADDQ DX, AX
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET

// LANES256 spreads the byte in BX over the lanes of mask.
#define LANES256(mask) \
	VMOVQ        BX, X1        \
	VPBROADCASTD X1, mask      \
	VPAND        Y14, mask, mask \
	VPCMPEQD     Y14, mask, mask

// BIT64 shifts AX left by one and into it the frontier's bit of the first neighbour
// of vertex i of the word.
#define BIT64(i) \
	MOVL (4*(i))(R8), DX     \
	MOVL DX, BX              \
	SHRL $5, BX              \
	MOVL (R12)(BX*4), BX     \
	BTL  DX, BX              \
	ADCQ AX, AX

#define BITS8(i) \
	BIT64(i+7) \
	BIT64(i+6) \
	BIT64(i+5) \
	BIT64(i+4) \
	BIT64(i+3) \
	BIT64(i+2) \
	BIT64(i+1) \
	BIT64(i)

// COPY256 gives those of the word's vertices i … i+7 that are in CX the ids of their
// first neighbours as parents; R14 is the word's part of those ids.
#define COPY256(i) \
	MOVQ      CX, BX                  \
	SHRQ      $(i), BX                \
	ANDL      $0xff, BX               \
	LANES256(Y5)                      \
	VMOVDQU   (4*(i))(R14), Y0        \
	VMOVDQU   (4*(i))(R10), Y1        \
	VPBLENDVB Y5, Y0, Y1, Y1          \
	VMOVDQU   Y1, (4*(i))(R10)

// func probeAVX2(b *probeBlock, words int) int
//
// Gathers and masked stores are slow on many processors that have no more than AVX2,
// and branches on what a vertex finds are mispredicted. So all first neighbours of a
// word are tested without a branch, bit by bit, and all of its unvisited vertices get
// them as parents: the parent of a vertex that stays unvisited means nothing. Those
// that missed are then walked, again without a branch on the outcome.
//
// It probes two columns of the first words of b, and lists in rest, long or not, what
// it has not found.
TEXT ·probeAVX2(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), R13
	MOVQ probeBlock_seen(R13), SI
	MOVQ probeBlock_next(R13), DI
	MOVQ probeBlock_near(R13), R8
	MOVQ (probeBlock_near+24)(R13), R9
	MOVQ probeBlock_parent(R13), R10
	MOVQ probeBlock_rest(R13), R11
	MOVQ probeBlock_front(R13), R12
	VMOVDQU lanebit<>(SB), Y14
	XORL R13, R13 // number of the word's first vertex
	MOVQ words+8(FP), R14
	TESTQ R14, R14
	JZ done

word:
	MOVQ (SI), CX
	NOTQ CX        // the unvisited
	XORL R15, R15  // the hits
	TESTQ CX, CX
	JZ store
	POPCNTQ CX, BX
	CMPQ BX, $16
	JLT sparse
	BITS8(56)
	BITS8(48)
	BITS8(40)
	BITS8(32)
	BITS8(24)
	BITS8(16)
	BITS8(8)
	BITS8(0)
	MOVQ b+0(FP), R14
	MOVQ probeBlock_nearID(R14), R14
	LEAQ (R14)(R13*4), R14
	COPY256(0)
	COPY256(8)
	COPY256(16)
	COPY256(24)
	COPY256(32)
	COPY256(40)
	COPY256(48)
	COPY256(56)
	ANDQ CX, AX
	MOVQ AX, R15
	XORQ AX, CX    // the misses
	JZ store
	MOVQ b+0(FP), R8
	MOVQ (probeBlock_nearID+24)(R8), R8
	LEAQ (R8)(R13*4), R8 // ids of second neighbours

second:
	TZCNTQ CX, AX
	MOVL (R8)(AX*4), BX
	MOVL BX, (R10)(AX*4)
	MOVL (R9)(AX*4), DX
	MOVL DX, BX
	SHRL $5, BX
	MOVL (R12)(BX*4), BX
	LEAL (R13)(AX*1), R14
	MOVL R14, (R11)
	BTL DX, BX
	SBBQ BX, BX               // all ones for a hit
	LEAQ 4(R11)(BX*4), R11    // a miss stays in rest
	LEAQ -1(CX), DX
	MOVQ CX, AX
	ANDQ DX, CX               // without its lowest bit
	XORQ CX, AX               // that bit
	ANDQ BX, AX
	ORQ AX, R15
	TESTQ CX, CX
	JNZ second
	JMP store

sparse:
	TZCNTQ CX, AX
	MOVQ b+0(FP), R14
	MOVQ probeBlock_nearID(R14), R14
	MOVL (R8)(AX*4), DX
	MOVL DX, BX
	SHRL $5, BX
	MOVL (R12)(BX*4), BX
	BTL DX, BX
	JCS hit
	MOVQ b+0(FP), R14
	MOVQ (probeBlock_nearID+24)(R14), R14
	MOVL (R9)(AX*4), DX
	MOVL DX, BX
	SHRL $5, BX
	MOVL (R12)(BX*4), BX
	BTL DX, BX
	JCS hit
	LEAL (R13)(AX*1), BX
	MOVL BX, (R11)
	ADDQ $4, R11
	JMP more
hit:
	LEAQ (R13)(AX*1), BX
	MOVL (R14)(BX*4), DX
	MOVL DX, (R10)(AX*4)
	BTSQ AX, R15
more:
	LEAQ -1(CX), DX
	ANDQ DX, CX
	JNZ sparse

store:
	MOVQ R15, (DI)
	ORQ R15, (SI)
	ADDQ $8, SI
	ADDQ $8, DI
	ADDQ $64, R13
	MOVQ b+0(FP), R14
	MOVQ probeBlock_near(R14), R8
	LEAQ (R8)(R13*4), R8
	ADDQ $256, R9
	ADDQ $256, R10
	DECQ words+8(FP)
	JNZ word

done:
	MOVQ b+0(FP), R14
	SUBQ probeBlock_rest(R14), R11
	SHRQ $2, R11
	MOVQ R11, ret+16(FP)
	VZEROUPPER
	RET

// SETTLE256 takes 8 vertices of the word, number g of eight, whose scatter entries
// are set where AX has a bit, and stores those of DX's bits.
#define SETTLE256(g, skip) \
	MOVQ       DX, BX                 \
	SHRQ       $(8*g), BX             \
	ANDL       $0xff, BX              \
	JZ         skip                   \
	LANES256(Y5)                      \
	VMOVDQU    (32*g)(R8), Y0         \
	VPMASKMOVD Y0, Y5, (32*g)(R10)

// SET256 adds to AX which of the scatter entries of group g are set.
#define SET256(g) \
	VPCMPEQD  (32*g)(R8), Y15, Y0    \
	VMOVMSKPS Y0, BX                 \
	XORL      $0xff, BX              \
	SHLQ      $(8*g), BX             \
	ORQ       BX, AX

// func settleAVX2(scatter []uint32, seen, next []uint64, parent []uint32)
TEXT ·settleAVX2(SB), NOSPLIT, $0-96
	MOVQ scatter_base+0(FP), R8
	MOVQ seen_base+24(FP), SI
	MOVQ seen_len+32(FP), CX
	MOVQ next_base+48(FP), DI
	MOVQ parent_base+72(FP), R10
	VPCMPEQD Y15, Y15, Y15
	VMOVDQU lanebit<>(SB), Y14
	TESTQ CX, CX
	JZ done

word:
	XORL AX, AX
	SET256(0)
	SET256(1)
	SET256(2)
	SET256(3)
	SET256(4)
	SET256(5)
	SET256(6)
	SET256(7)
	XORL DX, DX
	TESTQ AX, AX
	JZ store
	MOVQ (SI), DX
	NOTQ DX
	ANDQ AX, DX
	ORQ DX, (SI)
	SETTLE256(0, s1)
s1:
	SETTLE256(1, s2)
s2:
	SETTLE256(2, s3)
s3:
	SETTLE256(3, s4)
s4:
	SETTLE256(4, s5)
s5:
	SETTLE256(5, s6)
s6:
	SETTLE256(6, s7)
s7:
	SETTLE256(7, clear)
clear:
	VMOVDQU Y15, (R8)
	VMOVDQU Y15, 32(R8)
	VMOVDQU Y15, 64(R8)
	VMOVDQU Y15, 96(R8)
	VMOVDQU Y15, 128(R8)
	VMOVDQU Y15, 160(R8)
	VMOVDQU Y15, 192(R8)
	VMOVDQU Y15, 224(R8)
store:
	MOVQ DX, (DI)
	ADDQ $8, SI
	ADDQ $8, DI
	ADDQ $256, R8
	ADDQ $256, R10
	DECQ CX
	JNZ word

done:
	VZEROUPPER
	RET

// func byVertexAVX512(out, rankOf, parent []uint32)
TEXT ·byVertexAVX512(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ rankOf_base+24(FP), R8
	MOVQ rankOf_len+32(FP), CX
	MOVQ parent_base+48(FP), R9
	VPTERNLOGD $0xff, Z31, Z31, Z31

full:
	SUBQ $16, CX
	JLT tail
	VMOVDQU32 (R8), Z0
	VPCMPUD $4, Z31, Z0, K1
	KMOVW K1, K2
	VPXORD Z1, Z1, Z1
	VPGATHERDD (R9)(Z0*4), K1, Z1
	VMOVDQU32 Z1, K2, (DI)
	ADDQ $64, R8
	ADDQ $64, DI
	JMP full

tail:
	ADDQ $16, CX
	JZ done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K3
	VMOVDQU32.Z (R8), K3, Z0
	VPCMPUD $4, Z31, Z0, K3, K1
	KMOVW K1, K2
	VPXORD Z1, Z1, Z1
	VPGATHERDD (R9)(Z0*4), K1, Z1
	VMOVDQU32 Z1, K2, (DI)

done:
	VZEROUPPER
	RET

// func byVertexAVX2(out, rankOf, parent []uint32)
//
// The number of vertices is a multiple of 8.
TEXT ·byVertexAVX2(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ rankOf_base+24(FP), R8
	MOVQ rankOf_len+32(FP), CX
	MOVQ parent_base+48(FP), R9
	VPCMPEQD Y15, Y15, Y15
	SHRQ $3, CX
	JZ done

vertices:
	VMOVDQU (R8), Y0
	VPCMPEQD Y15, Y0, Y1
	VPXOR Y15, Y1, Y1
	VMOVDQA Y1, Y2
	VPXOR Y3, Y3, Y3
	VPGATHERDD Y1, (R9)(Y0*4), Y3
	VPMASKMOVD Y3, Y2, (DI)
	ADDQ $32, R8
	ADDQ $32, DI
	DECQ CX
	JNZ vertices

done:
	VZEROUPPER
	RET

// func prefetchAsm(rows, offsets, neighbours []uint32)
TEXT ·prefetchAsm(SB), NOSPLIT, $0-72
	MOVQ rows_base+0(FP), SI
	MOVQ rows_len+8(FP), CX
	MOVQ offsets_base+24(FP), R8
	MOVQ neighbours_base+48(FP), R9
	TESTQ CX, CX
	JZ done
next:
	MOVL (SI), AX
	MOVL (R8)(AX*4), BX
	PREFETCHT0 (R9)(BX*4)
	PREFETCHT0 64(R9)(BX*4)
	ADDQ $4, SI
	DECQ CX
	JNZ next
done:
	RET

// func spreadAsm(row []uint32, u uint32, scatter, ahead []uint32)
TEXT ·spreadAsm(SB), NOSPLIT, $0-80
	MOVQ row_base+0(FP), SI
	MOVQ row_len+8(FP), CX
	MOVL u+24(FP), DX
	MOVQ scatter_base+32(FP), DI
	MOVQ ahead_base+56(FP), R9
	MOVQ ahead_len+64(FP), R10
	TESTQ R10, R10
	JZ write
ask:
	MOVL (R9), AX
	BYTE $0x0f; BYTE $0x0d; BYTE $0x0c; BYTE $0x87 // PREFETCHW (DI)(AX*4)
	ADDQ $4, R9
	DECQ R10
	JNZ ask
write:
	TESTQ CX, CX
	JZ done
store:
	MOVL (SI), AX
	MOVL DX, (DI)(AX*4)
	ADDQ $4, SI
	DECQ CX
	JNZ store
done:
	RET
