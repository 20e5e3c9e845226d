// The packed test cases of the onnx package; pack_cases.py describes the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct OnnxCase {
  // The model's input to which a tensor belongs, and which element it is of a sequence; -1 if it is the input itself.
  struct Place {
    size_t input = 0;
    int element = -1;
  };
  struct DataSet {
    std::vector<std::string_view> inputs, outputs;  // serialized TensorProtos; empty for one that is absent
    std::vector<Place> places = {};                 // of the inputs
  };
  std::string set;
  std::string name;
  std::string_view model;
  std::vector<DataSet> data;  // without those of text
};

class CasePack {
 public:
  // Throws std::runtime_error if the file is missing or is not a pack.
  explicit CasePack(const std::string& path);
  CasePack(const CasePack&) = delete;
  CasePack& operator=(const CasePack&) = delete;

  // The cases point into the pack.
  const std::vector<OnnxCase>& cases() const { return cases_; }
  const std::string& onnx_version() const { return onnx_version_; }

 private:
  std::string bytes_;
  std::string onnx_version_;
  std::vector<OnnxCase> cases_;
};

}  // namespace hone
