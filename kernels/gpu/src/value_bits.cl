/* value_bits.cl - functions of all value*.cl: largest values, sets. */

/* the largest values of package program's types */
#define U32_TOP 0xffffffffu
#define I32_TOP 0x7fffffff
#define U64_TOP (~(u64)0)
#define I64_TOP ((i64)(~(u64)0 >> 1))
#define F32_TOP AS_F32(0x7f800000u)
#define F64_TOP AS_F64((u64)0x7ff00000u << 32)

/* puts v into a set */
FN void join(GLB uint* set, uint v) {
  uint bit = 1u << (v & 31);
  if (!(LD(&set[v >> 5]) & bit)) A_OR(&set[v >> 5], bit);
}
