// The library's choice of kernels and arguments, for those on the CPU.
#include "reduce/cuda/find_kernel.cpp"
#include "reduce/cuda/launch_arguments.cpp"
