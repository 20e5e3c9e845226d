// The ONNX form of each Relay operator.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/frontend/export/export_windows.h"
#include "compiler/frontend/export/onnx_writer.h"
#include "compiler/ops/conv/op_layout.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {
namespace {

using relay::AsCallTo;
using relay::Attrs;
using relay::Call;
using relay::ExprPtr;

// Adds the nodes of one call; `result` is the name of the result.
using Exporter = void (*)(OnnxWriter& writer, const Call& call, const std::string& result);

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

// Name of one result of a node with several results.
std::string PartName(const std::string& tuple, int index) { return fmt::format("{}.{}", tuple, index); }

void AddGemm(OnnxWriter& writer, const Call& call, const std::string& result, const std::string& bias) {
  std::vector<std::string> inputs = ExportedArgs(writer, call);
  if (!bias.empty()) inputs.push_back(bias);
  writer.AddNode("Gemm", inputs, result, {{"transB", int64_t{1}}});
}

void Conv(OnnxWriter& writer, const Call& call, const std::string& result) { ExportConv(writer, call, result, ""); }
void Dense(OnnxWriter& writer, const Call& call, const std::string& result) { AddGemm(writer, call, result, ""); }

const Call* AsConv(const ExprPtr& expr) {
  const Call* images = AsCallTo(expr, "nn.conv2d");
  return images ? images : AsCallTo(expr, "nn.conv3d");
}

void BiasAdd(OnnxWriter& writer, const Call& call, const std::string& result) {
  const std::string bias = writer.NameOf(call.args[1]);
  const int64_t rank = static_cast<int64_t>(call.type->shape.size());
  int64_t axis = call.attrs.GetInt("axis", 1);
  if (axis < 0) axis += rank;
  const bool alone = writer.TakenByBias(call.args[0].get());
  if (const Call* conv = AsConv(call.args[0]); conv != nullptr && alone) {
    if (axis != static_cast<int64_t>(relay::ConvLayoutsOf(conv->attrs).out.find('C'))) {
      RefuseExport(call, "its axis is not the channels'");
    }
    return ExportConv(writer, *conv, result, bias);
  }
  if (const Call* dense = AsCallTo(call.args[0], "nn.dense"); dense != nullptr && alone) {
    if (axis != 1) RefuseExport(call, "its axis is not 1");
    return AddGemm(writer, *dense, result, bias);
  }
  std::vector<int64_t> shape(static_cast<size_t>(rank - axis), 1);
  shape[0] = -1;
  const std::string shaped = writer.NewName(result + "_bias");
  writer.AddNode("Reshape", {bias, AddInts(writer, result + "_bias_shape", shape)}, shaped);
  writer.AddNode("Add", {writer.NameOf(call.args[0]), shaped}, result);
}

void Flatten(OnnxWriter& writer, const Call& call, const std::string& result) {
  writer.AddNode("Flatten", ExportedArgs(writer, call), result, {{"axis", int64_t{1}}});
}

void WithAxis(OnnxWriter& writer, const Call& call, const std::string& result) {
  const std::string& name = relay::AsOp(call.op)->def->name;
  const char* op = name == "concatenate" ? "Concat" : name == "nn.softmax" ? "Softmax" : "LogSoftmax";
  writer.AddNode(op, ExportedArgs(writer, call), result, {{"axis", call.attrs.GetInt("axis", -1)}});
}

void Clip(OnnxWriter& writer, const Call& call, const std::string& result) {
  std::vector<std::string> inputs = ExportedArgs(writer, call);
  inputs.push_back(AddFloat(writer, result + "_min", call.attrs.GetFloat("a_min")));
  inputs.push_back(AddFloat(writer, result + "_max", call.attrs.GetFloat("a_max")));
  writer.AddNode("Clip", inputs, result);
}

// Shapes are known, so the result's shape replaces the attributes of reshape, squeeze and expand_dims.
void Reshape(OnnxWriter& writer, const Call& call, const std::string& result) {
  const Shape& shape = call.type->shape;
  if (std::count(shape.begin(), shape.end(), relay::kAnyDim) > 0) RefuseExport(call, "its shape is not known");
  writer.AddNode("Reshape", {writer.NameOf(call.args[0]), AddInts(writer, result + "_shape", shape)}, result);
}

void Transpose(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes;
  if (const auto axes = call.attrs.GetInts("axes"); !axes.empty()) attributes.emplace_back("perm", axes);
  writer.AddNode("Transpose", ExportedArgs(writer, call), result, attributes);
}

void Mean(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes = {{"keepdims", static_cast<int64_t>(call.attrs.GetBool("keepdims"))}};
  if (const auto axes = call.attrs.GetInts("axis"); !axes.empty()) attributes.emplace_back("axes", axes);
  writer.AddNode("ReduceMean", ExportedArgs(writer, call), result, attributes);
}

void LeakyRelu(OnnxWriter& writer, const Call& call, const std::string& result) {
  writer.AddNode("LeakyRelu", ExportedArgs(writer, call), result, {{"alpha", call.attrs.GetFloat("alpha", 0.25)}});
}

void Lrn(OnnxWriter& writer, const Call& call, const std::string& result) {
  if (call.attrs.GetInt("axis", 1) != 1) RefuseExport(call, "its axis is not 1");
  writer.AddNode("LRN", ExportedArgs(writer, call), result,
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

// Operators that have another name in ONNX and no attributes.
constexpr Same kSame[] = {{"nn.relu", "Relu"},      {"sigmoid", "Sigmoid"}, {"tanh", "Tanh"},    {"exp", "Exp"},
                          {"log", "Log"},           {"sqrt", "Sqrt"},       {"erf", "Erf"},      {"negative", "Neg"},
                          {"abs", "Abs"},           {"add", "Add"},         {"subtract", "Sub"}, {"multiply", "Mul"},
                          {"divide", "Div"},        {"power", "Pow"},       {"maximum", "Max"},  {"minimum", "Min"},
                          {"nn.dropout", "Dropout"}};

const std::map<std::string_view, Exporter>& Exporters() {
  static const std::map<std::string_view, Exporter> exporters = {{"nn.conv2d", Conv},
                                                                 {"nn.conv3d", Conv},
                                                                 {"nn.conv2d_transpose", ExportConvTranspose},
                                                                 {"nn.conv3d_transpose", ExportConvTranspose},
                                                                 {"nn.dense", Dense},
                                                                 {"nn.bias_add", BiasAdd},
                                                                 {"nn.batch_norm", ExportBatchNorm},
                                                                 {"nn.max_pool2d", ExportMaxPool},
                                                                 {"nn.max_pool3d", ExportMaxPool},
                                                                 {"nn.avg_pool3d", ExportAvgPool},
                                                                 {"nn.global_avg_pool3d", ExportGlobalPool},
                                                                 {"nn.avg_pool2d", ExportAvgPool},
                                                                 {"nn.global_max_pool2d", ExportGlobalPool},
                                                                 {"nn.global_avg_pool2d", ExportGlobalPool},
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
  // The bias_add behind it makes one node of both.
  if ((name == "nn.conv2d" || name == "nn.conv3d" || name == "nn.dense") && writer.TakenByBias(&call))
    return writer.SetName(&call, "");
  const size_t dot = name.rfind('.');
  const std::string hint = call.name.empty() ? name.substr(dot == std::string::npos ? 0 : dot + 1) : call.name;
  const std::string result = writer.ResultName(&call, hint);
  const auto exporter = Exporters().find(name);
  const auto* same =
      std::find_if(std::begin(kSame), std::end(kSame), [&](const Same& row) { return row.relay == name; });
  if (exporter != Exporters().end()) {
    exporter->second(writer, call, result);
  } else if (same != std::end(kSame)) {
    writer.AddNode(std::string(same->onnx), ExportedArgs(writer, call), result);
  } else {
    RefuseExport(call, "hone exports what its zoo uses");
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
    // For batch norm and dropout, only training uses the results after the first.
    if (item->index != 0)
      throw Error(ExitCode::kBadData, fmt::format("result {} of a node has no ONNX form", item->index));
    writer.SetName(item, writer.NameOf(item->tuple));
  }
}

}  // namespace hone
