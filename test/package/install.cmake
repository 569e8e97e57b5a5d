# Installs the build tree BUILD below STAGE, then moves it to SDK.
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE}/first
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(parent ${SDK} DIRECTORY)
file(MAKE_DIRECTORY ${parent})
file(RENAME ${STAGE}/first ${SDK})
