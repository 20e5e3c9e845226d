// Lines of other tuners' logs as trials: their templates and knobs in hone's workloads and schedules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "db/foreign/autotvm_line.h"
#include "db/foreign_trial.h"

namespace hone {

struct AutoTvmTemplate;

// Whether the line begins as one of another tuner's log, or, with `comments`, as a comment in one. True for no line of
// hone's own.
bool LooksForeign(std::string_view line, bool comments);

// Thread-compatible. Lines of one workload mostly come together, so the last workload is kept.
class ForeignLines {
 public:
  // `source` is the file's name, for people.
  explicit ForeignLines(std::string source) : source_(std::move(source)) {}
  // Throws Error(kBadData) with the reason why the line is refused.
  ForeignTrial Read(std::string_view line);

 private:
  std::string source_;
  AutoTvmReader reader_;
  std::shared_ptr<const AutoTvmInput> last_;
  const AutoTvmTemplate* template_ = nullptr;  // of last_
  std::string workload_;
};

}  // namespace hone
