// Build switches of the public headers.
#pragma once

/// Names of enumerators are always compiled in; there is nothing to switch.
#ifndef ET_ENABLE_ENUM_STRINGS
#define ET_ENABLE_ENUM_STRINGS 1
#endif
