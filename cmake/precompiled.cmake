# Outside headers that most files include: parsing them took two thirds of a cold build. Every file still includes what
# it uses. An owner has no definitions of its own, because GCC refuses precompiled headers whose macros a user of them
# lacks.
set(HONE_ROOM_HEADERS <fmt/format.h> <algorithm> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector>)
if(HONE_FUZZ)
  # The fuzz targets mostly read JSON.
  list(APPEND HONE_ROOM_HEADERS <nlohmann/json.hpp>)
endif()
set(HONE_TEST_HEADERS ${HONE_ROOM_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
set(HONE_LLVM_HEADERS ${HONE_ROOM_HEADERS} <llvm/IR/IRBuilder.h> <llvm/IR/Module.h>)

# hone_precompiled(TARGET OWNER HEADERS...) lets a target share the precompiled headers of OWNER, the first target of
# its kind. Libraries and programs are two kinds, since -fPIC and -fPIE differ.
function(hone_precompiled target owner)
  if(target STREQUAL owner)
    list(TRANSFORM ARGN REPLACE "<(.*)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# hone_together(TARGET [ALONE files...]) compiles eight files as one, because parsing common headers and instantiating
# their templates takes most of the time. The sources of a room, in any batches, share no private name. Files of a test
# program or a benchmark that share one with another file, or define a macro, must stay alone.
function(hone_together target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  if(ARG_ALONE)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
