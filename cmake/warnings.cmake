# hone_room(NAME SOURCES...) makes the library of one room, with the project's warnings and the source root as include path.
set(HONE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12's -Wrestrict fires on "literal" + std::string (GCC bug 105651).
  list(APPEND HONE_WARNINGS -Wno-restrict)
endif()
set(HONE_C_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Werror)

function(hone_flags target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${HONE_WARNINGS}> $<$<COMPILE_LANGUAGE:C>:${HONE_C_WARNINGS}>)
  if(HONE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${HONE_SANITIZE})
  endif()
endfunction()

function(hone_room name)
  add_library(hone_${name} STATIC ${ARGN})
  hone_flags(hone_${name})
endfunction()
