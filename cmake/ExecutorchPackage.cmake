# Installs the headers and what find_package() and pkg-config read. To be included
# after the last executorch_component().
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/executorch)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/executorch)

if(EXECUTORCH_ARCH STREQUAL "generic")
  set(EXECUTORCH_TARGET ${CMAKE_SYSTEM_PROCESSOR})
else()
  set(EXECUTORCH_TARGET ${EXECUTORCH_ARCH})
endif()
get_property(EXECUTORCH_EXPORTS GLOBAL PROPERTY EXECUTORCH_EXPORTS)
get_property(EXECUTORCH_COMPONENTS GLOBAL PROPERTY EXECUTORCH_COMPONENTS)
set(EXECUTORCH_NEEDS)
foreach(name IN LISTS EXECUTORCH_EXPORTS)
  get_property(needs GLOBAL PROPERTY EXECUTORCH_NEEDS_${name})
  string(REPLACE ";" " " needs "${needs}")
  string(APPEND EXECUTORCH_NEEDS "set(_executorch_needs_${name} ${needs})\n")
endforeach()
string(REPLACE ";" " " EXECUTORCH_EXPORTS "${EXECUTORCH_EXPORTS}")
string(REPLACE ";" " " EXECUTORCH_COMPONENTS "${EXECUTORCH_COMPONENTS}")

configure_package_config_file(
  cmake/executorch-config.cmake.in executorch-config.cmake
  INSTALL_DESTINATION ${config_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(executorch-config-version.cmake COMPATIBILITY SameMajorVersion)
set(version_file ${CMAKE_CURRENT_BINARY_DIR}/executorch-config-version.cmake)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/executorch-config.cmake ${version_file}
        DESTINATION ${config_dir})

# The second place where applications look for it.
set(second_dir ${CMAKE_INSTALL_DATADIR}/cmake)
file(RELATIVE_PATH to_first ${CMAKE_INSTALL_PREFIX}/${second_dir}
     ${CMAKE_INSTALL_PREFIX}/${config_dir})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/second/executorch-config.cmake
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/${to_first}/executorch-config.cmake\")\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/second/executorch-config.cmake ${version_file}
        DESTINATION ${second_dir})
