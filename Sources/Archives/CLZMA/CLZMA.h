// liblzma, as the system has it.

#include <lzma.h>
