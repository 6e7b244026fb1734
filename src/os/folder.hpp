#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::os {

/// A directory and what lies in it. Names are single ones: what holds a '/', "." and ".." are
/// refused, and no link is ever followed.
class Folder {
 public:
  struct Item {
    enum class Kind { file, directory, link, other };
    std::string name;
    Kind kind = Kind::other;
    bool executable = false;  ///< by its owner
    std::uint64_t size = 0;   ///< of a file
    std::int64_t changed_ns = 0;  ///< of a file: since 1970, when anything of it last changed
  };

  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

  /// One of the caller's own choice, by its whole path.
  [[nodiscard]] static Result<Folder> at(const std::string& path);
  /// A directory in this one.
  [[nodiscard]] Result<Folder> in(const std::string& name) const;
  /// The directory that this one is in, whatever it is: for whoever knows how deep he is.
  [[nodiscard]] Result<Folder> parent() const;
  /// The same as in(), of a directory of ours that is made ours to read and to write first.
  [[nodiscard]] Result<Folder> unlocked(const std::string& name) const;
  /// A directory in this one, made with mode 0755 if nothing is there.
  [[nodiscard]] Result<Folder> made_in(const std::string& name) const;
  /// A new file in it, to be written to, with mode 0644 or 0755.
  [[nodiscard]] Result<Handle> create(const std::string& name, bool executable) const;
  /// A regular file in it, to be read from there on.
  [[nodiscard]] Result<Handle> open(const std::string& name, std::uint64_t offset = 0) const;
  /// A regular file in it, to be written to at its end.
  [[nodiscard]] Result<Handle> append(const std::string& name) const;
  /// Takes a name away that is no directory's; one that is not there is well.
  [[nodiscard]] Status remove(const std::string& name) const;
  /// Takes away a directory with nothing in it.
  [[nodiscard]] Status remove_empty(const std::string& name) const;
  /// Gives what is called so another name, which nothing may have, here or in another one.
  [[nodiscard]] Status move(const std::string& name, const Folder& to,
                            const std::string& new_name) const;
  [[nodiscard]] Status link(const std::string& name, const std::string& target) const;
  /// What link() would have been told.
  [[nodiscard]] Result<std::string> target_of(const std::string& name) const;
  /// What has this name.
  [[nodiscard]] Result<Item> item(const std::string& name) const;
  /// The next thing in it, in the system's order; nothing at the end.
  [[nodiscard]] Result<std::optional<Item>> next();

 private:
  class Names;
  [[nodiscard]] Result<Handle> open_file(const std::string& name, int how) const;
  explicit Folder(Handle handle);

  Handle handle_;
  std::unique_ptr<Names> names_;
};

}  // namespace lazaret::os
