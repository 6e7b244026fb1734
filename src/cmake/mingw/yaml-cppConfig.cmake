# Debian has no yaml-cpp for Windows: its headers, through mingw.cmake's links, let the sources
# compile; a program that calls it does not link.
add_library(yaml-cpp INTERFACE IMPORTED)
