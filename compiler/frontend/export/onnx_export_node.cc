// The ONNX form of each Relay operator.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/frontend/export/onnx_writer.h"
#include "compiler/relay/conv_layout.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {
namespace {

using relay::AsCallTo;
using relay::Attrs;
using relay::Call;
using relay::ExprPtr;

// Adds the nodes of one call; `result` is the name of what they make.
using Exporter = void (*)(OnnxWriter& writer, const Call& call, const std::string& result);

[[noreturn]] void Refuse(const Call& call, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("{} has no ONNX form: {}", relay::AsOp(call.op)->def->name, why));
}

std::vector<std::string> ArgNames(const OnnxWriter& writer, const Call& call) {
  std::vector<std::string> names;
  for (const ExprPtr& arg : call.args) {
    const relay::Tuple* tuple = relay::AsTuple(arg);
    if (tuple == nullptr) {
      names.push_back(writer.NameOf(arg));
      continue;
    }
    for (const ExprPtr& field : tuple->fields) names.push_back(writer.NameOf(field));
  }
  return names;
}

std::string AddInts(OnnxWriter& writer, const std::string& hint, const std::vector<int64_t>& values) {
  const std::string name = writer.NewName(hint);
  writer.AddInitializer(name,
                        Tensor::FromVector<int64_t>(DType::kInt64, {static_cast<int64_t>(values.size())}, values));
  return name;
}

std::string AddFloat(OnnxWriter& writer, const std::string& hint, double value) {
  const std::string name = writer.NewName(hint);
  writer.AddInitializer(name, Tensor::Scalar(static_cast<float>(value)));
  return name;
}

// A field of what a node with several results makes.
std::string PartName(const std::string& tuple, int index) { return fmt::format("{}.{}", tuple, index); }

OnnxExportAttributes ConvAttributes(const Call& call) {
  if (relay::ConvLayoutsOf(call.attrs) != relay::ConvLayouts()) Refuse(call, "its layouts are not NCHW and OIHW");
  if (call.type->dtype != call.args[0]->type->dtype)
    Refuse(call, "its result is of another element type than its data");
  const Shape& weight = call.args[1]->type->shape;
  return {{"kernel_shape", std::vector<int64_t>{weight[2], weight[3]}},
          {"strides", call.attrs.GetInts("strides", {1, 1})},
          {"pads", call.attrs.GetInts("padding", {0, 0, 0, 0})},
          {"dilations", call.attrs.GetInts("dilation", {1, 1})},
          {"group", call.attrs.GetInt("groups", 1)}};
}

void AddConv(OnnxWriter& writer, const Call& call, const std::string& result, const std::string& bias) {
  std::vector<std::string> inputs = ArgNames(writer, call);
  if (!bias.empty()) inputs.push_back(bias);
  writer.AddNode("Conv", inputs, result, ConvAttributes(call));
}

void ConvTranspose(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes = ConvAttributes(call);
  attributes.emplace_back("output_padding", call.attrs.GetInts("output_padding", {0, 0}));
  writer.AddNode("ConvTranspose", ArgNames(writer, call), result, attributes);
}

void AddGemm(OnnxWriter& writer, const Call& call, const std::string& result, const std::string& bias) {
  std::vector<std::string> inputs = ArgNames(writer, call);
  if (!bias.empty()) inputs.push_back(bias);
  writer.AddNode("Gemm", inputs, result, {{"transB", int64_t{1}}});
}

void Conv(OnnxWriter& writer, const Call& call, const std::string& result) { AddConv(writer, call, result, ""); }
void Dense(OnnxWriter& writer, const Call& call, const std::string& result) { AddGemm(writer, call, result, ""); }

void BiasAdd(OnnxWriter& writer, const Call& call, const std::string& result) {
  const std::string bias = writer.NameOf(call.args[1]);
  const int64_t rank = static_cast<int64_t>(call.type->shape.size());
  int64_t axis = call.attrs.GetInt("axis", 1);
  if (axis < 0) axis += rank;
  if (axis != 1) Refuse(call, "its axis is not 1");
  const bool alone = writer.TakenByBias(call.args[0].get());
  if (const Call* conv = AsCallTo(call.args[0], "nn.conv2d"); conv != nullptr && alone) {
    return AddConv(writer, *conv, result, bias);
  }
  if (const Call* dense = AsCallTo(call.args[0], "nn.dense"); dense != nullptr && alone) {
    return AddGemm(writer, *dense, result, bias);
  }
  std::vector<int64_t> shape(static_cast<size_t>(rank - axis), 1);
  shape[0] = -1;
  const std::string shaped = writer.NewName(result + "_bias");
  writer.AddNode("Reshape", {bias, AddInts(writer, result + "_bias_shape", shape)}, shaped);
  writer.AddNode("Add", {writer.NameOf(call.args[0]), shaped}, result);
}

std::string ConstantVector(OnnxWriter& writer, const std::string& hint, int64_t size, float value) {
  const std::string name = writer.NewName(hint);
  Tensor tensor(DType::kFloat32, {size});
  std::fill_n(tensor.data<float>(), size, value);
  writer.AddInitializer(name, tensor);
  return name;
}

void BatchNorm(OnnxWriter& writer, const Call& call, const std::string& result) {
  if (call.attrs.GetInt("axis", 1) != 1) Refuse(call, "its axis is not 1");
  std::vector<std::string> inputs = ArgNames(writer, call);
  const int64_t channels = call.args[1]->type->shape[0];
  if (!call.attrs.GetBool("scale", true)) inputs[1] = ConstantVector(writer, result + "_ones", channels, 1);
  if (!call.attrs.GetBool("center", true)) inputs[2] = ConstantVector(writer, result + "_zeros", channels, 0);
  writer.AddNode("BatchNormalization", inputs, result, {{"epsilon", call.attrs.GetFloat("epsilon", 1e-5)}});
}

OnnxExportAttributes PoolAttributes(const Call& call) {
  if (call.attrs.GetString("layout", "NCHW") != "NCHW") Refuse(call, "its layout is not NCHW");
  return {{"kernel_shape", call.attrs.GetInts("pool_size")},
          {"strides", call.attrs.GetInts("strides", {1, 1})},
          {"pads", call.attrs.GetInts("padding", {0, 0, 0, 0})},
          {"ceil_mode", static_cast<int64_t>(call.attrs.GetBool("ceil_mode"))}};
}

void MaxPool(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes = PoolAttributes(call);
  attributes.emplace_back("dilations", call.attrs.GetInts("dilation", {1, 1}));
  writer.AddNode("MaxPool", ArgNames(writer, call), result, attributes);
}

void AvgPool(OnnxWriter& writer, const Call& call, const std::string& result) {
  if (call.attrs.GetInts("dilation", {1, 1}) != std::vector<int64_t>{1, 1})
    Refuse(call, "opset 13 has no dilation here");
  OnnxExportAttributes attributes = PoolAttributes(call);
  attributes.emplace_back("count_include_pad", static_cast<int64_t>(call.attrs.GetBool("count_include_pad")));
  writer.AddNode("AveragePool", ArgNames(writer, call), result, attributes);
}

void Flatten(OnnxWriter& writer, const Call& call, const std::string& result) {
  writer.AddNode("Flatten", ArgNames(writer, call), result, {{"axis", int64_t{1}}});
}

void WithAxis(OnnxWriter& writer, const Call& call, const std::string& result) {
  const std::string& name = relay::AsOp(call.op)->def->name;
  const char* op = name == "concatenate" ? "Concat" : name == "nn.softmax" ? "Softmax" : "LogSoftmax";
  writer.AddNode(op, ArgNames(writer, call), result, {{"axis", call.attrs.GetInt("axis", -1)}});
}

void Clip(OnnxWriter& writer, const Call& call, const std::string& result) {
  std::vector<std::string> inputs = ArgNames(writer, call);
  inputs.push_back(AddFloat(writer, result + "_min", call.attrs.GetFloat("a_min")));
  inputs.push_back(AddFloat(writer, result + "_max", call.attrs.GetFloat("a_max")));
  writer.AddNode("Clip", inputs, result);
}

// Shapes are known: the result's says all that newshape, squeeze and expand_dims say.
void Reshape(OnnxWriter& writer, const Call& call, const std::string& result) {
  const Shape& shape = call.type->shape;
  if (std::count(shape.begin(), shape.end(), relay::kAnyDim) > 0) Refuse(call, "its shape is not known");
  writer.AddNode("Reshape", {writer.NameOf(call.args[0]), AddInts(writer, result + "_shape", shape)}, result);
}

void Transpose(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes;
  if (const auto axes = call.attrs.GetInts("axes"); !axes.empty()) attributes.emplace_back("perm", axes);
  writer.AddNode("Transpose", ArgNames(writer, call), result, attributes);
}

void Mean(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes = {{"keepdims", static_cast<int64_t>(call.attrs.GetBool("keepdims"))}};
  if (const auto axes = call.attrs.GetInts("axis"); !axes.empty()) attributes.emplace_back("axes", axes);
  writer.AddNode("ReduceMean", ArgNames(writer, call), result, attributes);
}

void LeakyRelu(OnnxWriter& writer, const Call& call, const std::string& result) {
  writer.AddNode("LeakyRelu", ArgNames(writer, call), result, {{"alpha", call.attrs.GetFloat("alpha", 0.25)}});
}

void Lrn(OnnxWriter& writer, const Call& call, const std::string& result) {
  if (call.attrs.GetInt("axis", 1) != 1) Refuse(call, "its axis is not 1");
  writer.AddNode("LRN", ArgNames(writer, call), result,
                 {{"size", call.attrs.GetInt("size", 5)},
                  {"bias", call.attrs.GetFloat("bias", 2)},
                  {"alpha", call.attrs.GetFloat("alpha", 1e-5)},
                  {"beta", call.attrs.GetFloat("beta", 0.75)}});
}

void PadNode(OnnxWriter& writer, const Call& call, const std::string& result) {
  const std::vector<int64_t> width = call.attrs.GetInts("pad_width");
  std::vector<int64_t> pads;
  for (size_t side = 0; side < 2; ++side) {
    for (size_t i = side; i < width.size(); i += 2) pads.push_back(width[i]);
  }
  writer.AddNode("Pad",
                 {writer.NameOf(call.args[0]), AddInts(writer, result + "_pads", pads),
                  AddFloat(writer, result + "_value", call.attrs.GetFloat("pad_value"))},
                 result, {{"mode", call.attrs.GetString("pad_mode", "constant")}});
}

// The parts are named after the tuple: NAME.0, NAME.1, ...
void Split(OnnxWriter& writer, const Call& call, const std::string& result) {
  const int64_t axis = call.attrs.GetInt("axis");
  std::vector<int64_t> sizes;
  std::vector<std::string> parts;
  for (const relay::TypePtr& field : call.type->fields) {
    sizes.push_back(
        field->shape[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(field->shape.size()) : axis)]);
    parts.push_back(PartName(result, static_cast<int>(parts.size())));
  }
  writer.AddNode("Split", {writer.NameOf(call.args[0]), AddInts(writer, result + "_sizes", sizes)}, parts,
                 {{"axis", axis}});
}

struct Same {
  std::string_view relay;
  std::string_view onnx;
};

// Operators that ONNX has under another name, without attributes.
constexpr Same kSame[] = {{"nn.relu", "Relu"},
                          {"sigmoid", "Sigmoid"},
                          {"tanh", "Tanh"},
                          {"exp", "Exp"},
                          {"log", "Log"},
                          {"sqrt", "Sqrt"},
                          {"erf", "Erf"},
                          {"negative", "Neg"},
                          {"abs", "Abs"},
                          {"add", "Add"},
                          {"subtract", "Sub"},
                          {"multiply", "Mul"},
                          {"divide", "Div"},
                          {"power", "Pow"},
                          {"maximum", "Max"},
                          {"minimum", "Min"},
                          {"nn.dropout", "Dropout"},
                          {"nn.global_avg_pool2d", "GlobalAveragePool"},
                          {"nn.global_max_pool2d", "GlobalMaxPool"}};

const std::map<std::string_view, Exporter>& Exporters() {
  static const std::map<std::string_view, Exporter> exporters = {{"nn.conv2d", Conv},
                                                                 {"nn.conv2d_transpose", ConvTranspose},
                                                                 {"nn.dense", Dense},
                                                                 {"nn.bias_add", BiasAdd},
                                                                 {"nn.batch_norm", BatchNorm},
                                                                 {"nn.max_pool2d", MaxPool},
                                                                 {"nn.avg_pool2d", AvgPool},
                                                                 {"nn.batch_flatten", Flatten},
                                                                 {"concatenate", WithAxis},
                                                                 {"nn.softmax", WithAxis},
                                                                 {"nn.log_softmax", WithAxis},
                                                                 {"clip", Clip},
                                                                 {"reshape", Reshape},
                                                                 {"squeeze", Reshape},
                                                                 {"expand_dims", Reshape},
                                                                 {"transpose", Transpose},
                                                                 {"mean", Mean},
                                                                 {"nn.leaky_relu", LeakyRelu},
                                                                 {"nn.lrn", Lrn},
                                                                 {"nn.pad", PadNode},
                                                                 {"split", Split}};
  return exporters;
}

void ExportCall(OnnxWriter& writer, const Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  if (op == nullptr) throw Error(ExitCode::kBadData, "a fused function has no ONNX form; export before passes run");
  const std::string& name = op->def->name;
  // Their bias_add makes one node of both.
  if ((name == "nn.conv2d" || name == "nn.dense") && writer.TakenByBias(&call)) return writer.SetName(&call, "");
  const size_t dot = name.rfind('.');
  const std::string hint = call.name.empty() ? name.substr(dot == std::string::npos ? 0 : dot + 1) : call.name;
  const std::string result = writer.ResultName(&call, hint);
  const auto exporter = Exporters().find(name);
  const auto* same =
      std::find_if(std::begin(kSame), std::end(kSame), [&](const Same& row) { return row.relay == name; });
  if (exporter != Exporters().end()) {
    exporter->second(writer, call, result);
  } else if (same != std::end(kSame)) {
    writer.AddNode(std::string(same->onnx), ArgNames(writer, call), result);
  } else {
    Refuse(call, "hone exports what its zoo uses");
  }
  writer.SetName(&call, result);
}

}  // namespace

void ExportNode(OnnxWriter& writer, const ExprPtr& expr) {
  if (const Call* call = relay::AsCall(expr)) return ExportCall(writer, *call);
  if (const relay::Constant* constant = relay::AsConstant(expr)) {
    const std::string name = writer.NewName(constant->name.empty() ? "constant" : constant->name);
    writer.AddInitializer(name, constant->value);
    return writer.SetName(constant, name);
  }
  if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) {
    if (relay::AsCallTo(item->tuple, "split") != nullptr) {
      const std::string part = PartName(writer.NameOf(item->tuple), item->index);
      const std::string name = writer.ResultName(item, part);
      if (name != part) writer.AddNode("Identity", {part}, name);
      return writer.SetName(item, name);
    }
    // Batch norm and dropout: what follows the first result is training's.
    if (item->index != 0)
      throw Error(ExitCode::kBadData, fmt::format("result {} of a node has no ONNX form", item->index));
    writer.SetName(item, writer.NameOf(item->tuple));
  }
}

}  // namespace hone
