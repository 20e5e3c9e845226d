#include "lab/quantise/calibration_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/npz.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Inputs = std::map<std::string, Tensor>;

[[noreturn]] void RefuseCalibrationInput(const std::string& from, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("calibration input {}: {}", from, why));
}

std::vector<fs::path> SortedEntries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool HoldsTensor(const fs::path& path) { return path.extension() == ".npy" || path.extension() == ".pb"; }

Inputs FolderInputs(const fs::path& folder) {
  Inputs inputs;
  for (const fs::path& path : SortedEntries(folder)) {
    if (HoldsTensor(path)) inputs[path.stem().string()] = ReadTensorFile(path.string());
  }
  return inputs;
}

std::string NamesOf(const std::vector<InputSpec>& specs) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const InputSpec& spec : specs) names.push_back(spec.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const InputSpec& SpecOf(const std::vector<InputSpec>& specs, const std::string& name, const std::string& from) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const InputSpec& spec) { return spec.name == name; });
  if (found != specs.end()) return *found;
  RefuseCalibrationInput(from, fmt::format("the model has no input \"{}\"; right are {}", name, NamesOf(specs)));
}

// Number of samples in such a tensor, which lie one after the other.
int64_t CountOf(DType dtype, Shape shape, const InputSpec& spec, const std::string& from) {
  const Shape whole = shape;
  int64_t count = 1;
  if (!shape.empty() && shape.size() == spec.shape.size() && spec.shape[0] > 0 && shape[0] % spec.shape[0] == 0) {
    count = shape[0] / spec.shape[0];
    shape[0] = spec.shape[0];
  }
  if (shape == spec.shape && count > 0 && dtype == spec.dtype) return count;
  RefuseCalibrationInput(from, fmt::format("it holds {} {} for input \"{}\", which is {} {}", ShapeText(whole),
                                           DTypeName(dtype), spec.name, ShapeText(spec.shape), DTypeName(spec.dtype)));
}

// Reads the inputs of one sample, or of several in one file; false if the entry is no sample.
bool ReadEntry(const fs::path& path, const std::vector<InputSpec>& specs, const ImageOptions& images, Inputs& inputs) {
  if (fs::is_directory(path)) {
    inputs = FolderInputs(path);
    return !inputs.empty();
  }
  if (path.extension() == ".npz") {
    const std::string from = path.string();
    inputs = ReadNpz(from, [&](const std::string& name, DType dtype, const Shape& shape) {
      CountOf(dtype, shape, SpecOf(specs, name, from), from);
    });
    return true;
  }
  const bool picture = IsImageName(path.string());
  if (!picture && !HoldsTensor(path)) return false;
  if (specs.size() != 1) {
    RefuseCalibrationInput(
        path.string(), fmt::format("the model has the inputs {}; right is a folder per sample with a file for each, "
                                   "or a .npz file with an array for each",
                                   NamesOf(specs)));
  }
  const std::string file = path.string();
  inputs = {{specs[0].name, picture ? ImageInput(ReadImage(file), specs[0], images, file) : ReadTensorFile(file)}};
  return true;
}

Tensor Slice(const Tensor& all, const Shape& shape, int64_t index) {
  Tensor part(all.dtype(), shape);
  std::memcpy(part.raw(), static_cast<const char*>(all.raw()) + index * part.size_bytes(),
              static_cast<size_t>(part.size_bytes()));
  return part;
}

void RequireFinite(const Tensor& tensor, const InputSpec& spec, const std::string& from) {
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isfinite(tensor.At(i))) continue;
    RefuseCalibrationInput(
        from, fmt::format("element {} of input \"{}\" is {}; right are finite values", i, spec.name, tensor.At(i)));
  }
}

void AddSamples(const std::string& from, const Inputs& inputs, const std::vector<InputSpec>& specs,
                std::vector<CalibrationSample>& samples) {
  int64_t count = -1;
  for (const InputSpec& spec : specs) {
    const auto found = inputs.find(spec.name);
    if (found == inputs.end())
      RefuseCalibrationInput(from, fmt::format("it has no input \"{}\"; right are {}", spec.name, NamesOf(specs)));
    RequireFinite(found->second, spec, from);
    const int64_t own = CountOf(found->second.dtype(), found->second.shape(), spec, from);
    if (count >= 0 && own != count)
      RefuseCalibrationInput(from, fmt::format("its inputs are for {} and {}", count, Counted(own, "run")));
    count = own;
  }
  for (const auto& [name, tensor] : inputs) SpecOf(specs, name, from);
  for (int64_t i = 0; i < count; ++i) {
    CalibrationSample sample{from, {}};
    for (const InputSpec& spec : specs) sample.inputs[spec.name] = Slice(inputs.at(spec.name), spec.shape, i);
    RequireIndicesInRange(specs, sample.inputs);
    samples.push_back(std::move(sample));
  }
}

}  // namespace

std::vector<CalibrationSample> ReadCalibration(const std::string& folder, const std::vector<InputSpec>& specs,
                                               const ImageOptions& images) {
  if (!fs::is_directory(folder)) {
    throw Error(
        ExitCode::kNoInput,
        fmt::format("there is no folder {} of calibration inputs; right is a folder, or --calibrate random", folder));
  }
  std::vector<CalibrationSample> samples;
  for (const fs::path& path : SortedEntries(folder)) {
    Inputs inputs;
    if (ReadEntry(path, specs, images, inputs)) AddSamples(path.string(), inputs, specs, samples);
  }
  if (samples.empty()) {
    throw Error(
        ExitCode::kNoInput,
        fmt::format(
            "the folder {} holds no calibration input: no .npz, .npy, .pb, .jpg or .png file, and no folder of arrays",
            folder));
  }
  return samples;
}

std::vector<CalibrationSample> RandomCalibration(const std::vector<InputSpec>& specs, int64_t count, uint64_t seed) {
  std::vector<CalibrationSample> samples;
  for (int64_t i = 0; i < count; ++i) {
    InputOptions options;
    options.seed = seed + static_cast<uint64_t>(i) * 1000;
    samples.push_back({fmt::format("random {}", i), MakeInputs(specs, options)});
  }
  return samples;
}

namespace {

// Random inputs cost nothing, and a single one does not show how much errors vary.
constexpr ptrdiff_t kDrawnJudges = 8;

}  // namespace

CalibrationSplit SplitCalibration(std::vector<CalibrationSample> all) {
  constexpr size_t kEvery = 5;
  CalibrationSplit split;
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    const bool out = count >= kEvery && i % kEvery == kEvery - 1;
    (out ? split.held_out : split.seen).push_back(std::move(all[i]));
  }
  return split;
}

std::string JudgesText(size_t held_out) {
  if (held_out == 0) return "the same ones";
  return fmt::format("{}", Counted(held_out, "other"));
}

CalibrationSplit CalibrationOf(const std::string& from, int64_t drawn, const std::vector<InputSpec>& specs,
                               uint64_t seed, const ImageOptions& images) {
  if (from != "random") return SplitCalibration(ReadCalibration(from, specs, images));
  CalibrationSplit split;
  split.seen = RandomCalibration(specs, drawn + kDrawnJudges, seed);
  const auto judges = split.seen.end() - kDrawnJudges;
  split.held_out.assign(std::make_move_iterator(judges), std::make_move_iterator(split.seen.end()));
  split.seen.erase(judges, split.seen.end());
  return split;
}

}  // namespace hone
