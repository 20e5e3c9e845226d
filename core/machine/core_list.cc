#include "core/machine/core_list.h"

#include <fmt/format.h>

#include <charconv>

#include "core/error.h"

namespace hone {
namespace {

constexpr int kMaxCore = 4095;

[[noreturn]] void Fail(std::string_view text) {
  throw Error(ExitCode::kUsage, fmt::format("--cores is given \"{}\"; right is a list such as 0,2-3", text));
}

int TakeNumber(std::string_view& rest, std::string_view text) {
  int number = 0;
  const auto [after, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number < 0 || number > kMaxCore) Fail(text);
  rest.remove_prefix(static_cast<size_t>(after - rest.data()));
  return number;
}

}  // namespace

std::vector<int> ParseCoreList(std::string_view text) {
  std::vector<int> cores;
  std::string_view rest = text;
  while (!rest.empty()) {
    const int first = TakeNumber(rest, text);
    int last = first;
    if (!rest.empty() && rest[0] == '-') {
      rest.remove_prefix(1);
      last = TakeNumber(rest, text);
    }
    if (last < first) Fail(text);
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (rest.empty()) break;
    if (rest[0] != ',' || rest.size() == 1) Fail(text);
    rest.remove_prefix(1);
  }
  return cores;
}

}  // namespace hone
