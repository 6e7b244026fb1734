#include "places.hpp"

namespace lazaret::test {

const char* const kCheckout = LAZARET_SOURCE_DIR;
const char* const kLazaretPath = LAZARET_CLI_MAIN_PATH;
const char* const kServePath = LAZARET_SERVE_MAIN_PATH;
const char* const kRunnerPath = LAZARET_RUNNER_PROGRAM_PATH;

}  // namespace lazaret::test
