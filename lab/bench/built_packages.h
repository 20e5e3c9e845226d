// The packages that `hone bench` times. Those of models are built first.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lab/files/fresh_file.h"
#include "lab/model/model.h"
#include "lab/records/records.h"

namespace hone {

// Whether the argument names a model: zoo:NAME, or a file that ends in .onnx or .relay.
bool IsModel(const std::string& argument);

// The names of the free dimensions of all packages among the arguments.
std::set<std::string> DimsOfPackages(const std::vector<std::string>& arguments);

// Packages made of models are temporary files, which this object's end and the signals that end the program remove.
class BuiltPackages {
 public:
  // Builds each model among the arguments for this machine, as `hone build` does, and notes in one line with what.
  // `options` are those of every model, without its name. Throws Error as LoadModel and BuildModel do.
  BuiltPackages(const std::vector<std::string>& arguments, const ModelOptions& options, int threads,
                const RecordOptions& records);

  // A file for each argument, in the same order.
  const std::vector<std::string>& paths() const { return paths_; }
  // The argument that the package at this path stands for.
  const std::string& ArgumentOf(const std::string& path) const;

 private:
  std::vector<std::string> arguments_, paths_;
  std::vector<std::unique_ptr<const TemporaryPackage>> temporary_;
};

}  // namespace hone
