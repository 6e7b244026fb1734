#pragma once

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "lazaret/error.hpp"

namespace lazaret {

/// A value, or the Error that kept us from having one. Dropping one does not compile under
/// -Werror. Asking for the side that is not there ends the process: it is a bug, never input.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` and `return error;` must work.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  [[nodiscard]] explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] T& value() & { return require<0>(state_); }
  [[nodiscard]] const T& value() const& { return require<0>(state_); }
  [[nodiscard]] T&& value() && { return std::move(require<0>(state_)); }
  [[nodiscard]] Error& error() & { return require<1>(state_); }
  [[nodiscard]] const Error& error() const& { return require<1>(state_); }
  [[nodiscard]] Error&& error() && { return std::move(require<1>(state_)); }

  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }

  /// This result with the caller's context in front of its error, if it is one.
  [[nodiscard]] Result within(std::string_view doing) && {
    if (ok()) return std::move(*this);
    return std::move(*this).error().within(doing);
  }

 private:
  template <std::size_t Index, typename Variant>
  static auto& require(Variant& state) {
    if (state.index() != Index) std::abort();
    return *std::get_if<Index>(&state);
  }

  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return !error_.has_value(); }
  [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] const Error& error() const& {
    if (!error_) std::abort();
    return *error_;
  }
  [[nodiscard]] Error&& error() && {
    if (!error_) std::abort();
    return std::move(*error_);
  }
  [[nodiscard]] Result within(std::string_view doing) && {
    if (ok()) return {};
    return std::move(*error_).within(doing);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace lazaret
