# Builds for Windows on Debian. Header-only libraries come from /usr/include, one link each: the
# folder itself would let glibc's headers in.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

# Those of LLVM take a tenth of a second for what takes GNU's a minute: indexing an archive of ours.
find_program(LAZARET_AR NAMES llvm-ar llvm-ar-14)
find_program(LAZARET_RANLIB NAMES llvm-ranlib llvm-ranlib-14)
if(LAZARET_AR AND LAZARET_RANLIB)
  set(CMAKE_AR ${LAZARET_AR})
  set(CMAKE_RANLIB ${LAZARET_RANLIB})
endif()

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The compiler checks run this file in folders of their own and must find the same links.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LAZARET_WINDOWS_HEADERS)
if(NOT LAZARET_WINDOWS_HEADERS)
  set(LAZARET_WINDOWS_HEADERS ${CMAKE_BINARY_DIR}/headers)
endif()
file(MAKE_DIRECTORY ${LAZARET_WINDOWS_HEADERS})
foreach(header boost nlohmann spdlog fmt CLI yaml-cpp prometheus)
  if(EXISTS /usr/include/${header} AND NOT EXISTS ${LAZARET_WINDOWS_HEADERS}/${header})
    file(CREATE_LINK /usr/include/${header} ${LAZARET_WINDOWS_HEADERS}/${header} SYMBOLIC)
  endif()
endforeach()
# OpenSSL's are in two places.
file(MAKE_DIRECTORY ${LAZARET_WINDOWS_HEADERS}/openssl)
file(GLOB openssl_headers /usr/include/openssl/*.h /usr/include/x86_64-linux-gnu/openssl/*.h)
foreach(header ${openssl_headers})
  get_filename_component(name ${header} NAME)
  if(NOT EXISTS ${LAZARET_WINDOWS_HEADERS}/openssl/${name})
    file(CREATE_LINK ${header} ${LAZARET_WINDOWS_HEADERS}/openssl/${name} SYMBOLIC)
  endif()
endforeach()
set(yaml-cpp_DIR ${CMAKE_CURRENT_LIST_DIR}/mingw)

set(CMAKE_CXX_FLAGS_INIT
  "-D_WIN32_WINNT=0x0A00 -DFMT_HEADER_ONLY -isystem ${LAZARET_WINDOWS_HEADERS}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")
