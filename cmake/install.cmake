# What `cmake --install` puts where. Components: development (libraries, headers, packages) and programs.
# Every library has an export set of its own, so that a user of one needs the dependencies of that one only.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/steadfold)

get_property(libraries GLOBAL PROPERTY STEADFOLD_LIBRARIES)
set(STEADFOLD_COMPONENTS)
foreach(library ${libraries})
  get_target_property(component ${library} EXPORT_NAME)
  install(TARGETS ${library} EXPORT steadfold-${component} ARCHIVE COMPONENT development
          LIBRARY COMPONENT development)
  install(EXPORT steadfold-${component} NAMESPACE steadfold:: FILE steadfold-${component}-targets.cmake
          DESTINATION ${package_dir} COMPONENT development)
  if(NOT component STREQUAL "steadfold")
    list(APPEND STEADFOLD_COMPONENTS ${component})
  endif()
endforeach()
install(DIRECTORY lib/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh")

configure_package_config_file(cmake/steadfoldConfig.cmake.in ${PROJECT_BINARY_DIR}/package/steadfoldConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/steadfoldConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/steadfoldConfig.cmake
              ${PROJECT_BINARY_DIR}/package/steadfoldConfigVersion.cmake
              cmake/steadfold_hdf5.cmake cmake/FindNCCL.cmake
        DESTINATION ${package_dir} COMPONENT development)

# pkg-config, for the core library alone: what the other libraries need is better found by CMake.
file(RELATIVE_PATH STEADFOLD_PC_UP "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
set(STEADFOLD_PC_LIBS "-lpthread")
if(STEADFOLD_HAS_CUDA)
  set(STEADFOLD_PC_LIBS "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lpthread -ldl -lrt")
endif()
configure_file(cmake/steadfold.pc.in ${PROJECT_BINARY_DIR}/package/steadfold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/steadfold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# Every executable under apps/ whose name begins with steadfold- is a program for users.
if(STEADFOLD_APPS)
  get_property(app_dirs DIRECTORY apps PROPERTY SUBDIRECTORIES)
  foreach(app_dir ${app_dirs})
    get_property(targets DIRECTORY ${app_dir} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE" AND target MATCHES "^steadfold-")
        set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
        install(TARGETS ${target} RUNTIME COMPONENT programs)
      endif()
    endforeach()
  endforeach()
endif()
