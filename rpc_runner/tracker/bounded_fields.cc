#include "rpc_runner/tracker/bounded_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/json/json_fields.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr size_t kMostJsonBytes = 16 << 10;

}  // namespace

std::string BoundedText(const Json& header, const char* name, size_t most) {
  std::string text = HeaderText(header, name);
  if (text.size() > most)
    throw LimitExceeded{fmt::format("\"{}\" has {} bytes, at most {} are kept", name, text.size(), most)};
  return text;
}

std::string BoundedTextOr(const Json& header, const char* name, const std::string& absent, size_t most) {
  return header.contains(name) ? BoundedText(header, name, most) : absent;
}

const Json& BoundedObject(const Json& header, const char* name) {
  const Json& object = HeaderObject(header, name);
  const size_t bytes = DumpJson(object).size();
  if (bytes <= kMostJsonBytes) return object;
  throw LimitExceeded{fmt::format("\"{}\" has {} bytes, at most {} are kept", name, bytes, kMostJsonBytes)};
}

std::set<std::string> BoundedNames(const Json& header, const char* name) {
  const std::vector<std::string> names = TextsField(header, name);
  const auto is_long = [](const std::string& text) { return text.size() > kMostTextBytes; };
  if (names.size() > kMostNamed || std::any_of(names.begin(), names.end(), is_long)) {
    throw LimitExceeded{fmt::format("\"{}\" names more than {} runners, or longer than any", name, kMostNamed)};
  }
  return {names.begin(), names.end()};
}

}  // namespace hone
