# The static XNNPACK that the private library of src/xnnpack holds.
include(ExecutorchPrefix)
executorch_find_static(XNNPACK xnnpack.h XNNPACK microkernels-prod PART xnnpack LICENSES xnnpack)

# XNNPACK has no version number, so its header must have each name that is used.
if(XNNPACK_FOUND)
  file(READ ${XNNPACK_INCLUDE_DIR}/xnnpack.h _header)
  file(GLOB _sources ${CMAKE_CURRENT_LIST_DIR}/../src/xnnpack/*.cpp)
  set(_used)
  foreach(_source IN LISTS _sources)
    file(READ ${_source} _text)
    string(REGEX MATCHALL "xnn_(create|define|datatype|unary|binary)_[a-z0-9_]+|XNN_[A-Z_]+"
           _names "${_text}")
    list(APPEND _used ${_names})
  endforeach()
  string(REGEX MATCHALL "[Xx][Nn][Nn]_[A-Za-z0-9_]+" _known "${_header}")
  list(REMOVE_DUPLICATES _used)
  list(REMOVE_ITEM _used ${_known})
  if(_used)
    list(JOIN _used ", " _used)
    find_package_handle_standard_args(
      XNNPACK REQUIRED_VARS XNNPACK_NEW_ENOUGH
      REASON_FAILURE_MESSAGE
        "${XNNPACK_INCLUDE_DIR}/xnnpack.h is older than 2024-11-08: it lacks ${_used}. Run tools/install_deps.sh xnnpack")
  endif()
endif()
