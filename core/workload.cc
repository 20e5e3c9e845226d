#include "core/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/block_format.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

int64_t OutputDim(int64_t in, int64_t kernel, int64_t stride, int64_t before, int64_t after, int64_t dilation) {
  const int64_t room = in + before + after - (dilation * (kernel - 1) + 1);
  return room < 0 ? 0 : room / stride + 1;
}

int64_t DimNamed(char axis, std::string_view axes, const Shape& shape) {
  const size_t at = axes.find(axis);
  return at == std::string_view::npos || at >= shape.size() ? 1 : shape[at];
}

// This limit keeps every sum and product of two numbers of a workload within 64 bits.
constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxElements = int64_t{1} << 40;
constexpr std::array<std::string_view, 3> kPrologueNames = {"none", "scale_shift", "scale_shift_relu"};
constexpr std::array<std::string_view, 3> kEpilogueNames = {"none", "bias_act", "residual"};

[[noreturn]] void RefuseWorkload(std::string_view text, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("workload '{}': {}", text, why));
}

Shape ParseNumbers(std::string_view text, std::string_view field, std::string_view value, size_t count, int64_t least) {
  Shape numbers;
  for (std::string_view part : Split(value, 'x')) {
    const auto number = ParseInteger(part);
    if (!number || *number < least || *number > kMaxNumber) {
      RefuseWorkload(text, fmt::format("{}={} needs {} numbers of at least {}, as in 1x1", field, value, count, least));
    }
    numbers.push_back(*number);
  }
  if (numbers.size() != count) RefuseWorkload(text, fmt::format("{}={} needs {} numbers", field, value, count));
  return numbers;
}

EpilogueClass ParseEpilogueClass(std::string_view text, std::string_view value) {
  const auto at = std::find(kEpilogueNames.begin(), kEpilogueNames.end(), value);
  if (at == kEpilogueNames.end())
    RefuseWorkload(text, fmt::format("epilogue={} is not none, bias_act or residual", value));
  return static_cast<EpilogueClass>(at - kEpilogueNames.begin());
}

Prologue ParsePrologue(std::string_view text, std::string_view value) {
  const auto at = std::find(kPrologueNames.begin(), kPrologueNames.end(), value);
  if (at == kPrologueNames.end()) {
    RefuseWorkload(text, fmt::format("prologue={} is not none, scale_shift or scale_shift_relu", value));
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
    RefuseWorkload(text, fmt::format("layouts={} names the dims of data, weight and output with B, M, K and N, as in "
                                     "BMK,BNK,BMN; no last one is B, and the output's is N",
                                     value));
  }
  return std::string(value);
}

// Takes four names, or one that stands for all four.
ElementTypes ParseTypes(std::string_view text, std::string_view value) {
  const std::vector<std::string_view> names = Split(value, ',');
  if (names.size() != 1 && names.size() != 4) {
    RefuseWorkload(text,
                   fmt::format("dtype={} names one type, or those of data, weight, accumulator and output", value));
  }
  const auto type = [&](size_t i) { return ParseDType(names.size() == 1 ? names[0] : names[i]); };
  return {type(0), type(1), type(2), type(3)};
}

std::string TypesText(const ElementTypes& types) {
  if (types == ElementTypes{types.data, types.data, types.data, types.data}) return std::string(DTypeName(types.data));
  return fmt::format("{},{},{},{}", DTypeName(types.data), DTypeName(types.weight), DTypeName(types.accumulator),
                     DTypeName(types.output));
}

void CheckConv(std::string_view text, const Workload& w) {
  if (w.data[1] % w.groups != 0 || w.weight[0] % w.groups != 0) {
    RefuseWorkload(
        text, fmt::format("{} groups do not divide {} input and {} output channels", w.groups, w.data[1], w.weight[0]));
  }
  if (w.weight[1] != w.data[1] / w.groups) {
    RefuseWorkload(text, fmt::format("weight has {} input channels per group; data and groups make it {}", w.weight[1],
                                     w.data[1] / w.groups));
  }
  const Shape output = w.OutputShape();
  if (output[2] < 1 || output[3] < 1)
    RefuseWorkload(text, "the kernel is larger than the padded input: there is no output");
}

void CheckBatchMatmul(std::string_view text, const Workload& w) {
  if (w.epilogue != EpilogueClass::kNone) RefuseWorkload(text, "nn.batch_matmul has no epilogue but none");
  const auto dim = [&](int operand, char axis) {
    return (operand == 0 ? w.data : w.weight)[w.OperandAxes(operand).find(axis)];
  };
  if (dim(0, 'K') != dim(1, 'K')) {
    RefuseWorkload(text, fmt::format("K is {} in data and {} in weight", dim(0, 'K'), dim(1, 'K')));
  }
  if (dim(1, 'B') != 1 && dim(0, 'B') != dim(1, 'B')) {
    RefuseWorkload(text,
                   fmt::format("B is {} in data and {} in weight; the weight's may be 1", dim(0, 'B'), dim(1, 'B')));
  }
}

void CheckDenseBlocks(std::string_view text, const Workload& w) {
  if (w.layouts.empty()) RefuseWorkload(text, "blocks= is missing");
  const int64_t words = BlockFormat::Parse(w.layouts).Words(w.data[1]);
  if (w.weight[1] == words) return;
  RefuseWorkload(text,
                 fmt::format("weight has {} words; {} columns of {} are {}", w.weight[1], w.data[1], w.layouts, words));
}

void CheckDense(std::string_view text, const Workload& w) {
  if (w.data[1] == w.weight[1]) return;
  RefuseWorkload(text, fmt::format("data has {} columns and weight {}; they are the same K", w.data[1], w.weight[1]));
}

// The grammar of one operator's workloads.
struct OperatorRow {
  std::string op;
  size_t rank;                      // of data and weight
  std::vector<std::string> fields;  // in the order of the text
  std::string layouts;              // the default when they are not given
  void (*check)(std::string_view text, const Workload& w);
};

const std::vector<OperatorRow>& Operators() {
  static const std::vector<OperatorRow> rows{
      {"nn.conv2d",
       4,
       {"data", "weight", "strides", "padding", "dilation", "groups", "dtype", "epilogue", "prologue"},
       "",
       CheckConv},
      {"nn.dense", 2, {"data", "weight", "dtype", "epilogue"}, "", CheckDense},
      {"nn.dense_blocks", 2, {"data", "weight", "blocks", "dtype", "epilogue"}, "", CheckDenseBlocks},
      {"nn.batch_matmul", 3, {"data", "weight", "layouts", "dtype", "epilogue"}, "BMK,BNK,BMN", CheckBatchMatmul}};
  return rows;
}

// Null for an operator that has no workloads.
const OperatorRow* FindOperator(std::string_view op) {
  const auto row =
      std::find_if(Operators().begin(), Operators().end(), [&](const OperatorRow& r) { return r.op == op; });
  return row == Operators().end() ? nullptr : &*row;
}

// "nn.conv2d, nn.dense, nn.dense_blocks or nn.batch_matmul"
std::string OperatorNames() {
  std::string names;
  for (const OperatorRow& row : Operators()) {
    const bool last = &row == &Operators().back();
    names += (names.empty() ? "" : last ? " or " : ", ") + row.op;
  }
  return names;
}

// A field as it was given, with the whole text for messages.
struct Given {
  std::string_view text, field, value;
  size_t rank;  // of data and weight
};

// The reader and the writer of one field of a workload.
struct FieldRow {
  std::string_view name;
  std::string (*written)(const Workload& w);  // empty: left out
  void (*read)(const Given& given, Workload& w);
};

Shape ShapeGiven(const Given& g) { return ParseNumbers(g.text, g.field, g.value, g.rank, 1); }

template <size_t N>
std::array<int64_t, N> ArrayGiven(const Given& g, int64_t least) {
  const Shape numbers = ParseNumbers(g.text, g.field, g.value, N, least);
  std::array<int64_t, N> array{};
  std::copy(numbers.begin(), numbers.end(), array.begin());
  return array;
}

template <typename Numbers>
std::string Crossed(const Numbers& numbers) {
  return fmt::format("{}", fmt::join(numbers, "x"));
}

constexpr std::array<FieldRow, 11> kWorkloadFields{
    {{"data", [](const Workload& w) { return ShapeText(w.data); },
      [](const Given& g, Workload& w) { w.data = ShapeGiven(g); }},
     {"weight", [](const Workload& w) { return ShapeText(w.weight); },
      [](const Given& g, Workload& w) { w.weight = ShapeGiven(g); }},
     {"strides", [](const Workload& w) { return Crossed(w.strides); },
      [](const Given& g, Workload& w) { w.strides = ArrayGiven<2>(g, 1); }},
     {"padding", [](const Workload& w) { return Crossed(w.padding); },
      [](const Given& g, Workload& w) { w.padding = ArrayGiven<4>(g, 0); }},
     {"dilation", [](const Workload& w) { return Crossed(w.dilation); },
      [](const Given& g, Workload& w) { w.dilation = ArrayGiven<2>(g, 1); }},
     {"groups", [](const Workload& w) { return std::to_string(w.groups); },
      [](const Given& g, Workload& w) { w.groups = ArrayGiven<1>(g, 1)[0]; }},
     {"layouts", [](const Workload& w) { return w.layouts; },
      [](const Given& g, Workload& w) { w.layouts = ParseLayouts(g.text, g.value); }},
     {"blocks", [](const Workload& w) { return w.layouts; },
      [](const Given& g, Workload& w) { w.layouts = BlockFormat::Parse(g.value).ToText(); }},
     {"dtype", [](const Workload& w) { return TypesText(w.types); },
      [](const Given& g, Workload& w) { w.types = ParseTypes(g.text, g.value); }},
     {"epilogue", [](const Workload& w) { return std::string(kEpilogueNames.at(static_cast<size_t>(w.epilogue))); },
      [](const Given& g, Workload& w) { w.epilogue = ParseEpilogueClass(g.text, g.value); }},
     {"prologue",
      [](const Workload& w) {
        return w.prologue == Prologue::kNone ? "" : std::string(kPrologueNames.at(static_cast<size_t>(w.prologue)));
      },
      [](const Given& g, Workload& w) { w.prologue = ParsePrologue(g.text, g.value); }}}};

const FieldRow& FieldNamed(std::string_view name) {
  return *std::find_if(kWorkloadFields.begin(), kWorkloadFields.end(),
                       [&](const FieldRow& row) { return row.name == name; });
}

void CheckShapes(std::string_view text, const OperatorRow& row, const Workload& w) {
  if (w.data.empty()) RefuseWorkload(text, "data= is missing");
  if (w.weight.empty()) RefuseWorkload(text, "weight= is missing");
  row.check(text, w);
  for (const Shape& shape : {w.data, w.weight, w.OutputShape()}) {
    if (ElementCount(shape) > kMaxElements)
      RefuseWorkload(text, fmt::format("{} is larger than any memory", ShapeText(shape)));
  }
}

// Splits the word into the field's name and value. Refuses a name that is no field of the operator.
Given FieldOf(std::string_view text, std::string_view word, const OperatorRow& row) {
  const size_t equals = word.find('=');
  const std::string_view field = word.substr(0, equals);
  if (equals == std::string_view::npos || std::find(row.fields.begin(), row.fields.end(), field) == row.fields.end()) {
    RefuseWorkload(text, fmt::format("'{}' is not a field of {}{}", word, row.op, DidYouMean(field, row.fields)));
  }
  return {text, field, word.substr(equals + 1), row.rank};
}

}  // namespace

std::string_view Workload::OperandAxes(int operand) const {
  return std::string_view(layouts).substr(static_cast<size_t>(operand) * 4, 3);
}

int64_t Workload::Extent(char axis) const {
  return std::max(DimNamed(axis, OperandAxes(0), data), DimNamed(axis, OperandAxes(1), weight));
}

bool Workload::is_depthwise() const {
  return is_conv() && groups > 1 && data.size() == 4 && !weight.empty() && data[1] == groups && weight[0] == groups;
}

Shape Workload::OutputShape() const {
  if (is_batch_matmul()) {
    Shape shape;
    for (const char axis : OperandAxes(2)) shape.push_back(Extent(axis));
    return shape;
  }
  if (!is_conv()) return {data[0], weight[0]};
  return {data[0], weight[0], OutputDim(data[2], weight[2], strides[0], padding[0], padding[2], dilation[0]),
          OutputDim(data[3], weight[3], strides[1], padding[1], padding[3], dilation[1])};
}

double Workload::Flops() const {
  double multiply_adds = 1;
  for (int64_t dim : OutputShape()) multiply_adds *= static_cast<double>(dim);
  if (is_batch_matmul()) return 2 * multiply_adds * static_cast<double>(Extent('K'));
  if (!is_conv()) return 2 * multiply_adds * static_cast<double>(data[1]);
  for (size_t i = 1; i < weight.size(); ++i) multiply_adds *= static_cast<double>(weight[i]);
  return 2 * multiply_adds;
}

std::string Workload::ToText() const {
  const OperatorRow* row = FindOperator(op);
  if (row == nullptr) return op;
  std::string text = op;
  for (const std::string& field : row->fields) {
    const std::string value = FieldNamed(field).written(*this);
    if (!value.empty()) text += fmt::format(" {}={}", field, value);
  }
  return text;
}

Workload Workload::Parse(std::string_view text) {
  std::vector<std::string_view> words = Split(text, ' ');
  std::erase(words, std::string_view());
  const OperatorRow* row = words.empty() ? nullptr : FindOperator(words[0]);
  if (row == nullptr) RefuseWorkload(text, "it begins with " + OperatorNames());
  Workload workload;
  workload.op = row->op;
  workload.layouts = row->layouts;
  std::vector<std::string_view> seen;
  for (size_t i = 1; i < words.size(); ++i) {
    const Given given = FieldOf(text, words[i], *row);
    if (std::find(seen.begin(), seen.end(), given.field) != seen.end())
      RefuseWorkload(text, fmt::format("{} is given twice", given.field));
    seen.push_back(given.field);
    FieldNamed(given.field).read(given, workload);
  }
  CheckShapes(text, *row, workload);
  return workload;
}

}  // namespace hone
