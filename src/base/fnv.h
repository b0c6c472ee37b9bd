/* fnv.h - computes 64-bit FNV-1a hashes for files: they are equal in every version of heft. map.h
 * has faster hashes for tables in memory.
 *
 * Specification: draft-eastlake-fnv. Thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Adds bytes to a hash, and returns it. The first call passes FNV_START. */
static inline uint64_t fnv_add(uint64_t hash, const void *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)p)[i]) * FNV_PRIME;
	return hash;
}
