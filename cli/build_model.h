// A build as the commands do it: records from the store, where there is one.
#pragma once

#include <functional>
#include <string>

#include "cli/machine_options.h"
#include "compiler/build.h"

namespace hone {

struct RecordOptions {
  std::string db;           // empty: the default store, when it is there
  bool no_records = false;  // analytic defaults only
};
void AddRecordOptions(CommandLine& line, RecordOptions& options);

BuildResult BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                       const std::function<void(const std::string&, const relay::IRModule&)>& after_pass = nullptr);

}  // namespace hone
