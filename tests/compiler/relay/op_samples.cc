#include "tests/compiler/relay/op_samples.h"

#include <map>
#include <string>

#include "core/nth.h"

namespace hone::relay {
namespace {

using Ints = std::vector<int64_t>;

const Shape kImages{2, 4, 4, 4}, kVolumes{2, 4, 4, 4, 4};

Ints EveryByteTurned() {
  Ints table;
  for (int64_t byte = 255; byte >= 0; --byte) table.push_back(byte);
  return table;
}

std::map<std::string, std::vector<OpSample>> Layers() {
  const Attrs int32{{"out_dtype", "int32"}};
  const Attrs window{{"pool_size", Ints{2, 2}}}, volume{{"pool_size", Ints{2, 2, 2}}};
  const std::vector<OpSample> channelwise{{{kImages, {4}}, {}}};
  return {{"nn.conv2d",
           {{{kImages, {3, 4, 3, 3}}, {}},
            {{kImages, {3, 4, 3, 3}}, int32},
            {{kImages, {3, 4, 3, 3}}, {{"out_dtype", "float32"}}}}},
          {"nn.conv3d", {{{kVolumes, {3, 4, 2, 3, 3}}, {}}}},
          {"nn.conv2d_transpose", {{{kImages, {4, 3, 3, 3}}, {}}}},
          {"nn.conv3d_transpose", {{{kVolumes, {4, 3, 2, 3, 3}}, {}}}},
          {"nn.dense", {{{{2, 4}, {3, 4}}, {}}, {{{2, 4}, {3, 4}}, int32}}},
          {"nn.dense_blocks", {{{{2, 9}, {3, 2}, {3, 2}, {3, 2}}, {{"block", int64_t{8}}}}}},
          {"unpack_blocks", {{{{3, 2}, {3, 2}, {3, 2}}, {{"block", int64_t{8}}, {"columns", int64_t{9}}}}}},
          {"nn.batch_matmul", {{{{2, 3, 4}, {2, 5, 4}}, {}}, {{{2, 3, 4}, {2, 5, 4}, {2}}, int32}}},
          {"nn.bias_add", channelwise},
          {"nn.prelu", channelwise},
          {"nn.batch_norm", {{{kImages, {4}, {4}, {4}, {4}}, {}}}},
          {"nn.max_pool2d", {{{kImages}, window}}},
          {"nn.avg_pool2d", {{{kImages}, window}}},
          {"nn.max_pool3d", {{{kVolumes}, volume}}},
          {"nn.avg_pool3d", {{{kVolumes}, volume}}},
          {"nn.global_avg_pool3d", {{{kVolumes}, {}}}},
          {"byte_table", {{{kImages}, {{"table", EveryByteTurned()}}}}},
          {"nn.depth_to_space", {{{kImages}, {{"block_size", int64_t{2}}}}}},
          {"nn.interleave", {{{kImages}, {{"strides", Ints{1, 2}}, {"size", Ints{4, 8}}}}}},
          {"nn.pad", {{{kImages}, {{"pad_width", Ints{0, 0, 0, 0, 1, 1, 1, 1}}}}}}};
}

std::map<std::string, std::vector<OpSample>> Movements() {
  return {{"reshape", {{{kImages}, {{"newshape", Ints{0, -1}}}}}},
          {"broadcast_to", {{{{4, 1}}, {{"shape", Ints{2, 4, 3}}}}}},
          {"split", {{{kImages}, {{"indices_or_sections", Ints{2}}}}}},
          {"take", {{{kImages, {3}}, {{"axis", int64_t{1}}}}}},
          {"gather_nd", {{{{4, 4}, {2, 3}}, {}}}},
          {"append_rows", {{{{2, 6, 3}, {2, 2, 3}, {2}, {}}, {{"axis", int64_t{1}}}}}},
          {"scatter_nd", {{{{4, 4}, {2, 3}, {3}}, {}}}},
          {"layout_transform", {{{kImages}, {{"src_layout", "NCHW"}, {"dst_layout", "NCHW4c"}}}}}};
}

std::vector<OpSample> RecurrentSamples() {
  const Shape data{2, 3, 1, 4 * 5}, weight{1, 1, 5, 4, 16}, state{1, 3, 5};
  const Attrs plain{{"activations", "sigmoid tanh tanh"}};
  Attrs all = plain;
  for (const char* name : {"peepholes", "scales", "lengths"}) all.Set(name, true);
  return {{{data, weight, state, state}, plain}, {{data, weight, state, state, {1, 3, 5}, {1, 20}, {3}}, all}};
}

// Samples with few elements, so that a product stays small.
std::map<std::string, std::vector<OpSample>> Reductions() {
  std::map<std::string, std::vector<OpSample>> samples;
  for (const char* name : {"mean", "sum", "prod", "max", "min"}) samples[name] = {{{kImages}, {{"axis", Ints{3}}}}};
  return samples;
}

std::map<std::string, std::vector<OpSample>> Others() {
  const Attrs room{{"room", int64_t{2}}};
  return {{"nn.recurrent", RecurrentSamples()},
          {"choose", {{{{}, kImages, {}, kImages}, {}}}},
          {"couple_pairs", {{{{2, 3}}, {}}}},
          {"first_positions", {{{kImages, {}}, {{"axis", int64_t{1}}}}}},
          {"image.grid_sample", {{{kImages, {2, 3, 3, 2}}, {}}}},
          {"random.uniform", {{{{}}, {{"shape", Ints{2, 3}}}}}},
          {"reinterpret", {{{kImages}, {{"dtype", "int32"}}}, {{kImages}, {{"dtype", "float32"}}}}},
          {"vision.roi_align", {{{kImages, {3, 4}, {3}}, {}}}},
          {"vision.all_class_non_max_suppression", {{{{1, 3, 4}, {1, 2, 3}, {}, {}, {}}, room}}},
          {"tree_ensemble", {{{{2, 3}, {2, 4}, {1}, {2, 1}}, {}}, {{{2, 3}, {2, 4}, {1}, {2, 1}, {2, 1}}, {}}}}};
}

// One sample for each element type that the attribute may name.
std::vector<OpSample> NamingTypes() {
  std::vector<OpSample> samples;
  for (const DType dtype : kAnyElement.Types())
    samples.push_back({{kImages}, {{"dtype", std::string(DTypeName(dtype))}}});
  return samples;
}

const std::map<std::string, std::vector<OpSample>>& Table() {
  static const auto table = [] {
    std::map<std::string, std::vector<OpSample>> all{{"cast", NamingTypes()}, {"shape_of", NamingTypes()}};
    all.merge(Layers());
    all.merge(Movements());
    all.merge(Reductions());
    all.merge(Others());
    return all;
  }();
  return table;
}

// Extends each list by the types that the row allows for the next argument.
std::vector<std::vector<DType>> Extended(const std::vector<std::vector<DType>>& lists, const ElementRule& rule) {
  std::vector<std::vector<DType>> longer;
  for (const std::vector<DType>& list : lists) {
    const DType other = rule.input() < 0 ? DType::kFloat32 : Nth(list, rule.input());
    for (const DType own : rule.Beside(other).Types()) {
      longer.push_back(list);
      longer.back().push_back(own);
    }
  }
  return longer;
}

Attrs Completed(const OpDef& op, const Attrs& attrs) {
  Attrs complete;
  for (const AttrSpec& spec : op.attrs) {
    const AttrValue* given = attrs.Find(spec.name);
    complete.Set(spec.name, given != nullptr ? *given : spec.otherwise);
  }
  return complete;
}

}  // namespace

std::vector<OpSample> SamplesOf(const OpDef& op) {
  const auto listed = Table().find(op.name);
  std::vector<OpSample> samples = listed != Table().end()
                                      ? listed->second
                                      : std::vector<OpSample>{{std::vector<Shape>(op.inputs.size(), kImages), {}}};
  for (OpSample& sample : samples) sample.attrs = Completed(op, sample.attrs);
  return samples;
}

const InputSpec& InputOf(const OpDef& op, const OpSample& sample, size_t i) {
  return op.given_inputs ? Nth(op.inputs, op.given_inputs(sample.attrs).at(i)) : op.inputs.at(i);
}

std::vector<std::vector<DType>> AllowedElements(const OpDef& op, const OpSample& sample) {
  std::vector<std::vector<DType>> lists{{}};
  for (size_t i = 0; i < sample.shapes.size(); ++i) lists = Extended(lists, InputOf(op, sample, i).types);
  return lists;
}

std::vector<TypePtr> TypesOf(const OpDef& op, const OpSample& sample, const std::vector<DType>& elements) {
  std::vector<TypePtr> types;
  for (size_t i = 0; i < sample.shapes.size(); ++i) {
    TypePtr type = TensorType(sample.shapes[i], elements[i]);
    types.push_back(op.name == "concatenate" || op.name == "nn.interleave" ? TupleType({type, type}) : type);
  }
  return types;
}

}  // namespace hone::relay
