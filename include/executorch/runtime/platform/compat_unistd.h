// open, read, close, pread and their like.
#pragma once

#include <unistd.h>
