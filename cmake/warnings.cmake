set(HONE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns wrongly about "literal" + std::string (GCC bug 105651): with -Wrestrict, and under precompiled headers
  # with the other two too.
  list(APPEND HONE_WARNINGS -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  if(HONE_SANITIZE)
    # Under the sanitizers GCC 12 warns wrongly of uninitialised uses in std::regex. It also warns of a mismatched
    # delete of LLVM's globals, which have their own allocation.
    list(APPEND HONE_WARNINGS -Wno-maybe-uninitialized -Wno-mismatched-new-delete)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The standard library of gcc 12 uses deprecated declarations in its own headers.
  list(APPEND HONE_WARNINGS -Wno-deprecated-declarations)
endif()
set(HONE_C_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Werror)

function(hone_flags target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${HONE_WARNINGS}> $<$<COMPILE_LANGUAGE:C>:${HONE_C_WARNINGS}>)
  if(HONE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${HONE_SANITIZE})
  endif()
endfunction()
