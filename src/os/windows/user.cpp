#include "os/user.hpp"

#include <algorithm>
#include <bit>

#include "os/windows/sdk.hpp"
#include "os/windows/text.hpp"

namespace lazaret::os {
namespace {

std::optional<std::wstring> wide_variable(const std::wstring& name) {
  std::wstring value(256, L'\0');
  for (;;) {
    ::SetLastError(ERROR_SUCCESS);  // an empty value is a success of length zero
    const auto space = static_cast<DWORD>(value.size());
    const DWORD length = ::GetEnvironmentVariableW(name.c_str(), value.data(), space);
    if (length == 0 && ::GetLastError() != ERROR_SUCCESS) return std::nullopt;
    value.resize(length);
    if (length < space) return value;
  }
}

}  // namespace

std::optional<std::string> variable(std::string_view name) {
  const auto value = wide_variable(wide(name));
  if (!value) return std::nullopt;
  return narrow(*value);
}

std::filesystem::path home_directory() { return wide_variable(L"USERPROFILE").value_or(L""); }

std::optional<std::uint64_t> user_id() { return std::nullopt; }

unsigned processors() {
  DWORD_PTR ours = 0, all = 0;
  if (!::GetProcessAffinityMask(::GetCurrentProcess(), &ours, &all)) return 1;
  // Both masks are zero for a process in several processor groups.
  if (ours == 0) return std::max<unsigned>(::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), 1);
  return static_cast<unsigned>(std::popcount(ours));
}

bool is_crowded() { return false; }

RawHandle standard_stream(int number) {
  const DWORD names[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  if (number < 0 || number > 2) return kNoHandle;
  const HANDLE stream = ::GetStdHandle(names[number]);
  return stream == nullptr ? kNoHandle : stream;  // null: a program without standard streams
}

bool is_terminal(int number) {
  DWORD mode = 0;
  return ::GetConsoleMode(standard_stream(number), &mode) != 0;
}

bool is_directory(int) { return false; }

bool is_at_end(int) { return false; }

std::size_t write_without_waiting(int number, std::string_view text) {
  DWORD written = 0;
  const auto size = static_cast<DWORD>(text.size());
  return ::WriteFile(standard_stream(number), text.data(), size, &written, nullptr) != 0 ? written
                                                                                         : 0;
}

// There is no signal for it here: writing simply fails.
void ignore_broken_pipes() {}

// What is written fails then.
bool is_reader_gone(int) { return false; }

// Handles have no numbers that are given again.
void hold_standard_streams() {}

}  // namespace lazaret::os
