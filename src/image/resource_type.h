/* resource_type.h - names the types of resources. Windows and Free Pascal use the same numbers. */
#pragma once

#include <stdint.h>

/* Returns the name of a resource type, or NULL. Defined in pe/pe_resources.c. */
const char *resource_type_name(uint64_t type);
