// Builds a model as the commands do, with the available records and for each size that was asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/records/records.h"
#include "lab/text/dispatch_table.h"

namespace hone {

struct BuiltModel {
  BuildResult result;
  KernelLosses losses;
};
// Uses the records of OpenRecords for the module's name. `model_sha256`, `precision` and `joins_params` are as in
// BuildOptions.
BuiltModel BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                      const std::function<void(const std::string&, const relay::IRModule&)>& after_pass = nullptr,
                      const std::string& model_sha256 = "", const PackagePrecision& precision = {},
                      bool joins_params = true);

// The options for each size that --shape and --dim name; only `options` if they name one. A..B in --shape stands for A,
// 2 A, 4 A and so on below B, and for B. 1,5,8 in --dim stands for these sizes; a range A..B stays, since one package
// serves it. Sizes with the same text change together; others are combined, the first slowest. Throws Error(kUsage) for
// invalid sizes, and for more combinations than a package holds.
std::vector<ModelOptions> EachShape(const ModelOptions& options);

}  // namespace hone
