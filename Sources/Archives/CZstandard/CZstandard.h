// libzstd, as the system has it.

#include <zstd.h>
