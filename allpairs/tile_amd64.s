//go:build amd64 && !noasm

// The tile kernels of tile.go for AVX-512 and AVX2, and their register-only form, for three types. A tile has
// 64 rows of 64 values. A call takes some tens of microseconds at most: assembly cannot be preempted.
//
// SI is A, DX is B, DI is C, BX is the tile to prefetch into L2, R11 is the number of terms or turns.

#include "textflag.h"

#define LOAD \
	MOVQ op+0(FP), AX     \
	MOVQ terms+8(FP), R11 \
	MOVQ c+16(FP), DI     \
	MOVQ a+24(FP), SI     \
	MOVQ b+32(FP), DX     \
	MOVQ next+40(FP), BX

// LANES4 combines one entry of A with four vectors of a row of B into four accumulators.
#define LANES4(ADD, MIN, at, c0, c1, c2, c3) \
	ADD at, Z0, Z4  \
	ADD at, Z1, Z5  \
	ADD at, Z2, Z6  \
	ADD at, Z3, Z7  \
	MIN Z4, c0, c0  \
	MIN Z5, c1, c1  \
	MIN Z6, c2, c2  \
	MIN Z7, c3, c3

#define MOVE4(row, c0, c1, c2, c3) \
	VMOVDQU64 (row*1)(DI), c0       \
	VMOVDQU64 (row*1+64)(DI), c1    \
	VMOVDQU64 (row*1+128)(DI), c2   \
	VMOVDQU64 (row*1+192)(DI), c3

#define STORE4(row, c0, c1, c2, c3) \
	VMOVDQU64 c0, (row*1)(DI)       \
	VMOVDQU64 c1, (row*1+64)(DI)    \
	VMOVDQU64 c2, (row*1+128)(DI)   \
	VMOVDQU64 c3, (row*1+192)(DI)

// FETCH prefetches four lines.
#define FETCH(at) \
	PREFETCHT1 (at)(BX)       \
	PREFETCHT1 (at+64)(BX)    \
	PREFETCHT1 (at+128)(BX)   \
	PREFETCHT1 (at+192)(BX)

// PRODUCT512 keeps 4 rows × 4 vectors of C in registers over all terms. R is the bytes of a row, W
// those of a value, PASSES the number of 256-byte column strips of a row; the first three are labels.
#define PRODUCT512(strip, rows, inner, ADD, MIN, R, W, PASSES) \
	MOVQ $PASSES, R12 \
strip: \
	MOVQ $16, R10     \
	MOVQ SI, R13      \
	MOVQ DI, R14      \
rows: \
	FETCH(0)          \
	FETCH(256)        \
	FETCH(512)        \
	FETCH(768)        \
	ADDQ $1024, BX    \
	MOVE4(0, Z8, Z9, Z10, Z11)       \
	MOVE4(R, Z12, Z13, Z14, Z15)     \
	MOVE4(2*R, Z16, Z17, Z18, Z19)   \
	MOVE4(3*R, Z20, Z21, Z22, Z23)   \
	MOVQ SI, R8       \
	MOVQ DX, R9       \
	MOVQ R11, CX      \
inner: \
	VMOVDQU64 (R9), Z0     \
	VMOVDQU64 64(R9), Z1   \
	VMOVDQU64 128(R9), Z2  \
	VMOVDQU64 192(R9), Z3  \
	LANES4(ADD, MIN, (R8), Z8, Z9, Z10, Z11)           \
	LANES4(ADD, MIN, (R*1)(R8), Z12, Z13, Z14, Z15)    \
	LANES4(ADD, MIN, (2*R)(R8), Z16, Z17, Z18, Z19)    \
	LANES4(ADD, MIN, (3*R)(R8), Z20, Z21, Z22, Z23)    \
	ADDQ $W, R8       \
	ADDQ $R, R9       \
	DECQ CX           \
	JNZ  inner        \
	STORE4(0, Z8, Z9, Z10, Z11)      \
	STORE4(R, Z12, Z13, Z14, Z15)    \
	STORE4(2*R, Z16, Z17, Z18, Z19)  \
	STORE4(3*R, Z20, Z21, Z22, Z23)  \
	ADDQ $(4*R), SI   \
	ADDQ $(4*R), DI   \
	DECQ R10          \
	JNZ  rows         \
	MOVQ R13, SI      \
	MOVQ R14, DI      \
	ADDQ $256, DI     \
	ADDQ $256, DX     \
	DECQ R12          \
	JNZ  strip        \
	VZEROUPPER        \
	RET

// PAIR256 combines one broadcast entry of A with two vectors of a row of B.
#define PAIR256(BC, ADD, MIN, at, c0, c1) \
	BC  at, Y2       \
	ADD Y0, Y2, Y3   \
	ADD Y1, Y2, Y4   \
	MIN Y3, c0, c0   \
	MIN Y4, c1, c1

// PRODUCT256 keeps 4 rows × 2 vectors of C in registers over all k.
#define PRODUCT256(strip, rows, inner, BC, ADD, MIN, R, W, PASSES) \
	MOVQ $PASSES, R12 \
strip: \
	MOVQ $16, R10     \
	MOVQ SI, R13      \
	MOVQ DI, R14      \
rows: \
	FETCH(0)          \
	ADDQ $256, BX     \
	VMOVDQU (DI), Y8             \
	VMOVDQU 32(DI), Y9           \
	VMOVDQU (R*1)(DI), Y10       \
	VMOVDQU (R*1+32)(DI), Y11    \
	VMOVDQU (2*R)(DI), Y12       \
	VMOVDQU (2*R+32)(DI), Y13    \
	VMOVDQU (3*R)(DI), Y14       \
	VMOVDQU (3*R+32)(DI), Y15    \
	MOVQ SI, R8       \
	MOVQ DX, R9       \
	MOVQ R11, CX      \
inner: \
	VMOVDQU (R9), Y0     \
	VMOVDQU 32(R9), Y1   \
	PAIR256(BC, ADD, MIN, (R8), Y8, Y9)           \
	PAIR256(BC, ADD, MIN, (R*1)(R8), Y10, Y11)    \
	PAIR256(BC, ADD, MIN, (2*R)(R8), Y12, Y13)    \
	PAIR256(BC, ADD, MIN, (3*R)(R8), Y14, Y15)    \
	ADDQ $W, R8       \
	ADDQ $R, R9       \
	DECQ CX           \
	JNZ  inner        \
	VMOVDQU Y8, (DI)             \
	VMOVDQU Y9, 32(DI)           \
	VMOVDQU Y10, (R*1)(DI)       \
	VMOVDQU Y11, (R*1+32)(DI)    \
	VMOVDQU Y12, (2*R)(DI)       \
	VMOVDQU Y13, (2*R+32)(DI)    \
	VMOVDQU Y14, (3*R)(DI)       \
	VMOVDQU Y15, (3*R+32)(DI)    \
	ADDQ $(4*R), SI   \
	ADDQ $(4*R), DI   \
	DECQ R10          \
	JNZ  rows         \
	MOVQ R13, SI      \
	MOVQ R14, DI      \
	ADDQ $64, DI      \
	ADDQ $64, DX      \
	DECQ R12          \
	JNZ  strip        \
	VZEROUPPER        \
	RET

// RATE runs additions and minima in registers alone, 32 of each a turn over 16 accumulators.
#define TURN512(ADD, MIN) \
	ADD Z0, Z1, Z4  \
	ADD Z0, Z2, Z5  \
	ADD Z0, Z3, Z6  \
	ADD Z1, Z2, Z7  \
	MIN Z4, Z8, Z8 \
	MIN Z5, Z9, Z9 \
	MIN Z6, Z10, Z10 \
	MIN Z7, Z11, Z11 \
	ADD Z0, Z1, Z4  \
	ADD Z0, Z2, Z5  \
	ADD Z0, Z3, Z6  \
	ADD Z1, Z2, Z7  \
	MIN Z4, Z12, Z12 \
	MIN Z5, Z13, Z13 \
	MIN Z6, Z14, Z14 \
	MIN Z7, Z15, Z15 \
	ADD Z0, Z1, Z4  \
	ADD Z0, Z2, Z5  \
	ADD Z0, Z3, Z6  \
	ADD Z1, Z2, Z7  \
	MIN Z4, Z16, Z16 \
	MIN Z5, Z17, Z17 \
	MIN Z6, Z18, Z18 \
	MIN Z7, Z19, Z19 \
	ADD Z0, Z1, Z4  \
	ADD Z0, Z2, Z5  \
	ADD Z0, Z3, Z6  \
	ADD Z1, Z2, Z7  \
	MIN Z4, Z20, Z20 \
	MIN Z5, Z21, Z21 \
	MIN Z6, Z22, Z22 \
	MIN Z7, Z23, Z23

#define RATE512(turn, ADD, MIN) \
	turn: \
	TURN512(ADD, MIN) \
	DECQ R11   \
	JNZ  turn  \
	VZEROUPPER \
	RET

// RATE256 does 16 of each a turn, over 8 accumulators.
#define RATE256(turn, ADD, MIN) \
	turn: \
	ADD Y0, Y1, Y4  \
	ADD Y0, Y2, Y5  \
	ADD Y0, Y3, Y6  \
	ADD Y1, Y2, Y7  \
	MIN Y4, Y8, Y8 \
	MIN Y5, Y9, Y9 \
	MIN Y6, Y10, Y10 \
	MIN Y7, Y11, Y11 \
	ADD Y0, Y1, Y4  \
	ADD Y0, Y2, Y5  \
	ADD Y0, Y3, Y6  \
	ADD Y1, Y2, Y7  \
	MIN Y4, Y12, Y12 \
	MIN Y5, Y13, Y13 \
	MIN Y6, Y14, Y14 \
	MIN Y7, Y15, Y15 \
	DECQ R11   \
	JNZ  turn  \
	VZEROUPPER \
	RET

// func tileAVX512(op, terms int, c, a, b, next unsafe.Pointer)
TEXT ·tileAVX512(SB), NOSPLIT, $0-48
	LOAD
	CMPQ AX, $0
	JEQ  productF32
	CMPQ AX, $1
	JEQ  widestF32
	CMPQ AX, $2
	JEQ  rateF32
	CMPQ AX, $3
	JEQ  productI32
	CMPQ AX, $4
	JEQ  widestI32
	CMPQ AX, $5
	JEQ  rateI32
	CMPQ AX, $6
	JEQ  productF64
	CMPQ AX, $7
	JEQ  widestF64
	RATE512(rateF64Turn, VADDPD, VMINPD)
productF32:
	PRODUCT512(productF32Strip, productF32Rows, productF32Inner, VADDPS.BCST, VMINPS, 256, 4, 1)
widestF32:
	PRODUCT512(widestF32Strip, widestF32Rows, widestF32Inner, VMINPS.BCST, VMAXPS, 256, 4, 1)
rateF32:
	RATE512(rateF32Turn, VADDPS, VMINPS)
productI32:
	PRODUCT512(productI32Strip, productI32Rows, productI32Inner, VPADDD.BCST, VPMINSD, 256, 4, 1)
widestI32:
	PRODUCT512(widestI32Strip, widestI32Rows, widestI32Inner, VPMINSD.BCST, VPMAXSD, 256, 4, 1)
rateI32:
	RATE512(rateI32Turn, VPADDD, VPMINSD)
productF64:
	PRODUCT512(productF64Strip, productF64Rows, productF64Inner, VADDPD.BCST, VMINPD, 512, 8, 2)
widestF64:
	PRODUCT512(widestF64Strip, widestF64Rows, widestF64Inner, VMINPD.BCST, VMAXPD, 512, 8, 2)

// func tileAVX2(op, terms int, c, a, b, next unsafe.Pointer)
TEXT ·tileAVX2(SB), NOSPLIT, $0-48
	LOAD
	CMPQ AX, $0
	JEQ  productF32
	CMPQ AX, $1
	JEQ  widestF32
	CMPQ AX, $2
	JEQ  rateF32
	CMPQ AX, $3
	JEQ  productI32
	CMPQ AX, $4
	JEQ  widestI32
	CMPQ AX, $5
	JEQ  rateI32
	CMPQ AX, $6
	JEQ  productF64
	CMPQ AX, $7
	JEQ  widestF64
	RATE256(rateF64Turn, VADDPD, VMINPD)
productF32:
	PRODUCT256(productF32Strip, productF32Rows, productF32Inner, VBROADCASTSS, VADDPS, VMINPS, 256, 4, 4)
widestF32:
	PRODUCT256(widestF32Strip, widestF32Rows, widestF32Inner, VBROADCASTSS, VMINPS, VMAXPS, 256, 4, 4)
rateF32:
	RATE256(rateF32Turn, VADDPS, VMINPS)
productI32:
	PRODUCT256(productI32Strip, productI32Rows, productI32Inner, VPBROADCASTD, VPADDD, VPMINSD, 256, 4, 4)
widestI32:
	PRODUCT256(widestI32Strip, widestI32Rows, widestI32Inner, VPBROADCASTD, VPMINSD, VPMAXSD, 256, 4, 4)
rateI32:
	RATE256(rateI32Turn, VPADDD, VPMINSD)
productF64:
	PRODUCT256(productF64Strip, productF64Rows, productF64Inner, VBROADCASTSD, VADDPD, VMINPD, 512, 8, 8)
widestF64:
	PRODUCT256(widestF64Strip, widestF64Rows, widestF64Inner, VBROADCASTSD, VMINPD, VMAXPD, 512, 8, 8)
