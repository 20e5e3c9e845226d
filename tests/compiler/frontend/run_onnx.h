// Imports a model and runs it with the reference, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "tests/compiler/frontend/made_operators.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {

inline std::vector<Tensor> RunOnnx(const std::string& bytes, const std::map<std::string, Tensor>& inputs,
                                   const OnnxImportOptions& options = {}) {
  const relay::IRModule module = ImportOnnxBytes(bytes, "test", options).module;
  RecordMadeOperators(bytes, module);
  return RunReference(relay::InferType(module), inputs);
}

inline std::vector<float> Values(const Tensor& tensor) {
  std::vector<float> values;
  values.reserve(static_cast<size_t>(tensor.elements()));
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(static_cast<float>(tensor.At(i)));
  return values;
}

inline Tensor Typed(DType dtype, const Shape& shape, const std::vector<double>& values) {
  Tensor tensor(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

// A tensor of 0, 1, 2, ...
inline Tensor Counting(const Shape& shape) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i));
  return tensor;
}

// The error of importing; empty when there is none.
inline std::string ImportError(const std::string& bytes, const OnnxImportOptions& options = {},
                               ExitCode code = ExitCode::kBadData) {
  try {
    ImportOnnxBytes(bytes, "test", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

}  // namespace hone
