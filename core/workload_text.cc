#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/parse_number.h"
#include "core/spelling.h"
#include "core/workload.h"

namespace hone {
namespace {

// Keeps every sum and product of two numbers of a workload within 64 bits.
constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxElements = int64_t{1} << 40;
constexpr std::array<std::string_view, 3> kPrologueNames = {"none", "scale_shift", "scale_shift_relu"};
constexpr std::array<std::string_view, 3> kEpilogueNames = {"none", "bias_act", "residual"};

[[noreturn]] void Refuse(std::string_view text, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("workload '{}': {}", text, why));
}

Shape ParseNumbers(std::string_view text, std::string_view field, std::string_view value, size_t count, int64_t least) {
  Shape numbers;
  for (std::string_view part : Split(value, 'x')) {
    const auto number = ParseInteger(part);
    if (!number || *number < least || *number > kMaxNumber) {
      Refuse(text, fmt::format("{}={} needs {} numbers of at least {}, as in 1x1", field, value, count, least));
    }
    numbers.push_back(*number);
  }
  if (numbers.size() != count) Refuse(text, fmt::format("{}={} needs {} numbers", field, value, count));
  return numbers;
}

template <size_t N>
std::array<int64_t, N> ParseArray(std::string_view text, std::string_view field, std::string_view value,
                                  int64_t least) {
  const Shape numbers = ParseNumbers(text, field, value, N, least);
  std::array<int64_t, N> array{};
  std::copy(numbers.begin(), numbers.end(), array.begin());
  return array;
}

EpilogueClass ParseEpilogueClass(std::string_view text, std::string_view value) {
  const auto at = std::find(kEpilogueNames.begin(), kEpilogueNames.end(), value);
  if (at == kEpilogueNames.end()) Refuse(text, fmt::format("epilogue={} is not none, bias_act or residual", value));
  return static_cast<EpilogueClass>(at - kEpilogueNames.begin());
}

Prologue ParsePrologue(std::string_view text, std::string_view value) {
  const auto at = std::find(kPrologueNames.begin(), kPrologueNames.end(), value);
  if (at == kPrologueNames.end()) {
    Refuse(text, fmt::format("prologue={} is not none, scale_shift or scale_shift_relu", value));
  }
  return static_cast<Prologue>(at - kPrologueNames.begin());
}

// Vectors run along the last axis of an operand, so it is never B.
std::string ParseLayouts(std::string_view text, std::string_view value) {
  static constexpr std::array<std::string_view, 3> kAxes = {"BKM", "BKN", "BMN"};
  const std::vector<std::string_view> operands = Split(value, ',');
  bool fits = operands.size() == kAxes.size() && operands.back().ends_with('N');
  for (size_t i = 0; fits && i < kAxes.size(); ++i) {
    fits = std::is_permutation(operands[i].begin(), operands[i].end(), kAxes[i].begin(), kAxes[i].end()) &&
           !operands[i].ends_with('B');
  }
  if (!fits) {
    Refuse(text, fmt::format("layouts={} names the dims of data, weight and output with B, M, K and N, as in "
                             "BMK,BNK,BMN; no last one is B, and the output's is N",
                             value));
  }
  return std::string(value);
}

std::vector<std::string> FieldsOf(const Workload& workload) {
  if (workload.is_batch_matmul()) return {"data", "weight", "layouts", "dtype", "epilogue"};
  if (!workload.is_conv()) return {"data", "weight", "dtype", "epilogue"};
  return {"data", "weight", "strides", "padding", "dilation", "groups", "dtype", "epilogue", "prologue"};
}

void SetField(std::string_view text, std::string_view field, std::string_view value, Workload& workload) {
  const size_t rank = workload.is_conv() ? 4 : workload.is_batch_matmul() ? 3 : 2;
  if (field == "data") workload.data = ParseNumbers(text, field, value, rank, 1);
  if (field == "weight") workload.weight = ParseNumbers(text, field, value, rank, 1);
  if (field == "strides") workload.strides = ParseArray<2>(text, field, value, 1);
  if (field == "padding") workload.padding = ParseArray<4>(text, field, value, 0);
  if (field == "dilation") workload.dilation = ParseArray<2>(text, field, value, 1);
  if (field == "groups") workload.groups = ParseNumbers(text, field, value, 1, 1)[0];
  if (field == "layouts") workload.layouts = ParseLayouts(text, value);
  if (field == "dtype") workload.dtype = ParseDType(value);
  if (field == "epilogue") workload.epilogue = ParseEpilogueClass(text, value);
  if (field == "prologue") workload.prologue = ParsePrologue(text, value);
}

void CheckConv(std::string_view text, const Workload& w) {
  if (w.data[1] % w.groups != 0 || w.weight[0] % w.groups != 0) {
    Refuse(text,
           fmt::format("{} groups do not divide {} input and {} output channels", w.groups, w.data[1], w.weight[0]));
  }
  if (w.weight[1] != w.data[1] / w.groups) {
    Refuse(text, fmt::format("weight has {} input channels per group; data and groups make it {}", w.weight[1],
                             w.data[1] / w.groups));
  }
  const Shape output = w.OutputShape();
  if (output[2] < 1 || output[3] < 1) Refuse(text, "the kernel is larger than the padded input: there is no output");
}

void CheckBatchMatmul(std::string_view text, const Workload& w) {
  if (w.epilogue != EpilogueClass::kNone) Refuse(text, "nn.batch_matmul has no epilogue but none");
  const auto dim = [&](int operand, char axis) {
    return (operand == 0 ? w.data : w.weight)[w.OperandAxes(operand).find(axis)];
  };
  if (dim(0, 'K') != dim(1, 'K')) {
    Refuse(text, fmt::format("K is {} in data and {} in weight", dim(0, 'K'), dim(1, 'K')));
  }
  if (dim(1, 'B') != 1 && dim(0, 'B') != dim(1, 'B')) {
    Refuse(text, fmt::format("B is {} in data and {} in weight; the weight's may be 1", dim(0, 'B'), dim(1, 'B')));
  }
}

void CheckShapes(std::string_view text, const Workload& w) {
  if (w.data.empty()) Refuse(text, "data= is missing");
  if (w.weight.empty()) Refuse(text, "weight= is missing");
  if (w.is_conv()) CheckConv(text, w);
  if (w.is_batch_matmul()) CheckBatchMatmul(text, w);
  if (w.op == "nn.dense" && w.data[1] != w.weight[1]) {
    Refuse(text, fmt::format("data has {} columns and weight {}; they are the same K", w.data[1], w.weight[1]));
  }
  for (const Shape& shape : {w.data, w.weight, w.OutputShape()}) {
    if (ElementCount(shape) > kMaxElements) Refuse(text, fmt::format("{} is larger than any memory", ShapeText(shape)));
  }
}

}  // namespace

std::string Workload::ToText() const {
  std::string text = fmt::format("{} data={} weight={}", op, ShapeText(data), ShapeText(weight));
  if (is_conv()) {
    text += fmt::format(" strides={} padding={} dilation={} groups={}", fmt::join(strides, "x"),
                        fmt::join(padding, "x"), fmt::join(dilation, "x"), groups);
  }
  if (is_batch_matmul()) text += fmt::format(" layouts={}", layouts);
  text += fmt::format(" dtype={} epilogue={}", DTypeName(dtype), kEpilogueNames.at(static_cast<size_t>(epilogue)));
  if (prologue != Prologue::kNone)
    text += fmt::format(" prologue={}", kPrologueNames.at(static_cast<size_t>(prologue)));
  return text;
}

Workload Workload::Parse(std::string_view text) {
  std::vector<std::string_view> words = Split(text, ' ');
  std::erase(words, std::string_view());
  Workload workload;
  if (!words.empty()) workload.op = words[0];
  if (workload.op != "nn.conv2d" && workload.op != "nn.dense" && !workload.is_batch_matmul())
    Refuse(text, "it begins with nn.conv2d, nn.dense or nn.batch_matmul");
  if (workload.is_batch_matmul()) workload.layouts = "BMK,BNK,BMN";
  const std::vector<std::string> fields = FieldsOf(workload);
  std::vector<std::string_view> given;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string_view field = words[i].substr(0, equals);
    if (equals == std::string_view::npos || std::find(fields.begin(), fields.end(), field) == fields.end()) {
      Refuse(text, fmt::format("'{}' is not a field of {}{}", words[i], workload.op, DidYouMean(field, fields)));
    }
    if (std::find(given.begin(), given.end(), field) != given.end())
      Refuse(text, fmt::format("{} is given twice", field));
    given.push_back(field);
    SetField(text, field, words[i].substr(equals + 1), workload);
  }
  CheckShapes(text, workload);
  return workload;
}

}  // namespace hone
