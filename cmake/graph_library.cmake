# libhone-graph.so: the compiler room for programs that make graphs in C++. Its headers are compiler/graph.h and the
# headers that this includes; LLVM, ONNX and other libraries stay hidden. Its C++ names are only valid for one version
# of hone, so its file name contains the version.

# hone_graph_header(PATH) writes a header and those that it includes for users, as <hone/PATH>, and installs them.
function(hone_graph_header path)
  get_property(there GLOBAL PROPERTY HONE_GRAPH_HEADERS)
  if(path IN_LIST there)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY HONE_GRAPH_HEADERS ${path})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path})
  file(READ ${PROJECT_SOURCE_DIR}/${path} text)
  string(REGEX MATCHALL "#include \"[a-z0-9_/]+\\.h\"" includes "${text}")
  string(REPLACE "#include \"" "#include \"hone/" text "${text}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/hone/${path} CONTENT "${text}" @ONLY)
  get_filename_component(folder ${path} DIRECTORY)
  install(FILES ${PROJECT_BINARY_DIR}/include/hone/${path} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hone/${folder} COMPONENT graph)
  foreach(include ${includes})
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" include ${include})
    hone_graph_header(${include})
  endforeach()
endfunction()
hone_graph_header(compiler/graph.h)

# Not built with sanitizers, nor for wheels, whose programs contain LLVM themselves.
if(NOT HONE_SANITIZE AND NOT HONE_STATIC_LLVM)
  set(rooms hone_compiler hone_compiler_quantise hone_compiler_relay hone_compiler_frontend hone_compiler_codegen hone_compiler_schedules
    hone_compiler_generic hone_compiler_passes hone_core)
  list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
  add_library(hone_graph SHARED ${CMAKE_CURRENT_BINARY_DIR}/graph_library.cc)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/graph_library.cc CONTENT "// All of the library is in the rooms' archives.\n")
  set(map ${PROJECT_SOURCE_DIR}/compiler/graph.map)
  set_target_properties(hone_graph PROPERTIES OUTPUT_NAME hone-graph VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LINK_DEPENDS ${map} EXPORT_NAME graph)
  target_link_options(hone_graph PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive -Wl,--version-script=${map} -Wl,--no-undefined
    -Wl,--as-needed)
  target_link_libraries(hone_graph PRIVATE hone_compiler)
  target_include_directories(hone_graph INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(hone_graph INTERFACE cxx_std_20)
endif()
