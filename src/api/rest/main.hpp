#pragma once

namespace lazaret::rest {

/// The daemon's program: parses, listens, serves. Returns the exit status.
[[nodiscard]] int main(int argc, const char* const* argv);

}  // namespace lazaret::rest
