# Run by lazaret_embed below as a script: turns SOURCE into OUTPUT, a C++ file with one char array.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${SOURCE} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(REGEX REPLACE "('.x..','.x..','.x..','.x..','.x..','.x..','.x..','.x..',)" "\\1\n" bytes "${bytes}")
  file(WRITE ${OUTPUT} "#include <string_view>
namespace lazaret::embedded {
namespace {
constexpr char ${NAME}_bytes[] = {\n${bytes}};
}  // namespace
extern const std::string_view ${NAME};
constinit const std::string_view ${NAME}{${NAME}_bytes, sizeof(${NAME}_bytes)};
}  // namespace lazaret::embedded
")
  return()
endif()

set(lazaret_embed_script ${CMAKE_CURRENT_LIST_FILE})

# lazaret_embed(TARGET NAME FILE): `extern const std::string_view lazaret::embedded::NAME` in TARGET.
# FILE must not be empty; a change to it rebuilds what depends on it.
function(lazaret_embed target name file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DOUTPUT=${output} -DNAME=${name} -P ${lazaret_embed_script}
    DEPENDS ${source} ${lazaret_embed_script}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
