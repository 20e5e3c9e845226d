# Debian packages of what is installed, one a component: `cpack` in the build folder makes the four. docs/installing.md is for their users.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VENDOR hone)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runner)
if(TARGET hone_shared)
  list(APPEND CPACK_COMPONENTS_ALL runtime development)
endif()
if(NOT HONE_RUNNER_ONLY)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The hone project <hone@hone.invalid>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Whoever was built with a newer header needs as new a library.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The same files give the same packages: they bear the time of the last commit.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/packages/same_times.cmake)

# debian_package(COMPONENT NAME SECTION DEPENDS DESCRIPTION CONTROL-FILES...); the first line of each description is the project's.
macro(debian_package component name section depends description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${ARGN}")
endmacro()
set(control ${PROJECT_SOURCE_DIR}/cmake/packages)
debian_package(runtime libhone-runtime0 libs "" "The library that runs packages in other programs: the C API, no compiler, nothing needed but libc.")
debian_package(development libhone-dev libdevel "libhone-runtime0 (= ${PROJECT_VERSION})"
  "The header of the C API, the static library, what CMake and pkg-config read, examples.")
debian_package(runner hone-runner science "" "The program for devices, which offers this machine to tuners, and its service."
  ${control}/runner/postinst)
debian_package(tools hone science "hone-runner (= ${PROJECT_VERSION})"
  "Reads ONNX models, searches schedules for CPUs on this machine or on many, builds packages of one file." ${control}/tools/postinst)
include(CPack)
