/* resource_type.h - names the types of resources. Windows and Free Pascal use the same numbers. */
#ifndef HEFT_IMAGE_RESOURCE_TYPE_H
#define HEFT_IMAGE_RESOURCE_TYPE_H

#include <stdint.h>

/* Returns NULL for a number without a name. pe/pe_resources.c. */
const char *resource_type_name(uint64_t type);

#endif
