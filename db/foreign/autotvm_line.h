// One line of an AutoTVM log, version 0.2, as JSON (docs/reference/formats.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"
#include "core/measurement.h"

namespace hone {

// Throws Error(kBadData) with the reason why a line is refused.
[[noreturn]] void RefuseAutoTvm(const std::string& why);

// The knobs of a line, by name. An index into AutoTVM's space is never read, because it depends on the order in which
// Python walked a set.
class AutoTvmKnobs {
 public:
  // Reads the field `entity`: [[name, kind, value], ...]. Throws Error(kBadData) naming the knob.
  explicit AutoTvmKnobs(const Json& entity);
  // The innermost extent of a split. Throws Error(kBadData) when there is no such split.
  int64_t Inner(std::string_view split) const;
  std::optional<int64_t> FindInner(std::string_view split) const;
  // A knob that is a plain number.
  std::optional<int64_t> FindNumber(std::string_view knob) const;

 private:
  struct Knob {
    std::string name;
    bool split;
    int64_t value;
  };
  std::vector<Knob> knobs_;
};

// The tuned task. Lines of one task mostly come together and begin alike.
struct AutoTvmInput {
  std::string target, task;
  Json args;  // arguments of the template: tensors as ["TENSOR", shape, dtype], others unchanged
};

struct AutoTvmLine {
  std::shared_ptr<const AutoTvmInput> input;  // shared with the previous line if equal
  AutoTvmKnobs knobs;
  Fate fate = Fate::kOk;
  int64_t cost_ns = 0;  // mean of its costs; 0 when it failed
  int64_t unix_ms = 0;
};

// Thread-compatible.
class AutoTvmReader {
 public:
  // Throws Error(kBadData) with the reason: version 0.1, a pickle, a log of Ansor or MetaSchedule, or damage.
  AutoTvmLine Read(std::string_view line);

 private:
  Json Parse(std::string_view line);

  std::string beginning_;  // beginning of the last line read, up to its config
  std::shared_ptr<const AutoTvmInput> input_;
  bool same_ = false;  // whether the current line begins so
};

}  // namespace hone
