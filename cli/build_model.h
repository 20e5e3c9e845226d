// A build as the commands do it: with the records that are there.
#pragma once

#include <functional>
#include <string>

#include "cli/machine_options.h"
#include "cli/printing/dispatch_table.h"
#include "cli/record_options.h"
#include "compiler/build.h"

namespace hone {

struct BuiltModel {
  BuildResult result;
  KernelLosses losses;
};
// The records are those of OpenRecords for the module's own name. `model_sha256` and `precision`: as BuildOptions'.
BuiltModel BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                      const std::function<void(const std::string&, const relay::IRModule&)>& after_pass = nullptr,
                      const std::string& model_sha256 = "", const PackagePrecision& precision = {});

}  // namespace hone
