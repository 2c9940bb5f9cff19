// The reduction kernels of one element type and group for the CPU; see lib/src/reduce/CMakeLists.txt for what is
// defined.
#include "reduce/cuda/kernels.cu"
