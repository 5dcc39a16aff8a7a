/*-------------------------------------------------------------------------
 *
 * digits.c
 *		Proof of permute(), for numbers of DIGITS digits.
 *
 * The changes of the halves are any function of key, step and half.  So
 * nothing depends on the hash.  A proof with STEPS steps is one for any
 * number of steps: each step of the inverse undoes one.
 *
 *-------------------------------------------------------------------------
 */
#include "prove.h"

#include "../../src/digits.c"

#define MASK	((UINT64CONST(1) << (4 * DIGITS)) - 1)

extern uint64 __CPROVER_uninterpreted_change(uint64 key, int step, uint64 half);

/*
 * Calls of half_change() come here.  A change only matters modulo 2^n and 5^n,
 * that is modulo 10^n, and all numbers below 10^n are below 16^n.
 */
uint64
any_change(const digit_permutation *p, int step, uint64 half)
{
	return __CPROVER_uninterpreted_change(p->key, step, half) & MASK;
}

void
inverse(void)
{
	digit_permutation p = {DIGITS, 1, nondet_uint64()};
	uint64		value = nondet_uint64() & MASK;
	uint64		permuted;

	for (int i = 0; i < DIGITS; i++)
		p.limit *= 10;
	assume(value < p.limit);
	permuted = permute(&p, value, false);
	prove(permuted < p.limit);
	prove(permute(&p, permuted, true) == value);
}
