/* ghc_image.h - finds the info tables of GHC's runtime (runtime/ghc_tables.h) in an image. */
#pragma once

#include "image/image.h"
#include "runtime/ghc_tables.h"

/* Finds the tables of a linked image. The list is empty if GHC did not make it. Release *ret. */
void ghc_image_tables(const struct image *im, struct ghc_tables *ret);
