#include <fmt/format.h>

#include <cmath>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "core/serialize.h"

namespace hone {
namespace {

// Far above what hone writes; below what would make ordered objects, which look keys up one by one, slow.
constexpr int kMaxDepth = 64;
constexpr size_t kMaxKeys = 2048;

[[noreturn]] void Refuse(std::string_view what, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("{} is not the JSON that hone reads: {}", what, why));
}

// Watches a parse: nothing it refuses is ever built.
class Watch {
 public:
  explicit Watch(std::string_view what) : what_(what) {}
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxDepth) Refuse(what_, "it is nested deeper than 64 levels");
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) See(parsed.get_ref<const std::string&>());
    return true;
  }

 private:
  void See(const std::string& key) {
    if (!keys_.back().insert(key).second) Refuse(what_, fmt::format("the key '{}' is there twice", key));
    if (keys_.back().size() > kMaxKeys) Refuse(what_, "an object has more than 2048 keys");
  }

  std::string_view what_;
  std::vector<std::unordered_set<std::string>> keys_;
};

void CheckFinite(const Json& json) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw Error(ExitCode::kBug, "a number that is not finite cannot be written as JSON");
  }
  if (!json.is_structured()) return;
  for (const Json& value : json) CheckFinite(value);
}

}  // namespace

Json ParseJson(std::string_view text, std::string_view what) {
  Watch watch(what);
  try {
    return Json::parse(text.begin(), text.end(), [&](int depth, Json::parse_event_t event, const Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::exception& exception) {
    Refuse(what, exception.what());
  }
}

std::string DumpJson(const Json& json) {
  CheckFinite(json);
  // Messages may quote what a crashing program printed, which need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hone
