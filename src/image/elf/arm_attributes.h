/* arm_attributes.h - reads the ARM processors for which code was built. "Addenda to, and Errata in,
 * the ABI for the Arm Architecture", 3: build attributes. */
#pragma once

#include "image/image.h"

/* True if .ARM.attributes shows that all code is Thumb: the processor has the M profile, or ARM
 * instructions are unused. */
bool arm_thumb_alone(const struct image *im);
