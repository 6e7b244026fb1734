#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "lazaret/control.hpp"
#include "lazaret/error.hpp"
#include "lazaret/execution_result.hpp"

namespace lazaret {
namespace {

// Names of the enumerators from the first to `last`.
template <typename Enum>
std::set<std::string> names_up_to(Enum last) {
  std::set<std::string> names;
  for (int index = 0; index <= static_cast<int>(last); ++index) {
    names.insert(std::string(name_of(static_cast<Enum>(index))));
  }
  return names;
}

TEST(ControlNames, LeadBackToTheirControl) {
  for (const Control control : all_controls()) {
    SCOPED_TRACE(std::string(name_of(control)));
    EXPECT_EQ(control_named(name_of(control)), control);
  }
}

TEST(ControlNames, CoverEveryControlInOrder) {
  const auto& controls = all_controls();
  ASSERT_EQ(controls.size(), static_cast<std::size_t>(Control::subprocess) + 1);
  EXPECT_TRUE(std::is_sorted(controls.begin(), controls.end()));
}

TEST(ControlNames, AreNotGuessed) {
  EXPECT_EQ(control_named(""), std::nullopt);
  EXPECT_EQ(control_named("Network"), std::nullopt);
  EXPECT_EQ(control_named("network "), std::nullopt);
  EXPECT_EQ(control_named("net"), std::nullopt);
}

TEST(DefaultRequiredControls, AreTheFourThatHoldCode) {
  EXPECT_EQ(default_required_controls(),
            (std::set<Control>{Control::network, Control::filesystem, Control::privileges,
                               Control::timeout}));
}

TEST(Names, AreDistinctAndNeverEmpty) {
  const auto complete = [](const std::set<std::string>& names, int count) {
    return static_cast<int>(names.size()) == count && !names.contains("");
  };
  EXPECT_TRUE(complete(names_up_to(Errc::system), 17));
  EXPECT_TRUE(complete(names_up_to(Cause::infrastructure_lost), 19));
  EXPECT_TRUE(complete(names_up_to(ErrorType::BackendError), 9));
  EXPECT_TRUE(complete(names_up_to(EvidenceStatus::not_enforced), 3));
  EXPECT_TRUE(complete(names_up_to(Isolation::none), 3));
}

}  // namespace
}  // namespace lazaret
