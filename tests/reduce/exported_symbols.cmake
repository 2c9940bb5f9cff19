# Usage: cmake -DNM=<nm> -DLEVEL=<level> -DOBJECTS=<object files> -P exported_symbols.cmake
# Kernels of one x86-64 level may define one symbol for the linker, named after the level: a second copy of an inline
# function, compiled for a newer processor, could be the one that everyone gets.
execute_process(COMMAND ${NM} --defined-only --extern-only ${OBJECTS} OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} failed on ${OBJECTS}")
endif()
string(REGEX MATCHALL "[0-9a-fA-F]+ [A-Za-z] [^\n]+" symbols "${listing}")
list(LENGTH symbols count)
if(NOT count EQUAL 1 OR NOT symbols MATCHES " T steadfold_tile_kernels_${LEVEL}$")
  list(JOIN symbols "\n  " text)
  message(FATAL_ERROR "the tile kernels of level ${LEVEL} export ${count} symbols, not just their table:\n  ${text}")
endif()
