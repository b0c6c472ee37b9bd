/* arm_attributes.h - for which processors code of ARM was made: "Addenda to, and Errata in, the ABI
 * for the Arm Architecture", 3: build attributes. */
#ifndef HEFT_IMAGE_ARM_ATTRIBUTES_H
#define HEFT_IMAGE_ARM_ATTRIBUTES_H

#include "image/image.h"

/* Whether .ARM.attributes says that the code is of the Thumb set alone: it is for a processor of
 * the M profile, or uses no instructions of the other set. */
bool arm_thumb_alone(const struct image *im);

#endif
