#include "db/foreign/foreign_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/config_space.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"
#include "core/workload.h"

namespace hone {

// A schedule and knobs in hone's own names.
struct MappedConfig {
  std::string schedule;
  Config config;
};

// A row of the table of templates (docs/reference/formats.md).
struct AutoTvmTemplate {
  std::string_view name;
  // The workload from the template's arguments. Throws Error(kBadData).
  Workload (*workload)(const Json& args);
  // Throws Error(kBadData) when a knob that the translation needs is missing.
  MappedConfig (*config)(const AutoTvmKnobs& knobs);
};

namespace {

const Json& Argument(const Json& args, size_t place) {
  if (place >= args.size())
    RefuseAutoTvm(fmt::format("the template has an argument {}; the line has {}", place, args.size()));
  return args[place];
}

struct TensorArgument {
  Shape shape;
  DType dtype;
};

TensorArgument TensorArgumentOf(const Json& args, size_t place, size_t rank) {
  const Json& json = Argument(args, place);
  const bool tensor = json.is_array() && json.size() == 3 && json[0] == "TENSOR" && json[1].is_array() &&
                      json[1].size() == rank && json[2].is_string();
  if (!tensor) RefuseAutoTvm(fmt::format("argument {} is not [\"TENSOR\", {} dims, dtype]", place, rank));
  Shape shape;
  for (const Json& dim : json[1]) {
    if (!dim.is_number_integer() || dim.get<int64_t>() < 1 || dim.get<int64_t>() > INT32_MAX) {
      RefuseAutoTvm(fmt::format("argument {} has the dim {}", place, DumpJson(dim)));
    }
    shape.push_back(dim.get<int64_t>());
  }
  return {std::move(shape), ParseDType(json[2].get<std::string>())};
}

template <size_t N>
std::array<int64_t, N> NumbersOf(const Json& args, size_t place) {
  const Json& json = Argument(args, place);
  std::array<int64_t, N> numbers{};
  if (!json.is_array() || json.size() != N) RefuseAutoTvm(fmt::format("argument {} is not {} numbers", place, N));
  for (size_t i = 0; i < N; ++i) {
    if (!json[i].is_number_integer()) RefuseAutoTvm(fmt::format("argument {} is not {} numbers", place, N));
    numbers.at(i) = json[i].template get<int64_t>();
  }
  return numbers;
}

// The accumulator has the output's type.
void SetTypes(Workload& workload, DType data, DType weight, const Json& args, size_t out_dtype) {
  const Json& out = Argument(args, out_dtype);
  if (!out.is_string()) RefuseAutoTvm(fmt::format("argument {} is no type", out_dtype));
  const DType output = ParseDType(out.get<std::string>());
  workload.types = {data, weight, output, output};
}

// The arguments are data, weight, strides, padding, dilation, ..., out_dtype.
Workload Conv(const Json& args, size_t out_dtype) {
  const TensorArgument data = TensorArgumentOf(args, 0, 4), weight = TensorArgumentOf(args, 1, 4);
  Workload workload;
  workload.op = "nn.conv2d";
  workload.data = data.shape;
  workload.weight = weight.shape;
  workload.strides = NumbersOf<2>(args, 2);
  workload.padding = NumbersOf<4>(args, 3);
  workload.dilation = NumbersOf<2>(args, 4);
  SetTypes(workload, data.dtype, weight.dtype, args, out_dtype);
  return workload;
}

// The filter is C x multiplier x KH x KW.
Workload Depthwise(const Json& args, size_t out_dtype) {
  Workload workload = Conv(args, out_dtype);
  workload.groups = workload.weight[0];
  workload.weight[0] *= workload.weight[1];
  workload.weight[1] = 1;
  return workload;
}

Workload PlainLayout(const Json& args, Workload (*conv)(const Json& args, size_t out_dtype)) {
  for (const size_t place : {5, 6}) {
    if (Argument(args, place) != "NCHW") {
      RefuseAutoTvm(fmt::format("the layout {} is not NCHW, in which the shapes are given", DumpJson(args[place])));
    }
  }
  return conv(args, 7);
}

// The arguments are data M x K, weight N x K, bias or null, out_dtype.
Workload Dense(const Json& args) {
  const TensorArgument data = TensorArgumentOf(args, 0, 2), weight = TensorArgumentOf(args, 1, 2);
  Workload workload;
  workload.op = "nn.dense";
  workload.data = data.shape;
  workload.weight = weight.shape;
  SetTypes(workload, data.dtype, weight.dtype, args, 3);
  return workload;
}

// The arguments are two matrices, B x M x K and B x N x K. Depending on TVM's version the output's shape, its type and
// two flags follow, which say whether each is transposed.
Workload BatchMatmul(const Json& args) {
  const TensorArgument data = TensorArgumentOf(args, 0, 3), weight = TensorArgumentOf(args, 1, 3);
  Workload workload;
  workload.op = "nn.batch_matmul";
  workload.data = data.shape;
  workload.weight = weight.shape;
  const auto given = [&](size_t place) { return args.size() > place && args[place] == true; };
  const bool untransposed_weight = args.size() > 5 && args[5] == false;
  workload.layouts = fmt::format("{},{},BMN", given(4) ? "BKM" : "BMK", untransposed_weight ? "BKN" : "BNK");
  workload.types = {data.dtype, weight.dtype, data.dtype, data.dtype};
  if (args.size() > 3 && args[3].is_string()) SetTypes(workload, data.dtype, weight.dtype, args, 3);
  return workload;
}

// Innermost are tile_ow columns of tile_oh rows by tile_oc channels, for tile_ic channels at a time. Only pointwise
// templates have tile_oh.
MappedConfig DirectConfig(const AutoTvmKnobs& knobs) {
  const int64_t rows = knobs.FindNumber("tile_oh").value_or(1);
  if (rows < 1 || rows > 1024) RefuseAutoTvm(fmt::format("tile_oh is {}", rows));
  Config config({{"oc_block", knobs.Inner("tile_oc")},
                 {"ic_block", knobs.Inner("tile_ic")},
                 {"tile_oc", 1},
                 {"tile_ow", rows * knobs.Inner("tile_ow")}});
  if (rows > 1) config.Set("tile_oh", rows);
  return {"conv2d_direct", std::move(config)};
}

MappedConfig DepthwiseConfig(const AutoTvmKnobs& knobs) {
  return {"conv2d_depthwise", Config({{"oc_block", knobs.Inner("tile_oc")}, {"tile_ow", knobs.Inner("tile_ow")}})};
}

// The template's tile_oh rows are several of hone's work items.
MappedConfig SpatialPackConfig(const AutoTvmKnobs& knobs) {
  return {"conv2d_direct",
          Config({{"oc_block", knobs.Inner("tile_co")}, {"tile_oc", 1}, {"tile_ow", knobs.Inner("tile_ow")}})};
}

MappedConfig SpatialPackDepthwiseConfig(const AutoTvmKnobs& knobs) {
  return {"conv2d_depthwise", Config({{"oc_block", knobs.Inner("tile_co")}, {"tile_ow", knobs.Inner("tile_ow")}})};
}

MappedConfig ArmDepthwiseConfig(const AutoTvmKnobs& knobs) {
  return {"conv2d_depthwise", Config({{"oc_block", knobs.Inner("tile_c")}, {"tile_ow", knobs.Inner("tile_w")}})};
}

// The innermost rows are tile_inner's if the line has it, else tile_y's, as in older lines. The innermost steps of the
// reduction are unrolled.
MappedConfig DensePackConfig(const AutoTvmKnobs& knobs) {
  const int64_t split = knobs.FindInner("tile_inner").value_or(1);
  Config config({{"oc_block", knobs.Inner("tile_x")}, {"tile_m", split > 1 ? split : knobs.Inner("tile_y")}});
  if (const int64_t steps = knobs.Inner("tile_k"); steps <= 64) config.Set("unroll_ic", steps);
  return {"dense_pack", std::move(config)};
}

// The template's vectors run along the reduction and hone's along the columns, so tile_k has no meaning here.
MappedConfig DenseNoPackConfig(const AutoTvmKnobs& knobs) {
  return {"dense_pack", Config({{"oc_block", knobs.Inner("tile_x")}, {"tile_m", knobs.Inner("tile_y")}})};
}

MappedConfig BatchMatmulConfig(const AutoTvmKnobs& knobs) {
  return {"batch_matmul", Config({{"oc_block", knobs.Inner("tile_x")}, {"tile_m", knobs.Inner("tile_y")}})};
}

constexpr std::array<AutoTvmTemplate, 8> kTemplates = {{
    {"conv2d_NCHWc.x86", [](const Json& args) { return PlainLayout(args, Conv); }, DirectConfig},
    {"depthwise_conv2d_NCHWc.x86", [](const Json& args) { return PlainLayout(args, Depthwise); }, DepthwiseConfig},
    {"dense_pack.x86", Dense, DensePackConfig},
    {"dense_nopack.x86", Dense, DenseNoPackConfig},
    {"batch_matmul.x86", BatchMatmul, BatchMatmulConfig},
    {"conv2d_nchw_spatial_pack.arm_cpu", [](const Json& args) { return Conv(args, 5); }, SpatialPackConfig},
    {"depthwise_conv2d_nchw.arm_cpu", [](const Json& args) { return Depthwise(args, 5); }, ArmDepthwiseConfig},
    {"depthwise_conv2d_nchw_spatial_pack.arm_cpu", [](const Json& args) { return Depthwise(args, 5); },
     SpatialPackDepthwiseConfig},
}};

// Throws Error(kBadData) when no schedule of hone has the same meaning.
const AutoTvmTemplate& FindAutoTvmTemplate(std::string_view name) {
  const auto row = std::find_if(kTemplates.begin(), kTemplates.end(), [&](const auto& t) { return t.name == name; });
  if (row == kTemplates.end()) RefuseAutoTvm(fmt::format("no schedule of hone's means what template '{}' does", name));
  return *row;
}

constexpr const char* kAutoTvm = "autotvm-0.2";
constexpr std::string_view kBlank = " \t";

std::string_view WithoutBlanks(std::string_view text) {
  return text.substr(std::min(text.size(), text.find_first_not_of(kBlank)));
}

}  // namespace

bool LooksForeign(std::string_view line, bool comments) {
  if (line.starts_with('{')) {
    static constexpr std::array<std::string_view, 2> kFirstKeys = {"\"input\"", "\"i\""};
    const std::string_view key = WithoutBlanks(line.substr(1));
    return std::any_of(kFirstKeys.begin(), kFirstKeys.end(), [&](auto first) { return key.starts_with(first); });
  }
  return comments && (line.starts_with('#') || line.starts_with('[') || line.find('\t') != std::string_view::npos);
}

ForeignTrial ForeignLines::Read(std::string_view text) {
  const AutoTvmLine line = reader_.Read(text);
  if (line.input != last_) {
    last_.reset();
    template_ = &FindAutoTvmTemplate(line.input->task);
    // Passes through the text, which checks it as any workload from outside.
    workload_ = Workload::Parse(template_->workload(line.input->args).ToText()).ToText();
    last_ = line.input;
  }
  MappedConfig mapped = template_->config(line.knobs);
  return {.id = Sha256Hex(text).substr(0, 16),
          .format = kAutoTvm,
          .source = source_,
          .target = line.input->target,
          .task = line.input->task,
          .workload = workload_,
          .schedule = std::move(mapped.schedule),
          .config = std::move(mapped.config),
          .fate = line.fate,
          .cost_ns = line.cost_ns,
          .unix_ms = line.unix_ms,
          .line = std::string(text)};
}

}  // namespace hone
