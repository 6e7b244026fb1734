#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/frame.hpp"
#include "unit/runner/message_bed.hpp"

namespace lazaret::runner {
namespace {

Job sample_cell() {
  Job job;
  job.argv = {"python3"};
  job.word = "word";
  job.farewell = "bye";
  job.keeps_box = true;
  job.context = std::string(kContextBytes, 'c');
  job.begins_context = true;
  return job;
}

TEST(CellMessage, HasAWholeContextOrNone) {
  const auto job = decode_job(encode(sample_cell()));
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->context, sample_cell().context);
  EXPECT_TRUE(job->begins_context);
  for (void (*const spoil)(Job&) :
       {+[](Job& each) { each.context += 'c'; }, +[](Job& each) { each.context.clear(); },
        +[](Job& each) { each.keeps_box = false; }, +[](Job& each) { each.farewell.clear(); }}) {
    Job spoilt = sample_cell();
    spoil(spoilt);
    EXPECT_EQ(decode_job(encode(spoilt)).error().code(), Errc::protocol);
  }
}

TEST(CellMessage, IsRefusedCutOrLengthened) {
  test::expect_only_whole(encode(sample_cell()), decode_job);
}

TEST(CellMessage, IsToldOfItsEndWithAContextThatIsThereOrNot) {
  for (const int answer : {2, 255}) {
    std::vector<std::byte> bytes = encode(Exited{});
    bytes.back() = static_cast<std::byte>(answer);
    EXPECT_EQ(decode_exited(bytes).error().code(), Errc::protocol) << answer;
  }
}

}  // namespace
}  // namespace lazaret::runner
