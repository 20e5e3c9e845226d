// Where a package goes another way than its model, than another package, or than what somebody else computed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare_outputs.h"
#include "compiler/relay/expr.h"
#include "runtime/package.h"

namespace hone {

// The value of that name; nullopt when there is none. Names are those of a model's nodes and of what they give.
using ExpectedValue = std::function<std::optional<Tensor>(const std::string& name)>;

// What the reference gives for each node of the model. `inputs` are by name.
ExpectedValue ExpectReference(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);
// What another package of the model leaves.
ExpectedValue ExpectPackage(const std::shared_ptr<const Package>& package, const std::map<std::string, Tensor>& inputs,
                            int threads);
// The .npy files of a folder: NAME.npy, each other character than letters, digits and "_-." of the name being "_", or
// 0012_NAME.npy as `hone run --dump` writes them. Read when they are asked for. Throws Error(kNoInput) when the folder
// is not there or has no such file; asking throws what ReadNpy throws.
ExpectedValue ExpectFiles(const std::string& folder);

// What a call left, beside what is expected.
struct NodeError {
  int call = 0;  // of the package's plan
  std::string op;
  OutputError error;                // `name` is the node's
  int64_t not_finite = 0;           // how many elements of the package's value are NaN or infinite
  int64_t expected_not_finite = 0;  // and of what is expected
};

// By a node's name, the names under which others know what it gives: an ONNX model's.
using ResultNames = std::map<std::string, std::vector<std::string>>;

// Every value of the package that has an expected one of its name and shape, in the order of the calls. Values that
// only the package has (in the midst of what was rewritten) are left out. `inputs` are by name, one for each input of
// the package. Throws Error(kUsage) when no value has a name that is expected, telling `against`: what was asked.
std::vector<NodeError> CompareNodes(const std::shared_ptr<const Package>& package,
                                    const std::map<std::string, Tensor>& inputs, int threads, double tolerance,
                                    const ExpectedValue& expected, const std::string& against,
                                    const ResultNames& names = {});

// The first from which on none agrees: what differs before one that agrees was rewritten on purpose, such as a scale
// that is applied later. nullopt when the last agrees.
std::optional<size_t> FirstDifference(const std::vector<NodeError>& nodes);
// The first whose value is not finite; nullopt when all are.
std::optional<size_t> FirstNotFinite(const std::vector<NodeError>& nodes);

}  // namespace hone
