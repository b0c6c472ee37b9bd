/* fnmatch.h - for mingw-w64, which has no fnmatch(). missing.h declares it. */
#ifndef HEFT_WINDOWS_FNMATCH_H
#define HEFT_WINDOWS_FNMATCH_H

#include "base/os/missing.h"

#endif
