# Programs that start as fast as a program can: static, over musl, without libstdc++'s compiled
# half (docs/decisions/0005-musl-for-what-stands-in-the-box.md).

set(musl_name ${CMAKE_SYSTEM_PROCESSOR}-linux-musl)
find_path(LAZARET_MUSL_HEADERS bits/alltypes.h NO_DEFAULT_PATH
  PATHS /usr/include/${musl_name} /usr/lib/musl/include /usr/local/musl/include)
find_path(LAZARET_MUSL_LIBRARIES libc.a NO_DEFAULT_PATH
  PATHS /usr/lib/${musl_name} /usr/lib/musl/lib /usr/local/musl/lib)
if(NOT LAZARET_MUSL_HEADERS OR NOT LAZARET_MUSL_LIBRARIES)
  message(FATAL_ERROR "musl is missing, which the program inside the box is built with; "
    "on Debian and Ubuntu: apt-get install musl-dev")
endif()

# The kernel's headers without the C library's, beside which they are installed.
find_path(LAZARET_KERNEL_HEADERS linux/io_uring.h REQUIRED)
find_path(LAZARET_KERNEL_ASM_HEADERS asm/unistd.h REQUIRED)
set(static_kernel ${CMAKE_CURRENT_BINARY_DIR}/kernel_headers)
file(MAKE_DIRECTORY ${static_kernel})
foreach(folder linux asm-generic)
  file(CREATE_LINK ${LAZARET_KERNEL_HEADERS}/${folder} ${static_kernel}/${folder} SYMBOLIC)
endforeach()
file(CREATE_LINK ${LAZARET_KERNEL_ASM_HEADERS}/asm ${static_kernel}/asm SYMBOLIC)

# Where headers are looked for, in this order; libstdc++'s reach the C library's by include_next.
set(static_headers ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
list(FILTER static_headers INCLUDE REGEX "[cg]\\+\\+")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include
  OUTPUT_VARIABLE static_compiler_headers OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(APPEND static_headers ${static_compiler_headers} ${LAZARET_MUSL_HEADERS} ${static_kernel})
list(TRANSFORM static_headers PREPEND "SHELL:-isystem ")
set(static_runtime ${CMAKE_CURRENT_SOURCE_DIR}/os/linux/static)

# Clang's -Os is a third larger.
set(static_size $<IF:$<CXX_COMPILER_ID:Clang>,-Oz,-Os>)

# lazaret_static_program(NAME SOURCES...): no exceptions, no RTTI, no threads, no iostream, no
# sanitizers; running out of memory ends the program. Sources may include what src/ and include/ have.
function(lazaret_static_program name)
  set(sources ${ARGN} os/linux/static/runtime.cpp)
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(LAZARET_UNITED_MOST 100)  # as one, it is a twentieth smaller
  lazaret_unite(united ${name} ${CMAKE_CURRENT_SOURCE_DIR} ${sources})
  add_executable(${name} ${united})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE _GLIBCXX_EXTERN_TEMPLATE=0 _GLIBCXX_ASSERTIONS)
  target_compile_options(${name} PRIVATE ${LAZARET_WARNINGS} ${static_size} -fno-pie -fstack-protector-strong
    -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections
    -nostdinc ${static_headers} "SHELL:-include ${static_runtime}/names.hpp")
  target_link_options(${name} PRIVATE -nostdlib -static -s
    -Wl,--gc-sections,-z,noexecstack)
  target_link_libraries(${name} PRIVATE ${LAZARET_MUSL_LIBRARIES}/crt1.o
    -Wl,--start-group ${LAZARET_MUSL_LIBRARIES}/libc.a -lgcc -Wl,--end-group)
endfunction()
