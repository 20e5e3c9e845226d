#include "compiler/frontend/export/export_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

namespace {

constexpr const char* kPlain = "NCHW";

const std::string& OpName(const Call& call) { return relay::AsOp(call.op)->def->name; }

std::string Reordered(OnnxWriter& writer, const std::string& value, const std::string& from, const std::string& to) {
  if (from == to) return value;
  std::string name = writer.NewName(fmt::format("{}_{}", value, to));
  writer.AddNode("Transpose", {value}, name, {{"perm", relay::LayoutAxes(from, to)}});
  return name;
}

struct Layouts {
  std::string data, result;
};

// Adds a node whose first input and result are in plain order.
void AddPlain(OnnxWriter& writer, const char* op, Names inputs, const std::string& result,
              const OnnxExportAttributes& attributes, const Layouts& layouts) {
  inputs[0] = Reordered(writer, inputs[0], layouts.data, kPlain);
  const bool plain = layouts.result == kPlain;
  const std::string made = plain ? result : writer.NewName(fmt::format("{}_{}", result, kPlain));
  writer.AddNode(op, inputs, made, attributes);
  if (!plain) writer.AddNode("Transpose", {made}, result, {{"perm", relay::LayoutAxes(kPlain, layouts.result)}});
}

OnnxExportAttributes ConvAttributes(const Call& call) {
  if (call.type->dtype != call.args[0]->type->dtype) {
    RefuseExport(call, "its result is of another element type than its data");
  }
  Shape weight = call.args[1]->type->shape;
  if (weight.size() == 4) weight = relay::Reordered(weight, relay::ConvLayoutsOf(call.attrs).kernel, "OIHW");
  return {{"kernel_shape", Ints(weight.begin() + 2, weight.end())},
          {"strides", call.attrs.GetInts("strides")},
          {"pads", call.attrs.GetInts("padding")},
          {"dilations", call.attrs.GetInts("dilation")},
          {"group", call.attrs.GetInt("groups", 1)}};
}

std::string ConstantVector(OnnxWriter& writer, const std::string& hint, int64_t size, float value) {
  std::string name = writer.NewName(hint);
  Tensor tensor(DType::kFloat32, {size});
  std::fill_n(tensor.data<float>(), size, value);
  writer.AddInitializer(name, tensor);
  return name;
}

OnnxExportAttributes PoolAttributes(const Call& call) {
  return {{"kernel_shape", call.attrs.GetInts("pool_size")},
          {"strides", call.attrs.GetInts("strides")},
          {"pads", call.attrs.GetInts("padding")},
          {"ceil_mode", static_cast<int64_t>(call.attrs.GetBool("ceil_mode"))}};
}

void AddPool(OnnxWriter& writer, const char* op, const Call& call, const std::string& result,
             const OnnxExportAttributes& attributes) {
  const std::string layout = relay::PoolLayoutOf(call.attrs);
  AddPlain(writer, op, ExportedArgs(writer, call), result, attributes, {layout, layout});
}

}  // namespace

void RefuseExport(const Call& call, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("{} has no ONNX form: {}", OpName(call), why));
}

Names ExportedArgs(const OnnxWriter& writer, const Call& call) {
  Names names;
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

void ExportConv(OnnxWriter& writer, const Call& call, const std::string& result, const std::string& bias) {
  const relay::ConvLayouts layouts = relay::ConvLayoutsOf(call.attrs);
  Names inputs = ExportedArgs(writer, call);
  inputs[1] = Reordered(writer, inputs[1], layouts.kernel, "OIHW");
  if (!bias.empty()) inputs.push_back(bias);
  AddPlain(writer, "Conv", inputs, result, ConvAttributes(call), {layouts.data, layouts.out});
}

void ExportConvTranspose(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes = ConvAttributes(call);
  const std::vector<int64_t> extra = call.attrs.GetInts("output_padding");
  if (!extra.empty()) attributes.emplace_back("output_padding", extra);
  writer.AddNode("ConvTranspose", ExportedArgs(writer, call), result, attributes);
}

void ExportBatchNorm(OnnxWriter& writer, const Call& call, const std::string& result) {
  const int64_t axis = call.attrs.GetInt("axis", 1);
  const bool last = call.args[0]->type->shape.size() == 4 && (axis == 3 || axis == -1);
  if (axis != 1 && !last) RefuseExport(call, "its axis is not that of images' channels");
  Names inputs = ExportedArgs(writer, call);
  const int64_t channels = call.args[1]->type->shape[0];
  if (!call.attrs.GetBool("scale", true)) inputs[1] = ConstantVector(writer, result + "_ones", channels, 1);
  if (!call.attrs.GetBool("center", true)) inputs[2] = ConstantVector(writer, result + "_zeros", channels, 0);
  const std::string layout = last ? "NHWC" : kPlain;
  AddPlain(writer, "BatchNormalization", inputs, result, {{"epsilon", call.attrs.GetFloat("epsilon", 1e-5)}},
           {layout, layout});
}

void ExportMaxPool(OnnxWriter& writer, const Call& call, const std::string& result) {
  OnnxExportAttributes attributes = PoolAttributes(call);
  attributes.emplace_back("dilations", call.attrs.GetInts("dilation"));
  AddPool(writer, "MaxPool", call, result, attributes);
}

void ExportAvgPool(OnnxWriter& writer, const Call& call, const std::string& result) {
  const Ints dilation = call.attrs.GetInts("dilation");
  const bool dilated = std::any_of(dilation.begin(), dilation.end(), [](int64_t distance) { return distance != 1; });
  if (dilated) RefuseExport(call, "opset 13 has no dilation here");
  OnnxExportAttributes attributes = PoolAttributes(call);
  attributes.emplace_back("count_include_pad", static_cast<int64_t>(call.attrs.GetBool("count_include_pad")));
  AddPool(writer, "AveragePool", call, result, attributes);
}

void ExportGlobalPool(OnnxWriter& writer, const Call& call, const std::string& result) {
  const bool largest = OpName(call) == "nn.global_max_pool2d";
  AddPool(writer, largest ? "GlobalMaxPool" : "GlobalAveragePool", call, result, {});
}

}  // namespace hone
