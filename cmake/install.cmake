# The destinations of `cmake --install`, in components. Each component is a package of cmake/packages.cmake:
# - runtime: libhone.so.0;
# - development: the header, libhone.a, and files for CMake and pkg-config;
# - graph: libhone-graph.so with its headers;
# - runner: hone-runner;
# - tools: hone, which needs a hone-runner beside it.
# install_python.cmake has further components.
include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hone)

if(TARGET hone_shared)
  install(TARGETS hone_shared EXPORT hone_runtime_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  if(TARGET hone_static)
    install(TARGETS hone_static EXPORT hone_runtime_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  endif()
  install(FILES runtime/hone.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hone COMPONENT development)
  install(EXPORT hone_runtime_targets NAMESPACE hone:: FILE honeRuntimeTargets.cmake DESTINATION ${cmake_folder} COMPONENT development)
  configure_package_config_file(cmake/installed/honeConfig.cmake.in ${PROJECT_BINARY_DIR}/installed/honeConfig.cmake
    INSTALL_DESTINATION ${cmake_folder} NO_SET_AND_CHECK_MACRO)
  # The C API may grow with every minor version, and keeps everything within a major one.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/installed/honeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/installed/honeConfig.cmake ${PROJECT_BINARY_DIR}/installed/honeConfigVersion.cmake
    DESTINATION ${cmake_folder} COMPONENT development)
  # The path from the file's folder to the prefix, so that an installed tree may be moved.
  file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/installed/hone.pc.in ${PROJECT_BINARY_DIR}/installed/hone.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/installed/hone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  if(TARGET hone_graph)
    install(TARGETS hone_graph EXPORT hone_graph_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT graph)
    install(EXPORT hone_graph_targets NAMESPACE hone:: FILE honeGraphTargets.cmake DESTINATION ${cmake_folder} COMPONENT graph)
    configure_file(cmake/installed/hone-graph.pc.in ${PROJECT_BINARY_DIR}/installed/hone-graph.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/installed/hone-graph.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT graph)
    install(DIRECTORY compiler/example DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libhone-graph-dev COMPONENT graph)
    install(FILES docs/reference/relay.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libhone-graph-dev COMPONENT graph)
  endif()
  install(DIRECTORY runtime/example DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libhone-dev COMPONENT development)
  install(FILES docs/howto/embedding.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libhone-dev COMPONENT development)
endif()

set_target_properties(hone_runner_program PROPERTIES EXPORT_NAME hone-runner)
install(TARGETS hone_runner_program EXPORT hone_runner_targets RUNTIME COMPONENT runner)
install(EXPORT hone_runner_targets NAMESPACE hone:: FILE honeRunnerTargets.cmake DESTINATION ${cmake_folder} COMPONENT runner)
install(FILES scripts/systemd/hone-runner.service DESTINATION lib/systemd/system COMPONENT runner)
install(FILES scripts/systemd/hone-runner.conf DESTINATION lib/sysusers.d COMPONENT runner)
if(HONE_RUNNER_ARCH)
  install(FILES cmake/packages/runner/static_overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME hone-runner COMPONENT runner)
endif()
if(TARGET hone_shared)
  include(cmake/install_python.cmake)
endif()
if(NOT HONE_RUNNER_ONLY)
  set_target_properties(hone_program PROPERTIES EXPORT_NAME hone)
  set_target_properties(hone_compiler_program PROPERTIES EXPORT_NAME hone-compiler)
  install(TARGETS hone_program hone_compiler_program EXPORT hone_tools_targets RUNTIME COMPONENT tools)
  install(EXPORT hone_tools_targets NAMESPACE hone:: FILE honeToolsTargets.cmake DESTINATION ${cmake_folder} COMPONENT tools)
  install(FILES scripts/systemd/hone-tracker.service DESTINATION lib/systemd/system COMPONENT tools)
  install(FILES scripts/systemd/hone-tracker.conf DESTINATION lib/sysusers.d COMPONENT tools)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/hone COMPONENT tools)
  install(DIRECTORY scripts/slurm scripts/kubernetes scripts/ci DESTINATION ${CMAKE_INSTALL_DATADIR}/hone USE_SOURCE_PERMISSIONS COMPONENT tools)
  install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/hone COMPONENT tools)

  # The programs themselves print their manuals and completions.
  set(pages ${PROJECT_BINARY_DIR}/pages)
  set(make_pages ${PROJECT_SOURCE_DIR}/scripts/make_pages.sh)
  set(runner_pages share/man/man1/hone-runner.1.gz)
  set(tools_pages share/man/man1/hone.1.gz share/bash-completion/completions/hone share/zsh/vendor-completions/_hone share/fish/vendor_completions.d/hone.fish)
  list(TRANSFORM runner_pages PREPEND ${pages}/ OUTPUT_VARIABLE made)
  list(APPEND made ${tools_pages})
  list(TRANSFORM made REPLACE "^share" "${pages}/share")
  add_custom_command(OUTPUT ${made} COMMAND ${make_pages} $<TARGET_FILE:hone_program> ${pages} DEPENDS ${make_pages} hone_program VERBATIM)
  add_custom_target(hone_pages ALL DEPENDS ${made})
  foreach(component runner tools)
    foreach(page ${${component}_pages})
      get_filename_component(folder ${page} DIRECTORY)
      string(REGEX REPLACE "^share" "${CMAKE_INSTALL_DATADIR}" folder ${folder})
      install(FILES ${pages}/${page} DESTINATION ${folder} COMPONENT ${component})
    endforeach()
  endforeach()
endif()

# Files that Debian requires in every package.
set(HONE_MAINTAINER "The hone project <hone@hone.invalid>" CACHE STRING "who hands out the Debian packages: NAME <ADDRESS>")
configure_file(cmake/packages/changelog.in ${PROJECT_BINARY_DIR}/installed/changelog @ONLY)
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/installed/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(package runtime:libhone-runtime0 development:libhone-dev graph:libhone-graph-dev runner:hone-runner tools:hone python_runtime:python3-hone-runtime python:python3-hone)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 component)
  list(GET package 1 name)
  set(exclude "")
  if(component MATCHES "^python")
    set(exclude EXCLUDE_FROM_ALL)
  endif()
  if(component STREQUAL "graph" AND NOT TARGET hone_graph)
    continue()
  endif()
  install(FILES cmake/packages/copyright THIRD_PARTY_NOTICES.md ${PROJECT_BINARY_DIR}/installed/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} ${exclude})
endforeach()
