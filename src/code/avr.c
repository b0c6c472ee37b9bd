/* Decodes lengths and branches of AVR instructions. */
#include "code/avr.h"

static void decode_plain(uint32_t w, struct flow *ret)
{
	switch (w) {
	case 0x0000: ret->kind = FLOW_NOP; break;
	case 0x9409:                                        /* ijmp */
	case 0x9419: ret->kind = FLOW_JUMP_INDIRECT; break; /* eijmp */
	case 0x9509:                                        /* icall */
	case 0x9519: ret->kind = FLOW_CALL; break;          /* eicall */
	case 0x9508:                                        /* ret */
	case 0x9518:                                        /* reti */
		ret->kind = FLOW_RETURN;
		ret->handler = w == 0x9518;
		break;
	case 0x9598: ret->kind = FLOW_TRAP; break; /* break */
	default: break;
	}
}

bool avr_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 2 };
	if (left < 2)
		return false;
	const uint32_t w = load_le16(p);
	ret->size = (uint8_t)avr_size(w);
	if (ret->size > left)
		return false;
	if ((w & 0xfe0c) == 0x940c) {
		ret->direct = w & 2;
		ret->kind = ret->direct ? FLOW_CALL : FLOW_JUMP;
		ret->target = 2 * ((uint64_t)(w >> 4 & 0x1f) << 17 | (uint64_t)(w & 1) << 16 |
				   load_le16(p + 2));
	} else if ((w & 0xe000) == 0xc000 || (w & 0xf800) == 0xf000) {
		const bool conditional = (w & 0xf800) == 0xf000; /* brbs, brbc */
		const uint64_t words = conditional ? sign_extend(w >> 3 & 0x7f, 7)
						   : sign_extend(w & 0xfff, 12);
		ret->kind = conditional              ? FLOW_CONDITIONAL
			    : (w & 0xf000) == 0xd000 ? FLOW_CALL
						     : FLOW_JUMP;
		ret->direct = ret->kind == FLOW_CALL;
		ret->target = code_target32(addr, addr + 2 + 2 * words);
	} else if ((w & 0xfc00) == 0x1000 || (w & 0xfc08) == 0xfc00 || (w & 0xfd00) == 0x9900) {
		/* cpse, sbrc and sbrs, sbic and sbis */
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + 2 + (left >= 4 ? avr_size(load_le16(p + 2)) : 2);
	} else {
		decode_plain(w, ret);
	}
	ASSERT(ret->size == 2 || ret->size == 4);
	return true;
}
