# cpack reads this before it begins. All files in a package get one time: that of the last commit, or SOURCE_DATE_EPOCH
# if set.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct OUTPUT_VARIABLE committed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT committed)
    set(committed 1700000000) # not a checkout
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${committed})
endif()
if(CPACK_DEBIAN_PACKAGE_MAINTAINER MATCHES "[.]invalid>")
  message(STATUS "the packages name nobody whom their users can write to; cmake -DHONE_MAINTAINER=\"NAME <ADDRESS>\" does")
endif()
