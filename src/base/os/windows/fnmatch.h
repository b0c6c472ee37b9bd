/* fnmatch.h - for mingw-w64, which lacks fnmatch(). missing.h declares the function. */
#pragma once

#include "base/os/missing.h"
