/* boot_image.h - a Linux kernel as x86 machines boot it (bzImage, vmlinuz): packed, behind the code
 * that unpacks it.
 *
 * Specification: "The Linux/x86 Boot Protocol" (Linux, Documentation/arch/x86/boot.rst).
 * Thread-safe. */
#ifndef HEFT_IMAGE_BOOT_IMAGE_H
#define HEFT_IMAGE_BOOT_IMAGE_H

#include "base/reader.h"

/* Whether bytes are such an image that says where the kernel is, of protocol 2.08 or later;
 * *ret_kernel is then the packed kernel, inside of `b`. */
bool boot_image_kernel(struct bytes b, struct bytes *ret_kernel);

#endif
