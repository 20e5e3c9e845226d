#include "lab/model/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/frontend/onnx/file/onnx_tensor.h"
#include "core/declared_types.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/random.h"
#include "core/text/spelling.h"
#include "lab/files/npy.h"
#include "lab/files/read_file.h"
#include "lab/model/extents.h"
#include "lab/text/number_text.h"
#include "rpc_runner/executor/job_limits.h"
#include "runtime/load/mapped_bytes.h"
#include "runtime/load/package_parts.h"

namespace hone {
namespace {

bool HasFixedExtents(const InputSpec& spec, Shape shape) {
  if (shape.size() != spec.shape.size()) return false;
  for (const InputRange& range : spec.ranges) Nth(shape, range.axis) = Nth(spec.shape, range.axis);
  return shape == spec.shape;
}

std::pair<std::string, std::string> SplitNameFile(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error(ExitCode::kUsage, fmt::format("--input is given \"{}\"; right is NAME=FILE.npy or NAME=FILE.pb", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::pair<std::string, Shape> ParseNamedShape(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ExitCode::kUsage, fmt::format("--shape is given \"{}\"; right is NAME=8,3,224,224", text));
  }
  return {text.substr(0, equals), ParseDims(std::string_view(text).substr(equals + 1), "--shape")};
}

const InputSpec& FindSpec(const std::vector<InputSpec>& specs, const std::string& name) {
  std::vector<std::string> names;
  for (const InputSpec& spec : specs) {
    if (spec.name == name) return spec;
    names.push_back(spec.name);
  }
  throw Error(ExitCode::kUsage, fmt::format("there is no input \"{}\", the model has {}{}", name,
                                            fmt::join(names, ", "), DidYouMean(name, names)));
}

// Whether numpy has the type of one byte only by the package ml_dtypes.
bool IsOfMlDtypes(DType dtype) {
  return DTypeBytes(dtype) == 1 && std::ranges::find(declared::kAll, dtype) != declared::kAll.end();
}

Tensor WithBytesOf(const Tensor& bytes, DType dtype) {
  Tensor tensor(dtype, bytes.shape());
  if (bytes.size_bytes() > 0) std::memcpy(tensor.raw(), bytes.raw(), static_cast<size_t>(bytes.size_bytes()));
  return tensor;
}

// The end of a message on a file of another type or shape; empty if nothing simple makes it right.
std::string WayToInput(const InputSpec& spec, const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (shape.size() == spec.shape.size() && !HasFixedExtents(spec, shape)) {
    return fmt::format("; `hone build MODEL --shape {}={} -o P.hone` builds for the file", spec.name,
                       fmt::join(shape, ","));
  }
  return HasFixedExtents(spec, shape) ? fmt::format("; numpy's astype(\"{}\") converts it", DTypeName(spec.dtype)) : "";
}

Tensor ReadInput(const InputSpec& spec, const std::string& path) {
  Tensor tensor = ReadTensorFile(path);
  if (tensor.dtype() == DType::kUInt8 && IsOfMlDtypes(spec.dtype)) tensor = WithBytesOf(tensor, spec.dtype);
  if (!HasFixedExtents(spec, tensor.shape()) || tensor.dtype() != spec.dtype) {
    throw Error(ExitCode::kUsage, fmt::format("{} holds {} {}; input \"{}\" is {} {}{}", path,
                                              ShapeText(tensor.shape()), DTypeName(tensor.dtype()), spec.name,
                                              ShapeTextOf(spec), DTypeName(spec.dtype), WayToInput(spec, tensor)));
  }
  return tensor;
}

void ChooseShape(const std::vector<InputSpec>& specs, const std::string& text, ChosenExtents& extents) {
  const auto [name, shape] = ParseNamedShape(text);
  const InputSpec& spec = FindSpec(specs, name);
  if (HasFixedExtents(spec, shape)) return extents.ChooseAsIn(spec, shape, "--shape " + text);
  throw Error(ExitCode::kUsage, fmt::format("--shape asks for \"{}\" {}; the package was built for {}, and "
                                            "`hone build MODEL --shape {} -o P.hone` builds one",
                                            name, ShapeText(shape), ShapeTextOf(spec), text));
}

void ChooseDims(const std::vector<InputSpec>& specs, const InputOptions& options, ChosenExtents& extents) {
  const std::vector<FreeDimension> free = FreeDimensions(specs);
  for (const std::string& text : options.dims) {
    const auto [name, extent] = ParseExtent(text);
    const bool there = std::any_of(free.begin(), free.end(), [&](const auto& each) { return each.name == name; });
    if (there || options.needs_dims) extents.Choose(name, extent, "--dim " + text);
  }
}

bool IsInteger(DType dtype) {
  constexpr DType kIntegers[] = {DType::kInt32, DType::kInt64, declared::kUInt32, declared::kUInt64};
  return std::ranges::find(kIntegers, dtype) != std::end(kIntegers);
}

Tensor Filled(const InputSpec& spec, const Shape& shape, Fill fill, uint64_t seed) {
  Tensor tensor(spec.dtype, shape);
  const bool is_random = fill == Fill::kNormal || fill == Fill::kUniform;
  if (!is_random || (!IsInteger(spec.dtype) && spec.indexes.Least() == 0)) {
    FillTensor(tensor, fill, seed);
    return tensor;
  }
  Random random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const int64_t extent = spec.indexes.Of(i);
    tensor.Set(i, static_cast<double>(random.Below(extent > 0 ? static_cast<uint64_t>(extent) : 2)));
  }
  return tensor;
}

// Two copies are needed: the tensors here, and the memory of the session that runs on them.
void RequireMemory(const std::vector<InputSpec>& specs, const ChosenExtents& extents) {
  double bytes = 0;
  for (const InputSpec& spec : specs)
    bytes += static_cast<double>(ElementCount(extents.ShapeOf(spec)) * DTypeBytes(spec.dtype));
  const int64_t machine = MachineBytes();
  if (2 * bytes <= static_cast<double>(machine)) return;
  throw Error(ExitCode::kIo,
              fmt::format("the inputs take {} twice, here and in the session; this machine has {} of memory",
                          BytesText(static_cast<int64_t>(bytes)), BytesText(machine)));
}

}  // namespace

InputShapes ShapesAsked(const InputOptions& options, const std::string& package_path) {
  InputShapes shapes;
  if (!options.files.empty() && IsFatPackage(MappedBytes::FromFile(package_path).view())) {
    for (const std::string& text : options.files) {
      const auto [name, path] = SplitNameFile(text);
      shapes[name] = ReadTensorFile(path).shape();
    }
  }
  for (const std::string& text : options.shapes) {
    const auto [name, shape] = ParseNamedShape(text);
    shapes[name] = shape;
  }
  return shapes;
}

std::vector<InputSpec> InputSpecs(const Plan& plan) {
  std::vector<InputSpec> specs;
  for (const int index : plan.inputs) {
    const PlanBuffer& buffer = Nth(plan.buffers, index);
    specs.push_back({buffer.name, buffer.dtype, buffer.shape});
  }
  for (const RangedAxis& axis : plan.ranged) {
    const std::string& dimension = Nth(plan.buffers, axis.extent).name;
    Nth(specs, axis.input).ranges.push_back({static_cast<size_t>(axis.axis), dimension, axis.least});
  }
  for (const PlanState& state : plan.states) {
    const PlanBuffer& buffer = Nth(plan.buffers, state.before);
    InputSpec& spec = specs.emplace_back(InputSpec{buffer.name, buffer.dtype, buffer.shape});
    spec.is_state = true;
    if (state.axis < 0) continue;
    spec.ranges.push_back({static_cast<size_t>(state.axis), Nth(plan.buffers, state.extent).name, 0});
  }
  return specs;
}

std::vector<InputSpec> InputSpecs(const Package& package) {
  const std::map<std::string, IndexBounds> bounds = IndexBoundsOf(package.manifest());
  std::vector<InputSpec> specs = InputSpecs(package.plan());
  for (InputSpec& spec : specs) {
    if (const auto of = bounds.find(spec.name); of != bounds.end()) spec.indexes = of->second;
  }
  return specs;
}

std::string ShapeTextOf(const InputSpec& spec) {
  if (spec.ranges.empty()) return ShapeText(spec.shape);
  std::vector<std::string> dims;
  for (const int64_t dim : spec.shape) dims.push_back(std::to_string(dim));
  for (const InputRange& range : spec.ranges) {
    std::string& dim = Nth(dims, range.axis);
    dim = fmt::format("({}: {}..{})", range.dimension, range.least, dim);
  }
  return fmt::format("{}", fmt::join(dims, "x"));
}

std::map<std::string, Tensor> MakeInputs(const std::vector<InputSpec>& specs, const InputOptions& options) {
  std::map<std::string, Tensor> inputs;
  ChosenExtents extents(specs);
  for (const std::string& text : options.shapes) ChooseShape(specs, text, extents);
  ChooseDims(specs, options, extents);
  for (const std::string& text : options.files) {
    const auto [name, path] = SplitNameFile(text);
    const InputSpec& spec = FindSpec(specs, name);
    inputs[name] = ReadInput(spec, path);
    extents.ChooseAsIn(spec, inputs[name].shape(), path);
  }
  const Fill fill = ParseFill(options.fill);
  RequireMemory(specs, extents);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (inputs.count(specs[i].name) > 0) continue;
    inputs[specs[i].name] = Filled(specs[i], extents.ShapeOf(specs[i]), fill, options.seed + i);
  }
  return inputs;
}

void RequireIndicesInRange(const std::vector<InputSpec>& specs, const std::map<std::string, Tensor>& inputs) {
  for (const InputSpec& spec : specs) {
    const Tensor& tensor = inputs.at(spec.name);
    for (int64_t i = 0; spec.indexes.Least() > 0 && i < tensor.elements(); ++i) {
      const int64_t extent = spec.indexes.Of(i);
      const double index = std::trunc(tensor.At(i));
      if (extent == 0 || (index >= -static_cast<double>(extent) && index < static_cast<double>(extent))) continue;
      throw Error(
          ExitCode::kUsage,
          fmt::format("input \"{0}\" holds {1}, and picks from {2} elements at place {4}; give --input {0}=FILE with "
                      "numbers from 0 to {3} there",
                      spec.name, index, extent, extent - 1, i));
    }
  }
}

Tensor ReadTensorFile(const std::string& path) {
  if (path.ends_with(".npy")) return ReadNpy(path);
  if (path.ends_with(".pb")) return ParseTensorProto(ReadFile(path), path);
  throw Error(ExitCode::kUsage,
              fmt::format("{} is neither a .npy nor a .pb file; numpy.save(FILE, array) writes an array, also an "
                          "image's or a table's",
                          path));
}

}  // namespace hone
