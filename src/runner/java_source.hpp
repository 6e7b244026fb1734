#pragma once

#include <string>
#include <string_view>

/// What the text of a Java program says about where it must stand and how it is started.
namespace lazaret::runner {

struct JavaSource {
  std::string file;        ///< "Main.java": of the public class, if there is one
  std::string main_class;  ///< "pkg.Main"; the first class with a main method, or the file's
};

/// Looks at declarations only, so a text that is no Java gets a name too, and the compiler's word.
[[nodiscard]] JavaSource java_source_of(std::string_view code);

}  // namespace lazaret::runner
