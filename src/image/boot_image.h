/* boot_image.h - finds the packed kernel inside a Linux boot image of x86 machines (bzImage,
 * vmlinuz).
 *
 * The packed kernel follows the code that unpacks it. Specification: "The Linux/x86 Boot Protocol"
 * (Linux, Documentation/arch/x86/boot.rst). Thread-safe. */
#ifndef HEFT_IMAGE_BOOT_IMAGE_H
#define HEFT_IMAGE_BOOT_IMAGE_H

#include "base/reader.h"

/* Finds the packed kernel in the boot image `b`. False if `b` is no boot image, or if its boot
 * protocol is older than 2.08. *ret_kernel lies inside of `b`. */
bool boot_image_kernel(struct bytes b, struct bytes *ret_kernel);

#endif
