#pragma once
// expat.h declares the limits on entity expansion only where the library is known to read DTDs, as Debian's does.
#define XML_DTD 1
#include <expat.h>
