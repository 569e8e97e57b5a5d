# Finds the static libraries that tools/install_deps.sh builds.
#
# Only prefixes that are named are searched (CMAKE_PREFIX_PATH, and the default
# place of the script): a copy from the system would not be the only one in a
# process, and Debian's is older than what is needed.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" _processor)
if(DEFINED ENV{XDG_CACHE_HOME})
  set(executorch_deps_prefix $ENV{XDG_CACHE_HOME}/executorch-deps/${_processor})
else()
  set(executorch_deps_prefix $ENV{HOME}/.cache/executorch-deps/${_processor})
endif()

# executorch_find_static(<package> <header> <library>... PART <part of the script>
#                        LICENSES <source>...)
#
# Sets <package>_FOUND and makes an imported target executorch_<package in lower
# case>, or says how to get the package. <package>_LICENSES are the license files
# of the sources in it.
macro(executorch_find_static package header)
  cmake_parse_arguments(_static "" "PART" "LICENSES" ${ARGN})
  set(_search HINTS ${CMAKE_PREFIX_PATH} ${executorch_deps_prefix} NO_DEFAULT_PATH
              NO_CMAKE_FIND_ROOT_PATH)
  find_path(${package}_INCLUDE_DIR ${header} PATH_SUFFIXES include ${_search})
  set(_variables)
  foreach(_library IN LISTS _static_UNPARSED_ARGUMENTS)
    find_library(${package}_${_library}_LIBRARY lib${_library}.a PATH_SUFFIXES lib ${_search})
    list(APPEND _variables ${package}_${_library}_LIBRARY)
  endforeach()
  set(${package}_LICENSES)
  foreach(_license IN LISTS _static_LICENSES)
    find_file(${package}_${_license}_LICENSE LICENSE.${_license}
              PATH_SUFFIXES share/executorch-prefix ${_search})
    list(APPEND _variables ${package}_${_license}_LICENSE)
    list(APPEND ${package}_LICENSES ${${package}_${_license}_LICENSE})
  endforeach()
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(
    ${package} REQUIRED_VARS ${_variables} ${package}_INCLUDE_DIR
    REASON_FAILURE_MESSAGE
      "it is not in ${executorch_deps_prefix} nor in CMAKE_PREFIX_PATH. Run tools/install_deps.sh ${_static_PART}")
  string(TOLOWER executorch_${package} _target)
  if(${package}_FOUND AND NOT TARGET ${_target})
    add_library(${_target} INTERFACE IMPORTED)
    set_target_properties(${_target} PROPERTIES
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${${package}_INCLUDE_DIR}"
      INTERFACE_INCLUDE_DIRECTORIES "${${package}_INCLUDE_DIR}")
    foreach(_library IN LISTS _static_UNPARSED_ARGUMENTS)
      set_property(TARGET ${_target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${${package}_${_library}_LIBRARY})
    endforeach()
  endif()
endmacro()
