#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lazaret::bench {

/// Whose work a row shows: ours, an engine's own, another sandbox's, or a program without any.
enum class Who { ours, engine, peer, bare };

/// How long one piece of work took, each time.
struct Timing {
  std::string name;
  Who who = Who::ours;
  std::vector<double> ms = {};
  std::string missing = {};  ///< why there is none: what was not found
  std::size_t failed = 0;    ///< times without a result, which are not among the others

  /// The smallest of them that `part` (0 to 1) of them do not exceed; there is at least one.
  [[nodiscard]] double quantile(double part) const;
  [[nodiscard]] double p50() const { return quantile(0.5); }
};

/// What a number is asked to be.
struct Bound {
  enum class Side { at_most, at_least } side;
  double value;
};
[[nodiscard]] inline Bound at_most(double value) { return {Bound::Side::at_most, value}; }
[[nodiscard]] inline Bound at_least(double value) { return {Bound::Side::at_least, value}; }

/// One number, and what it is asked to be where that is promised.
struct Figure {
  std::string name;
  double value;
  std::string unit;
  std::optional<Bound> asked = {};

  [[nodiscard]] bool held() const;
};

/// What was measured in turns, and what follows from it.
struct Group {
  std::string title;
  std::vector<Timing> timings = {};
  std::vector<Figure> figures = {};
  std::string missing = {};  ///< why nothing of it could be measured

  /// A timing that was measured, or nothing.
  [[nodiscard]] const Timing* timing(const std::string& name) const;
  /// Adds a quantile of a timing as a figure, where it was measured.
  void add_quantile(const std::string& name, double part, Bound asked);
  /// Adds how much longer the median of `slow` is than the one of `fast`.
  void add_difference(const std::string& slow, const std::string& fast,
                      std::optional<Bound> asked = {});
  /// Adds how many times as long the median of `slow` is as the one of `fast`.
  void add_ratio(const std::string& slow, const std::string& fast, std::optional<Bound> asked = {});
};

struct Report {
  nlohmann::ordered_json machine;
  std::vector<std::pair<std::string, Group>> groups;
};

[[nodiscard]] nlohmann::ordered_json json_of(const Report& report);
void print_table(const Group& group, std::FILE* to);

}  // namespace lazaret::bench
