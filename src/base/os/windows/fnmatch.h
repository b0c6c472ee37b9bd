/* fnmatch.h - mingw-w64 has none; missing.h declares the function. */
#ifndef HEFT_WINDOWS_FNMATCH_H
#define HEFT_WINDOWS_FNMATCH_H

#include "base/os/missing.h"

#endif
