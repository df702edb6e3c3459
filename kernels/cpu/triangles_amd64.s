//go:build amd64 && !noasm

#include "textflag.h"

// COUNT512 counts the entries in Z0 of the lanes in mask, and adds 1 to their hits. SI is list, DI hits, R12 row;
// Z30 is 1 in each lane. DX is the sum.
#define COUNT512(mask) \
	VPSRLD      $5, Z0, Z1          \
	KMOVW       mask, K2            \
	VPXORD      Z2, Z2, Z2          \
	VPGATHERDD  (R12)(Z1*4), K2, Z2 \
	VPRORVD     Z0, Z2, Z2          \
	VPTESTMD    Z30, Z2, mask, K3   \
	VMOVDQU32.Z (DI), K3, Z3        \
	VPADDD      Z30, Z3, Z3         \
	VMOVDQU32   Z3, K3, (DI)        \
	KMOVW       K3, AX              \
	POPCNTL     AX, AX              \
	ADDL        AX, DX

// func countBitsAVX512(row, list, hits []uint32) uint32
TEXT ·countBitsAVX512(SB), NOSPLIT, $0-76
	MOVQ row_base+0(FP), R12
	MOVQ list_base+24(FP), SI
	MOVQ list_len+32(FP), CX
	MOVQ hits_base+48(FP), DI
	XORL DX, DX
	MOVL $1, AX
	VPBROADCASTD AX, Z30
	KXNORW K1, K1, K1
	SUBQ $16, CX
	JL   tail

next:
	VMOVDQU32 (SI), Z0
	COUNT512(K1)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JGE  next

tail:
	ADDQ $16, CX
	JZ   done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
	VMOVDQU32.Z (SI), K1, Z0
	COUNT512(K1)

done:
	MOVL DX, ret+72(FP)
	VZEROUPPER
	RET
