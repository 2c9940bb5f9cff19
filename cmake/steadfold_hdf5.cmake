# Defines steadfold_hdf5 after find_package(HDF5 COMPONENTS C): FindHDF5 before CMake 3.28 has no target with the
# definitions. Imported, so that installed targets may refer to it; the package config includes this file too.
if(NOT TARGET steadfold_hdf5)
  add_library(steadfold_hdf5 INTERFACE IMPORTED GLOBAL)
  target_include_directories(steadfold_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_compile_definitions(steadfold_hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
  target_link_libraries(steadfold_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  if(HDF5_IS_PARALLEL AND TARGET MPI::MPI_C)
    target_link_libraries(steadfold_hdf5 INTERFACE MPI::MPI_C)
  endif()
endif()
