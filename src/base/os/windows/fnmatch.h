/* fnmatch.h - for mingw-w64, which lacks fnmatch(). missing.h declares the function. */
#ifndef HEFT_WINDOWS_FNMATCH_H
#define HEFT_WINDOWS_FNMATCH_H

#include "base/os/missing.h"

#endif
