# Debian packages of the installed files, one per component, made by `cpack` in the build folder. docs/howto/installing.md
# is for their users.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VENDOR hone)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runner)
if(TARGET hone_shared)
  list(APPEND CPACK_COMPONENTS_ALL runtime development python_runtime)
endif()
if(NOT HONE_RUNNER_ONLY)
  list(APPEND CPACK_COMPONENTS_ALL tools python)
endif()
if(TARGET hone_graph)
  list(APPEND CPACK_COMPONENTS_ALL graph)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${HONE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# A program that was built with a newer header needs a library at least as new.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Equal files give equal packages, because they have the time of the last commit.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/packages/same_times.cmake)

# debian_package(COMPONENT NAME SECTION DEPENDS DESCRIPTION CONTROL-FILES...). The first line of each description is the
# project's.
macro(debian_package component name section depends description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${ARGN}")
endmacro()
set(control ${PROJECT_SOURCE_DIR}/cmake/packages)
set(same "(= ${PROJECT_VERSION})")
debian_package(runtime libhone-runtime0 libs ""
  "The library that runs packages in other programs:\nthe C API, no compiler, nothing needed but libc." ${control}/runtime/triggers)
debian_package(development libhone-dev libdevel "libhone-runtime0 ${same}"
  "The header of the C API, the static library,\nwhat CMake and pkg-config read, examples.")
debian_package(graph libhone-graph-dev libdevel "libhone-dev ${same}"
  "The compiler as a C++ library:\ngraphs of operators, passes, packages; headers and an example." ${control}/runtime/triggers)
debian_package(runner hone-runner science "" "The program for devices, which offers this machine to tuners, and its service."
  ${control}/runner/postinst)
debian_package(tools hone science "hone-runner ${same}"
  "Reads ONNX models, searches schedules for CPUs on this machine or on many,\nbuilds packages of one file." ${control}/tools/postinst)
# Only the Python of the same architecture can load an extension.
set(python "python3:any")
set(python_components PYTHON)
if(TARGET hone_call)
  set(python "python3")
else()
  list(APPEND python_components PYTHON_RUNTIME)
endif()
debian_package(python_runtime python3-hone-runtime python "${python} (>= 3.9), python3-numpy, libhone-runtime0 ${same}"
  "Runs packages from Python on numpy arrays, without copies: import hone_runtime." ${control}/python_runtime/postinst ${control}/python_runtime/prerm)
debian_package(python python3-hone python "python3:any (>= 3.9), python3-hone-runtime ${same}, hone ${same}"
  "Tunes, builds, checks and times from Python: import hone." ${control}/python/postinst ${control}/python/prerm)
set(CPACK_DEBIAN_PYTHON_RUNTIME_PACKAGE_GENERATE_SHLIBS OFF)
foreach(component ${python_components})
  # These packages have only sources and links.
  set(CPACK_DEBIAN_${component}_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_${component}_PACKAGE_GENERATE_SHLIBS OFF)
endforeach()
if(HONE_RUNNER_ARCH)
  # The static file of scripts/build_runner.sh, with Debian's name for its architecture.
  set(architectures x86_64:amd64 aarch64:arm64 armv7:armhf riscv64:riscv64)
  list(FILTER architectures INCLUDE REGEX "^${HONE_RUNNER_ARCH}:")
  string(REGEX REPLACE ".*:" "" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${architectures})
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
endif()
include(CPack)
