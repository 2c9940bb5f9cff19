# Builds and runs the consumer project against an installed steadfold, in a new directory outside the source tree.
if(DEFINED ENV{TMPDIR})
  set(temporary $ENV{TMPDIR})
else()
  set(temporary /tmp)
endif()
execute_process(COMMAND mktemp -d ${temporary}/steadfold-consumer-XXXXXX OUTPUT_VARIABLE work
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${SOURCE}/ DESTINATION ${work}/source)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} RESULT_VARIABLE failed COMMAND_ECHO STDOUT)
  if(failed)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${NAME}: the command above failed: ${failed}")
  endif()
endfunction()

if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND pkg-config --cflags --libs steadfold OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} -std=c++20 source/consumer.cpp -o consumer ${flags})
  run(./consumer)
else()
  run(${CMAKE_COMMAND} -S source -B build -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${COMPILER}
      "-DCONSUMER_COMPONENTS=${COMPONENTS}" "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_CXX_STANDARD=${STANDARD})
  run(${CMAKE_COMMAND} --build build)
  run(build/consumer)
endif()
file(REMOVE_RECURSE ${work})
