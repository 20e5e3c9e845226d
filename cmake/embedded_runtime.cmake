# The runtime for programs that embed it: libhone.so and libhone.a. They export only the C API and need only libc, libm
# and pthread. Their sources are compiled again, for size, with the needed parts of libstdc++ inside.
if(HONE_SANITIZE)
  # The sanitizers' libraries must stay visible, so this is the C API around the usual runtime.
  add_library(hone_shared SHARED c_api.cc c_api_session.cc)
  hone_flags(hone_shared)
  target_link_libraries(hone_shared PRIVATE hone_runtime)
else()
  get_target_property(runtime_sources hone_runtime SOURCES)
  # The part of core with which the runtime reads packages.
  set(core_sources activation.cc artifact.cc byte_floats.cc config_space.cc epilogue.cc files/fresh_name.cc hash/hash.cc
    json/json_fields.cc json/serialize.cc json/serialize_json.cc json/serialize_plan.cc layout.cc
    machine/cpu_feature_table.cc machine/machine_model.cc machine/machine_rows.cc machine/required_features.cc
    machine/target.cc measurement.cc package/packed_param.cc random.cc tensor.cc text/parse_number.cc
    text/spelling.cc version.cc winograd.cc workload.cc)
  list(TRANSFORM core_sources PREPEND ${PROJECT_SOURCE_DIR}/core/)
  add_library(hone_embedded OBJECT ${runtime_sources} ${core_sources} quiet_terminate.cc)
  hone_flags(hone_embedded)
  if(HONE_UNITY)
    hone_together(hone_embedded)
  endif()
  hone_precompiled(hone_embedded hone_embedded ${HONE_ROOM_HEADERS})
  set_target_properties(hone_embedded PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/core/version.cc PROPERTIES COMPILE_DEFINITIONS HONE_VERSION="${PROJECT_VERSION}")
  # Without this definition fmt uses the standard library's locales, which are larger than the runtime.
  target_compile_definitions(hone_embedded PRIVATE FMT_STATIC_THOUSANDS_SEPARATOR=44)
  target_compile_options(hone_embedded PRIVATE -Os -ffunction-sections -fdata-sections)
  target_link_libraries(hone_embedded PRIVATE fmt::fmt-header-only nlohmann_json::nlohmann_json Threads::Threads)

  add_library(hone_shared SHARED $<TARGET_OBJECTS:hone_embedded>)
  set_target_properties(hone_shared PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(hone_shared PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections,--as-needed,--no-undefined)
  target_link_libraries(hone_shared PRIVATE Threads::Threads)
endif()
set_target_properties(hone_shared PROPERTIES OUTPUT_NAME hone VERSION ${PROJECT_VERSION} SOVERSION 0 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/hone.map EXPORT_NAME runtime)
target_link_options(hone_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/hone.map)
target_include_directories(hone_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# libhone.a is one object. LLVM's objcopy makes its C++ symbols local; that of binutils leaves the unique ones
# (STB_GNU_UNIQUE) global.
find_program(LLVM_OBJCOPY NAMES llvm-objcopy-19 llvm-objcopy HINTS ${LLVM_TOOLS_BINARY_DIR})
if(LLVM_OBJCOPY AND NOT HONE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(STRINGS hone.h lines REGEX "hone_[a-z_]+\\(")
  string(REGEX MATCHALL "hone_[a-z_]+\\(" roots "${lines}")
  list(TRANSFORM roots REPLACE "(.*)\\(" "-Wl,-u,\\1")
  set(archives "")
  foreach(name libstdc++.a libgcc_eh.a libgcc.a)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND archives ${path})
  endforeach()
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/hone_whole.o)
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/hone_embedded.o)
  # Section groups are resolved here, so that a program's own copies of the same inline functions do not replace these.
  add_custom_command(OUTPUT ${embedded} DEPENDS hone_embedded $<TARGET_OBJECTS:hone_embedded> COMMAND_EXPAND_LISTS VERBATIM
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${whole} "$<FILTER:$<TARGET_OBJECTS:hone_embedded>,EXCLUDE,gch$>" ${roots} -Wl,--gc-sections,--force-group-allocation ${archives}
      -Wl,--dependency-file=${PROJECT_BINARY_DIR}/sbom/libhone.a.d
    COMMAND ${LLVM_OBJCOPY} --wildcard --keep-global-symbol=hone_* --strip-unneeded ${whole} ${embedded})
  set_source_files_properties(${embedded} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(hone_static STATIC ${embedded})
  set_target_properties(hone_static PROPERTIES OUTPUT_NAME hone LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib EXPORT_NAME runtime_static)
  target_include_directories(hone_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(hone_static INTERFACE m pthread)
  # Its unwinder finds its tables by this header, which GCC leaves out of fully static programs.
  target_link_options(hone_static INTERFACE -Wl,--eh-frame-hdr)
endif()
