// libdeflate, as the system has it.

#include <libdeflate.h>
