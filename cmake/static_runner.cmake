# The toolchain of the presets runner-*: hone-runner as one static file for HONE_RUNNER_ARCH. Uses Debian's cross
# compilers and the libraries that scripts/build_runner.sh has put into build/sysroot/ARCH.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HONE_RUNNER_ARCH)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${HONE_RUNNER_ARCH})
set(triple ${HONE_RUNNER_ARCH}-linux-gnu)
if(HONE_RUNNER_ARCH STREQUAL "armv7")
  set(triple arm-linux-gnueabihf)
endif()
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)

get_filename_component(sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/${HONE_RUNNER_ARCH} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${sysroot})
set(CMAKE_PREFIX_PATH ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${sysroot}/lib/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")

# Leaves out uncalled functions, and merges equal code (gold only, which does not support RISC-V). A fixed address saves
# the relocations of a position-independent static program, which would be 0.2 MB.
set(CMAKE_C_FLAGS_INIT "-ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
if(HONE_RUNNER_ARCH STREQUAL "armv7")
  # File sizes and times have 64 bits, as on other architectures.
  string(APPEND CMAKE_C_FLAGS_INIT " -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64")
  string(APPEND CMAKE_CXX_FLAGS_INIT " -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64")
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -no-pie -Wl,--gc-sections")
if(HONE_RUNNER_ARCH STREQUAL "riscv64")
  # GCC 12 has no inline atomic operations on single bytes there.
  set(CMAKE_CXX_STANDARD_LIBRARIES_INIT -latomic)
else()
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -fuse-ld=gold -Wl,--icf=safe -Wl,--eh-frame-hdr")
  # A static program at a fixed address has few tables to protect after relocation, and aligning them costs up to a page
  # of 64 KiB.
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-z,norelro")
endif()
