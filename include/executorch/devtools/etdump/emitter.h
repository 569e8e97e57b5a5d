// Here for code that includes it: how a dump is written to memory is not part
// of the interface of ETDumpGen.
#pragma once

#include <executorch/devtools/etdump/etdump_flatcc.h>
