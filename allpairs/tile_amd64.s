//go:build amd64 && !noasm

// The tile kernels of tile.go for AVX-512 and AVX2: product and step, and their register-only
// form, for three types. A tile has 64 rows of 64 values. A call takes some tens of microseconds at most:
// assembly cannot be preempted.
//
// SI is A, DX is B, DI is C.

#include "textflag.h"

#define LOAD3 \
	MOVQ c+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DX

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

// PRODUCT512 keeps 4 rows × 4 vectors of C in registers over all k. R is the bytes of a row, W
// those of a value, PASSES the number of 256-byte column strips of a row.
#define PRODUCT512(ADD, MIN, R, W, PASSES) \
	MOVQ $PASSES, R12 \
strip: \
	MOVQ $16, R10     \
	MOVQ SI, R13      \
	MOVQ DI, R14      \
rows: \
	MOVE4(0, Z8, Z9, Z10, Z11)       \
	MOVE4(R, Z12, Z13, Z14, Z15)     \
	MOVE4(2*R, Z16, Z17, Z18, Z19)   \
	MOVE4(3*R, Z20, Z21, Z22, Z23)   \
	MOVQ SI, R8       \
	MOVQ DX, R9       \
	MOVQ $64, CX      \
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
#define PRODUCT256(BC, ADD, MIN, R, W, PASSES) \
	MOVQ $PASSES, R12 \
strip: \
	MOVQ $16, R10     \
	MOVQ SI, R13      \
	MOVQ DI, R14      \
rows: \
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
	MOVQ $64, CX      \
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

// STEP combines a column of A, from SI on, with a row of B, DX, into every row of C; it loads the
// row's vectors for a strip of 128 bytes once. R and W are as above.
#define STEP(BC, ADD, MIN, R, PASSES) \
	MOVQ $PASSES, R12 \
strip: \
	VMOVDQU (DX), Y0     \
	VMOVDQU 32(DX), Y1   \
	VMOVDQU 64(DX), Y5   \
	VMOVDQU 96(DX), Y6   \
	MOVQ $64, CX      \
	MOVQ SI, R8       \
	MOVQ DI, R9       \
inner: \
	BC   (R8), Y2       \
	ADD  Y0, Y2, Y8     \
	ADD  Y1, Y2, Y9     \
	ADD  Y5, Y2, Y10    \
	ADD  Y6, Y2, Y11    \
	MIN  (R9), Y8, Y8      \
	MIN  32(R9), Y9, Y9    \
	MIN  64(R9), Y10, Y10  \
	MIN  96(R9), Y11, Y11  \
	VMOVDQU Y8, (R9)     \
	VMOVDQU Y9, 32(R9)   \
	VMOVDQU Y10, 64(R9)  \
	VMOVDQU Y11, 96(R9)  \
	ADDQ $R, R8       \
	ADDQ $R, R9       \
	DECQ CX           \
	JNZ  inner        \
	ADDQ $128, DI     \
	ADDQ $128, DX     \
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

#define RATE512(ADD, MIN) \
	turn: \
	TURN512(ADD, MIN) \
	DECQ CX    \
	JNZ  turn  \
	VZEROUPPER \
	RET

// RATE256 does 16 of each a turn, over 8 accumulators.
#define RATE256(ADD, MIN) \
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
	DECQ CX    \
	JNZ  turn  \
	VZEROUPPER \
	RET

// func productF32AVX512(c, a, b *float32)
TEXT ·productF32AVX512(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT512(VADDPS.BCST, VMINPS, 256, 4, 1)

// func productI32AVX512(c, a, b *int32)
TEXT ·productI32AVX512(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT512(VPADDD.BCST, VPMINSD, 256, 4, 1)

// func productF64AVX512(c, a, b *float64)
TEXT ·productF64AVX512(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT512(VADDPD.BCST, VMINPD, 512, 8, 2)

// func widestF32AVX512(c, a, b *float32)
TEXT ·widestF32AVX512(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT512(VMINPS.BCST, VMAXPS, 256, 4, 1)

// func widestI32AVX512(c, a, b *int32)
TEXT ·widestI32AVX512(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT512(VPMINSD.BCST, VPMAXSD, 256, 4, 1)

// func widestF64AVX512(c, a, b *float64)
TEXT ·widestF64AVX512(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT512(VMINPD.BCST, VMAXPD, 512, 8, 2)

// func productF32AVX2(c, a, b *float32)
TEXT ·productF32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT256(VBROADCASTSS, VADDPS, VMINPS, 256, 4, 4)

// func productI32AVX2(c, a, b *int32)
TEXT ·productI32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT256(VPBROADCASTD, VPADDD, VPMINSD, 256, 4, 4)

// func productF64AVX2(c, a, b *float64)
TEXT ·productF64AVX2(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT256(VBROADCASTSD, VADDPD, VMINPD, 512, 8, 8)

// func widestF32AVX2(c, a, b *float32)
TEXT ·widestF32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT256(VBROADCASTSS, VMINPS, VMAXPS, 256, 4, 4)

// func widestI32AVX2(c, a, b *int32)
TEXT ·widestI32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT256(VPBROADCASTD, VPMINSD, VPMAXSD, 256, 4, 4)

// func widestF64AVX2(c, a, b *float64)
TEXT ·widestF64AVX2(SB), NOSPLIT, $0-24
	LOAD3
	PRODUCT256(VBROADCASTSD, VMINPD, VMAXPD, 512, 8, 8)

// func stepF32AVX2(c, a, b *float32)
TEXT ·stepF32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	STEP(VBROADCASTSS, VADDPS, VMINPS, 256, 2)

// func stepI32AVX2(c, a, b *int32)
TEXT ·stepI32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	STEP(VPBROADCASTD, VPADDD, VPMINSD, 256, 2)

// func stepF64AVX2(c, a, b *float64)
TEXT ·stepF64AVX2(SB), NOSPLIT, $0-24
	LOAD3
	STEP(VBROADCASTSD, VADDPD, VMINPD, 512, 4)

// func widenF32AVX2(c, a, b *float32)
TEXT ·widenF32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	STEP(VBROADCASTSS, VMINPS, VMAXPS, 256, 2)

// func widenI32AVX2(c, a, b *int32)
TEXT ·widenI32AVX2(SB), NOSPLIT, $0-24
	LOAD3
	STEP(VPBROADCASTD, VPMINSD, VPMAXSD, 256, 2)

// func widenF64AVX2(c, a, b *float64)
TEXT ·widenF64AVX2(SB), NOSPLIT, $0-24
	LOAD3
	STEP(VBROADCASTSD, VMINPD, VMAXPD, 512, 4)

// func rateF32AVX512(turns int)
TEXT ·rateF32AVX512(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), CX
	RATE512(VADDPS, VMINPS)

// func rateI32AVX512(turns int)
TEXT ·rateI32AVX512(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), CX
	RATE512(VPADDD, VPMINSD)

// func rateF64AVX512(turns int)
TEXT ·rateF64AVX512(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), CX
	RATE512(VADDPD, VMINPD)

// func rateF32AVX2(turns int)
TEXT ·rateF32AVX2(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), CX
	RATE256(VADDPS, VMINPS)

// func rateI32AVX2(turns int)
TEXT ·rateI32AVX2(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), CX
	RATE256(VPADDD, VPMINSD)

// func rateF64AVX2(turns int)
TEXT ·rateF64AVX2(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), CX
	RATE256(VADDPD, VMINPD)
