#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/serialize.h"

namespace hone {
namespace {

// Both limits are far above what hone writes. Ordered objects look keys up one by one and would be slow with many
// more.
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxKeys = 2048;

[[noreturn]] void RefuseJson(std::string_view what, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("{} is not the JSON that hone reads: {}", what, why));
}

// Builds the tree during a parse and refuses bad input before it is built. The library's own builder with a callback
// takes several times as long. Names of functions are those of nlohmann's SAX interface.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view what) : what_(what) {}

  Json Take() { return std::move(root_); }

  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(int64_t value) { return Add(value); }
  bool number_unsigned(uint64_t value) { return Add(value); }
  bool number_float(double value, const std::string& /*text*/) { return Add(value); }
  bool string(std::string& value) { return Add(std::move(value)); }
  bool binary(Json::binary_t& value) { return Add(std::move(value)); }
  bool start_object(size_t /*size*/) {
    Json object = Json::object();
    object.get_ref<Object&>().reserve(kUsualKeys);
    return Open(std::move(object));
  }
  bool start_array(size_t /*size*/) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& key) {
    Object& fields = open_.back().value->get_ref<Object&>();
    if (IsThere(key, fields)) RefuseJson(what_, fmt::format("the key '{}' is there twice", key));
    if (fields.size() == kMaxKeys) RefuseJson(what_, "an object has more than 2048 keys");
    fields.emplace_back(std::move(key), nullptr);
    return true;
  }
  bool parse_error(size_t /*position*/, const std::string& /*token*/, const Json::exception& exception) {
    RefuseJson(what_, exception.what());
  }

 private:
  using Object = Json::object_t;
  // Most objects have no more keys. Reserving room for them at once avoids moving each pair several times.
  static constexpr size_t kUsualKeys = 8;
  // Up to this many keys are compared one by one, which is faster than hashing. Almost all objects have fewer.
  static constexpr size_t kFewKeys = 24;

  struct OpenValue {
    Json* value = nullptr;                 // in its parent, which does not grow while this is open
    std::unordered_set<std::string> keys;  // of an object with more than kFewKeys
  };

  bool IsThere(const std::string& key, const Object& fields) {
    if (fields.size() < kFewKeys) {
      return std::any_of(fields.begin(), fields.end(), [&key](const auto& field) { return field.first == key; });
    }
    std::unordered_set<std::string>& keys = open_.back().keys;
    if (keys.empty()) {
      for (const auto& field : fields) keys.insert(field.first);
    }
    return !keys.insert(key).second;
  }

  Json* Put(Json value) {
    if (open_.size() > kMaxDepth) RefuseJson(what_, "it is nested deeper than 64 levels");
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back().value;
    if (parent.is_array()) return &parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
    return &(parent.get_ref<Object&>().back().second = std::move(value));
  }
  bool Add(Json value) {
    Put(std::move(value));
    return true;
  }
  bool Open(Json value) {
    open_.push_back({Put(std::move(value)), {}});
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  std::string_view what_;
  Json root_;
  std::vector<OpenValue> open_;
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
  TreeBuilder builder(what);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.Take();
}

std::string DumpJson(const Json& json) {
  CheckFinite(json);
  // Messages may quote the output of a crashing program, which need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hone
