// Builds a model as the commands do, with the available records.
#pragma once

#include <functional>
#include <string>

#include "compiler/build.h"
#include "lab/machine/machine.h"
#include "lab/records/records.h"
#include "lab/text/dispatch_table.h"

namespace hone {

struct BuiltModel {
  BuildResult result;
  KernelLosses losses;
};
// Uses the records of OpenRecords for the module's name. `model_sha256` and `precision` are as in BuildOptions.
BuiltModel BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                      const std::function<void(const std::string&, const relay::IRModule&)>& after_pass = nullptr,
                      const std::string& model_sha256 = "", const PackagePrecision& precision = {});

}  // namespace hone
