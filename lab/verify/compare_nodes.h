// Finds the node at which a package's values begin to differ from its model's, another package's, or values computed
// elsewhere.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "lab/verify/compare_outputs.h"
#include "runtime/package.h"

namespace hone {

// Returns the value of a name; nullopt if there is none. Names are those of a model's nodes and of their results.
using ExpectedValue = std::function<std::optional<Tensor>(const std::string& name)>;

// The reference's result of each node of the model. `inputs` are by name.
ExpectedValue ExpectReference(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs);
// The values that another package of the model computes.
ExpectedValue ExpectPackage(const std::shared_ptr<const Package>& package, const std::map<std::string, Tensor>& inputs,
                            int threads);
// The .npy files of a folder: NAME.npy, or 0012_NAME.npy as `hone run --dump` writes them. In NAME every character
// except letters, digits and "_-." is replaced by "_". A file is read when its value is asked for, which throws what
// ReadNpy throws. Throws Error: kNoInput if the folder does not exist or has no such file; kNotAuthorised if it may not
// be read.
ExpectedValue ExpectFiles(const std::string& folder);

// The result of a call, compared with the expected value.
struct NodeError {
  int call = 0;  // index in the package's plan
  std::string op;
  OutputError error;                // `name` is the node's
  int64_t not_finite = 0;           // number of elements of the package's value that are NaN or infinite
  int64_t expected_not_finite = 0;  // the same number for the expected value
};

// By a node's name, the names that other programs use for its results: an ONNX model's.
using ResultNames = std::map<std::string, std::vector<std::string>>;

// Compares every value of the package that has an expected value of its name and shape, in the order of the calls.
// Values that exist only in the package (inside a rewritten part) are left out. `inputs` are by name, one for each
// input of the package. Throws Error(kUsage), naming `against`, if no value has an expected one.
std::vector<NodeError> CompareNodes(const std::shared_ptr<const Package>& package,
                                    const std::map<std::string, Tensor>& inputs, int threads, double tolerance,
                                    const ExpectedValue& expected, const std::string& against,
                                    const ResultNames& names = {});

// The index from which on no node agrees; nullopt if the last agrees. Nodes that differ ahead of one that agrees were
// rewritten on purpose, such as for a scale that is applied later.
std::optional<size_t> FirstDifference(const std::vector<NodeError>& nodes);
// The index of the first value that is not finite; nullopt if all are.
std::optional<size_t> FirstNotFinite(const std::vector<NodeError>& nodes);

// Prints a row per node, then where they begin to differ, and the first value that is not finite; one document with
// `json`. Returns whether the nodes agree up to the end.
bool ReportNodes(const std::vector<NodeError>& nodes, double tolerance, bool json);

}  // namespace hone
