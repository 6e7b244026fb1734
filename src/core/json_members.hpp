#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lazaret::core {

/// How deep a value may be nested.
inline constexpr int kMostDepth = 128;

/// What is kept of a JSON object: by name, the member's JSON text without white space, its keys in
/// the order in which they came, repeated ones too.
using JsonMembers = std::map<std::string, std::string, std::less<>>;

/// The members with these names, for documents that foreign code has a say in: it takes time and
/// memory by the document's length alone, whatever is in it. Of members with the same name the last
/// one counts. Nothing when it is no object of JSON (RFC 8259), when a member is nested deeper than
/// `most_depth`, or when a number is larger than a double can be.
[[nodiscard]] std::optional<JsonMembers> members_of(std::string_view document,
                                                    std::initializer_list<std::string_view> names,
                                                    int most_depth = kMostDepth);

/// The elements of such a document that is an array, as their JSON texts.
[[nodiscard]] std::optional<std::vector<std::string>> elements_of(std::string_view document,
                                                                  int most_depth = kMostDepth);

}  // namespace lazaret::core
