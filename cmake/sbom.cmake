# A list of what is linked into each package, as a CycloneDX document that is installed with it. It is made from the
# inputs that the linker and the compiler report. It needs Ninja, Debian's package data and Python.
find_program(HONE_SBOM_PYTHON python3)
find_program(HONE_DPKG_QUERY dpkg-query)
set(HONE_SBOMS "")
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/sbom)

# hone_sbom(COMPONENT PACKAGE WHEEL TARGETS...): installs PACKAGE.cdx.json in share/doc/PACKAGE and, where Python's
# tools look for it, in the wheel of the target hone_WHEEL. Appends to HONE_SBOMS.
function(hone_sbom component package wheel)
  if(NOT CMAKE_GENERATOR STREQUAL "Ninja" OR NOT HONE_SBOM_PYTHON OR NOT HONE_DPKG_QUERY OR HONE_SANITIZE)
    return()
  endif()
  set(binaries "")
  foreach(target ${ARGN})
    # The linker writes its list to sbom/NAME.d. For an archive of one object, the step that links the object writes it.
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "STATIC_LIBRARY")
      target_link_options(${target} PRIVATE -Wl,--dependency-file=${PROJECT_BINARY_DIR}/sbom/$<TARGET_FILE_NAME:${target}>.d)
    endif()
    list(APPEND binaries $<PATH:RELATIVE_PATH,$<TARGET_FILE:${target}>,${PROJECT_BINARY_DIR}>)
  endforeach()
  set(made ${PROJECT_BINARY_DIR}/sbom/${package}.cdx.json)
  add_custom_command(OUTPUT ${made} DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/scripts/make_sbom.py VERBATIM
    COMMAND ${HONE_SBOM_PYTHON} -B ${PROJECT_SOURCE_DIR}/scripts/make_sbom.py --build ${PROJECT_BINARY_DIR} --ninja ${CMAKE_MAKE_PROGRAM}
      --name ${package} --version ${PROJECT_VERSION} --output ${made} ${binaries})
  install(FILES ${made} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  set(HONE_SBOMS ${HONE_SBOMS} ${made} PARENT_SCOPE)
  if(SKBUILD AND TARGET hone_${wheel})
    add_custom_target(hone_sbom_of_${package} DEPENDS ${made})
    add_dependencies(hone_${wheel} hone_sbom_of_${package})
    install(FILES ${made} DESTINATION ${SKBUILD_METADATA_DIR}/sboms COMPONENT ${wheel} EXCLUDE_FROM_ALL)
  endif()
endfunction()

hone_sbom(runner hone-runner wheel hone_runner_program)
if(TARGET hone_shared)
  hone_sbom(runtime libhone-runtime0 runtime_wheel hone_shared)
endif()
if(TARGET hone_static)
  hone_sbom(development libhone-dev none hone_static)
endif()
if(TARGET hone_graph)
  hone_sbom(graph libhone-graph-dev none hone_graph)
endif()
if(NOT HONE_RUNNER_ONLY)
  hone_sbom(tools hone wheel hone_program hone_compiler_program)
endif()
add_custom_target(hone_sboms ALL DEPENDS ${HONE_SBOMS})
