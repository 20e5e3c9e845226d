#include "db/foreign/autotvm_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/json/json_fields.h"

namespace hone {
namespace {

constexpr std::string_view kConfig = "\"config\"";
constexpr double kNsPerSecond = 1e9;
constexpr double kMostSeconds = 1e6;  // a kernel of twelve days is a damaged number

// Indexed by AutoTVM's MeasureErrorNo.
constexpr std::array<Fate, 9> kFates = {
    Fate::kOk,             // NO_ERROR
    Fate::kInvalidConfig,  // INSTANTIATION_ERROR
    Fate::kCompileFailed,  // COMPILE_HOST
    Fate::kCompileFailed,  // COMPILE_DEVICE
    Fate::kCrashed,        // RUNTIME_DEVICE
    Fate::kWrongOutput,    // WRONG_ANSWER
    Fate::kTimedOut,       // BUILD_TIMEOUT
    Fate::kTimedOut,       // RUN_TIMEOUT
    Fate::kCancelled,      // UNKNOWN_ERROR
};

// Refuses a line that is JSON but not of AutoTVM 0.2, with the reason.
void CheckKind(const Json& json) {
  if (json.is_array()) {
    RefuseAutoTvm(
        "a MetaSchedule line: its trace names the loops of a program that is not in it; it says nothing of a shape");
  }
  if (!json.is_object()) RefuseAutoTvm("not an AutoTVM line: that is a JSON object");
  const auto v = json.find("v");
  if (v != json.end() && v->is_string()) {
    RefuseAutoTvm("an Ansor line: its workload is a hash of the computation, which does not say which operator it was");
  }
  if (v != json.end()) {
    RefuseAutoTvm(fmt::format(
        "an AutoTVM line of version {}: 0.2 is read; older ones name arguments that changed since", DumpJson(*v)));
  }
  const double version = NumberField(json, "version");
  if (version != 0.2) RefuseAutoTvm(fmt::format("an AutoTVM line of version {}: 0.2 is read", version));
}

const Json& At(const Json& list, size_t place, const char* what) {
  if (!list.is_array() || list.size() <= place) RefuseAutoTvm(fmt::format("there is no {}", what));
  return list[place];
}

std::string TextAt(const Json& list, size_t place, const char* what) {
  const Json& json = At(list, place, what);
  if (!json.is_string()) RefuseAutoTvm(fmt::format("the {} is no text", what));
  return json.get<std::string>();
}

double SecondsAt(const Json& list, size_t place, const char* what) {
  const Json& json = At(list, place, what);
  if (!json.is_number() || !(json.get<double>() >= 0)) RefuseAutoTvm(fmt::format("the {} is no time", what));
  return json.get<double>();
}

int64_t MeanNs(const Json& costs) {
  if (!costs.is_array() || costs.empty()) RefuseAutoTvm("the result has no costs");
  double sum = 0;
  for (size_t i = 0; i < costs.size(); ++i) sum += SecondsAt(costs, i, "cost");
  const double mean = sum / static_cast<double>(costs.size());
  if (!(mean > 0 && mean < kMostSeconds)) RefuseAutoTvm(fmt::format("the cost {} s is not a time of a kernel", mean));
  return std::max<int64_t>(1, std::llround(mean * kNsPerSecond));
}

void ReadResult(const Json& result, AutoTvmLine& line) {
  const Json& error = At(result, 1, "error number in the result");
  if (!error.is_number_unsigned() || error.get<uint64_t>() >= kFates.size()) {
    RefuseAutoTvm(fmt::format("the error number {} is not one of AutoTVM's 0 to 8", DumpJson(error)));
  }
  line.fate = kFates.at(error.get<uint64_t>());
  if (line.fate == Fate::kOk) line.cost_ns = MeanNs(result[0]);
  const double seconds = SecondsAt(result, 3, "time stamp");
  if (seconds > 1e11) RefuseAutoTvm("the time stamp is beyond the year 5000");
  line.unix_ms = std::llround(seconds * 1000);
}

int64_t InnermostOf(const std::string& name, const Json& sizes) {
  const bool list = sizes.is_array() && !sizes.empty() && sizes.back().is_number_integer();
  const int64_t inner = list ? sizes.back().get<int64_t>() : 0;
  if (inner < 1 || inner > INT32_MAX) RefuseAutoTvm(fmt::format("split '{}' is {}", name, DumpJson(sizes)));
  return inner;
}

AutoTvmInput InputOf(Json& input) {
  if (!At(input, 2, "list of arguments").is_array()) RefuseAutoTvm("the arguments are no list");
  return {TextAt(input, 0, "target"), TextAt(input, 1, "template"), std::move(input[2])};
}

}  // namespace

void RefuseAutoTvm(const std::string& why) { throw Error(ExitCode::kBadData, why); }

AutoTvmKnobs::AutoTvmKnobs(const Json& entity) {
  if (!entity.is_array()) RefuseAutoTvm("the config has no list of entities");
  for (const Json& knob : entity) {
    std::string name = TextAt(knob, 0, "name of a knob");
    const std::string kind = TextAt(knob, 1, "kind of a knob");
    const Json& value = At(knob, 2, "value of a knob");
    if (kind == "sp") {
      const int64_t inner = InnermostOf(name, value);
      knobs_.push_back({std::move(name), true, inner});
    } else if (kind == "ot" && value.is_number_integer()) {
      knobs_.push_back({std::move(name), false, value.get<int64_t>()});
    } else if (kind != "ot" && kind != "re" && kind != "an") {
      RefuseAutoTvm(fmt::format("knob '{}' is of kind '{}', not sp, re, an or ot", name, kind));
    }
  }
}

std::optional<int64_t> AutoTvmKnobs::FindInner(std::string_view split) const {
  const auto at =
      std::find_if(knobs_.begin(), knobs_.end(), [&](const Knob& knob) { return knob.split && knob.name == split; });
  return at == knobs_.end() ? std::nullopt : std::optional(at->value);
}

std::optional<int64_t> AutoTvmKnobs::FindNumber(std::string_view name) const {
  const auto at =
      std::find_if(knobs_.begin(), knobs_.end(), [&](const Knob& knob) { return !knob.split && knob.name == name; });
  return at == knobs_.end() ? std::nullopt : std::optional(at->value);
}

int64_t AutoTvmKnobs::Inner(std::string_view split) const {
  const auto inner = FindInner(split);
  if (!inner) RefuseAutoTvm(fmt::format("the config has no split '{}'", split));
  return *inner;
}

// Half of a line is its input. If it begins as the last line did, byte for byte, only the rest is parsed, as an object
// of its own. If that fails, the whole line is parsed to get its error.
Json AutoTvmReader::Parse(std::string_view line) {
  same_ = !beginning_.empty() && line.starts_with(beginning_);
  const std::string_view rest = line.substr(same_ ? beginning_.size() : 0);
  if (same_ && rest.starts_with(kConfig) && rest.find("\"input\"") == std::string_view::npos) {
    try {
      return ParseJson("{" + std::string(rest), "the line");
    } catch (const Error&) {
      same_ = false;
    }
  }
  same_ = false;
  return ParseJson(line, "the line");
}

AutoTvmLine AutoTvmReader::Read(std::string_view text) {
  if (text.find_first_of("{[") != 0 && text.find('\t') != std::string_view::npos) {
    RefuseAutoTvm("a pickled AutoTVM line: reading a pickle runs what is in it; write the log as JSON");
  }
  Json json = Parse(text);
  CheckKind(json);
  AutoTvmLine line{.input = input_, .knobs = AutoTvmKnobs(Field(Field(json, "config"), "entity"))};
  ReadResult(ArrayField(json, "result"), line);
  if (same_) return line;
  line.input = std::make_shared<const AutoTvmInput>(InputOf(json["input"]));
  input_ = line.input;
  beginning_ = text.substr(0, std::min(text.size(), text.find(kConfig)));
  return line;
}

}  // namespace hone
