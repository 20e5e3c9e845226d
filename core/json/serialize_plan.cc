#include <fmt/format.h>

#include <array>
#include <span>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/json/serialize.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 5> kKindNames = {"input", "output", "param", "arena", "state"};

BufferKind ParseKind(const std::string& name) {
  for (size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<BufferKind>(i);
  }
  throw Error(ExitCode::kBadData,
              fmt::format("field 'kind' is '{}', not one of {}", name, fmt::join(kKindNames, ", ")));
}

int IndexField(const Json& json, const char* name, size_t count) {
  return static_cast<int>(IntegerField(json, name, 0, static_cast<int64_t>(count) - 1));
}

std::vector<int> IndicesField(const Json& json, const char* name, size_t count) {
  std::vector<int> indices;
  for (int64_t index : IntegersField(json, name, 0)) {
    if (index >= static_cast<int64_t>(count)) {
      throw Error(ExitCode::kBadData, fmt::format("field '{}' names buffer {} of {}", name, index, count));
    }
    indices.push_back(static_cast<int>(index));
  }
  return indices;
}

template <typename T, typename ToJsonOf>
Json ArrayOf(const std::vector<T>& values, const ToJsonOf& to_json) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(to_json(value));
  return array;
}

Json BufferToJson(const PlanBuffer& buffer) {
  return {{"name", buffer.name},
          {"kind", kKindNames.at(static_cast<size_t>(buffer.kind))},
          {"dtype", DTypeName(buffer.dtype)},
          {"shape", buffer.shape},
          {"layout", buffer.layout.ToText()},
          {"size_bytes", buffer.size_bytes},
          {"offset_bytes", buffer.offset_bytes}};
}

PlanBuffer BufferFromJson(const Json& json) {
  PlanBuffer buffer;
  buffer.name = TextField(json, "name");
  buffer.kind = ParseKind(TextField(json, "kind"));
  buffer.dtype = ParseDType(TextField(json, "dtype"));
  buffer.shape = ShapeField(json, "shape");
  buffer.layout = Layout::Parse(TextField(json, "layout"));
  buffer.size_bytes = IntegerField(json, "size_bytes", 0);
  buffer.offset_bytes = IntegerField(json, "offset_bytes", 0);
  return buffer;
}

Json ViewToJson(const PlanView& view) {
  return {
      {"buffer", view.buffer}, {"offset_bytes", view.offset_bytes}, {"batch_stride_bytes", view.batch_stride_bytes}};
}

PlanView ViewFromJson(const Json& json, size_t buffers) {
  return {IndexField(json, "buffer", buffers), IntegerField(json, "offset_bytes", 0),
          IntegerField(json, "batch_stride_bytes", 0)};
}

Json StageToJson(const KernelStage& stage) { return ToJson(stage); }

Json KernelToJson(const PlanKernel& kernel) {
  return {{"stages", ArrayOf(kernel.stages, StageToJson)},
          {"shared_workspace_bytes", kernel.shared_workspace_bytes},
          {"dispatch", ToJson(kernel.dispatch)}};
}

PlanKernel KernelFromJson(const Json& json) {
  PlanKernel kernel;
  for (const Json& stage : ArrayField(json, "stages")) kernel.stages.push_back(KernelStageFromJson(stage));
  kernel.shared_workspace_bytes = IntegerField(json, "shared_workspace_bytes", 0);
  kernel.dispatch = DispatchFromJson(Field(json, "dispatch"));
  return kernel;
}

// Lists of numbers only, because a list of objects would need more code in the runtime than all else about extents.
std::vector<int64_t> RowsField(const Json& json, const char* name, size_t width, int64_t least) {
  std::vector<int64_t> numbers = IntegersField(json, name, least);
  bool fits = numbers.size() % width == 0;
  for (const int64_t number : numbers) fits = fits && number <= INT32_MAX;
  if (fits) return numbers;
  throw Error(ExitCode::kBadData, fmt::format("field '{}' does not hold rows of {} numbers of 31 bits", name, width));
}

// Numbers of each axis of a box, by the plan's version.
size_t AxisNumbers(int version) { return version == 1 ? 4 : 5; }

// Stage, first item and number of axes of each box, then the numbers of each of its axes.
std::vector<int64_t> NumbersOf(const std::vector<ItemBox>& boxes, int version) {
  std::vector<int64_t> numbers;
  for (const ItemBox& box : boxes) {
    for (const int64_t number : {int64_t{box.stage}, box.first, static_cast<int64_t>(box.axes.size())}) {
      numbers.push_back(number);
    }
    for (const ItemAxis& axis : box.axes) {
      for (const int64_t number : {axis.items, int64_t{axis.extent}, axis.scale, axis.step}) numbers.push_back(number);
      if (version > 1) numbers.push_back(axis.plus);
    }
  }
  return numbers;
}

// `field` names the numbers' field for errors.
std::vector<ItemBox> BoxesFrom(std::span<const int64_t> numbers, int version, std::string_view field) {
  const size_t width = AxisNumbers(version);
  std::vector<ItemBox> boxes;
  const auto require = [field](bool holds, std::string_view what) {
    if (!holds) throw Error(ExitCode::kBadData, fmt::format("field '{}' {}", field, what));
  };
  while (!numbers.empty()) {
    const bool has_head = numbers.size() >= 3 && numbers[2] >= 0;
    require(has_head && static_cast<uint64_t>(numbers[2]) <= (numbers.size() - 3) / width, "ends within a box");
    require(numbers[0] <= INT32_MAX, "names a stage beyond 31 bits");
    ItemBox box{static_cast<int>(numbers[0]), numbers[1], {}};
    const int64_t* row = &numbers[0] + 3;
    for (box.axes.resize(static_cast<size_t>(numbers[2])); ItemAxis & axis : box.axes) {
      require(row[1] <= INT32_MAX, "names a buffer beyond 31 bits");
      axis = {row[0], static_cast<int>(row[1]), row[2], row[3], version == 1 ? 0 : row[4]};
      row += width;
    }
    numbers = numbers.subspan(3 + width * box.axes.size());
    boxes.push_back(std::move(box));
  }
  return boxes;
}

// Integers at the head of a variant, by the plan's version.
size_t HeadNumbers(int version) { return version < 3 ? 3 : 4; }

// The kernel, the number of limits, the number of integers of the boxes and, since version 3, the number of parameters.
// Then a buffer and the most for each limit, an operand and a buffer for each parameter, and the boxes.
Json VariantsToJson(const std::vector<CallVariant>& variants, int version) {
  Json numbers = Json::array();
  for (const CallVariant& variant : variants) {
    const std::vector<int64_t> boxes = NumbersOf(variant.boxes, version);
    numbers.push_back(variant.kernel);
    numbers.push_back(variant.limits.size());
    numbers.push_back(boxes.size());
    if (HeadNumbers(version) > 3) numbers.push_back(variant.params.size());
    for (const ExtentLimit& limit : variant.limits) {
      numbers.push_back(limit.extent);
      numbers.push_back(limit.most);
    }
    for (const VariantParam& param : variant.params) {
      numbers.push_back(param.operand);
      numbers.push_back(param.buffer);
    }
    for (const int64_t number : boxes) numbers.push_back(number);
  }
  return numbers;
}

std::vector<CallVariant> VariantsFromJson(const Json& json, int version) {
  const std::vector<int64_t> all = IntegersField(json, "variants", -1);
  const size_t head = HeadNumbers(version);
  std::vector<CallVariant> variants;
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw Error(ExitCode::kBadData, what);
  };
  for (std::span<const int64_t> numbers = all; !numbers.empty();) {
    require(numbers.size() >= head, "field 'variants' ends within a variant");
    auto left = static_cast<int64_t>(numbers.size() - head);
    const auto take = [&](int64_t count, int64_t width) {
      require(count >= 0 && count <= left / width, "field 'variants' ends within a variant");
      left -= count * width;
      return static_cast<size_t>(count);
    };
    const size_t limits = take(numbers[1], 2), boxes = take(numbers[2], 1), params = head > 3 ? take(numbers[3], 2) : 0;
    require(numbers[0] <= INT32_MAX, "field 'variants' names a kernel beyond 31 bits");
    CallVariant variant{static_cast<int>(numbers[0]), {}, {}};
    numbers = numbers.subspan(head);
    for (size_t i = 0; i < limits; ++i) {
      require(numbers[2 * i] <= INT32_MAX, "field 'variants' names a buffer beyond 31 bits");
      variant.limits.push_back({static_cast<int>(numbers[2 * i]), numbers[2 * i + 1]});
    }
    numbers = numbers.subspan(2 * limits);
    for (size_t i = 0; i < 2 * params; i += 2) {
      require(std::max(numbers[i], numbers[i + 1]) <= INT32_MAX, "field 'variants' names a buffer beyond 31 bits");
      variant.params.push_back({static_cast<int>(numbers[i]), static_cast<int>(numbers[i + 1])});
    }
    numbers = numbers.subspan(2 * params);
    variant.boxes = BoxesFrom(numbers.subspan(0, boxes), version, "variants");
    numbers = numbers.subspan(boxes);
    variants.push_back(std::move(variant));
  }
  return variants;
}

Json CallToJson(const PlanCall& call, int version) {
  Json json = {{"kernel", call.kernel},
               {"operands", ArrayOf(call.operands, ViewToJson)},
               {"op", call.op},
               {"nodes", call.nodes},
               {"flops", call.flops}};
  if (!call.boxes.empty()) json["boxes"] = NumbersOf(call.boxes, version);
  if (!call.variants.empty()) json["variants"] = VariantsToJson(call.variants, version);
  return json;
}

PlanCall CallFromJson(const Json& json, const Plan& plan) {
  PlanCall call;
  call.kernel = IndexField(json, "kernel", plan.kernels.size());
  for (const Json& view : ArrayField(json, "operands")) {
    call.operands.push_back(ViewFromJson(view, plan.buffers.size()));
  }
  call.op = TextField(json, "op");
  call.nodes = TextsField(json, "nodes");
  call.flops = NumberField(json, "flops");
  if (json.find("boxes") != json.end()) call.boxes = BoxesFrom(IntegersField(json, "boxes", -1), plan.version, "boxes");
  if (json.find("variants") != json.end()) call.variants = VariantsFromJson(json, plan.version);
  return call;
}

Json CountedToJson(const std::vector<CountedAxis>& counted) {
  Json numbers = Json::array();
  for (const CountedAxis& each : counted) {
    for (const int64_t number : {int64_t{each.output}, int64_t{each.axis}, int64_t{each.count}, each.most}) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

std::vector<CountedAxis> CountedFromJson(const Json& json) {
  const std::vector<int64_t> numbers = RowsField(json, "counted", 4, -1);
  std::vector<CountedAxis> counted(numbers.size() / 4);
  const int64_t* at = numbers.data();
  for (CountedAxis& each : counted) {
    each = {static_cast<int>(at[0]), static_cast<int>(at[1]), static_cast<int>(at[2]), at[3]};
    at += 4;
  }
  return counted;
}

Json RangedToJson(const std::vector<RangedAxis>& ranged) {
  Json numbers = Json::array();
  for (const RangedAxis& each : ranged) {
    for (const int64_t number : {int64_t{each.input}, int64_t{each.axis}, int64_t{each.extent}, each.least}) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

std::vector<RangedAxis> RangedFromJson(const Json& json, const Plan& plan) {
  const std::vector<int64_t> numbers = RowsField(json, "ranged", 4, 0);
  std::vector<RangedAxis> ranged(numbers.size() / 4);
  const int64_t* at = numbers.data();
  for (RangedAxis& each : ranged) {
    each = {static_cast<int>(at[0]), static_cast<int>(at[1]), static_cast<int>(at[2]), at[3]};
    if (at[0] >= std::ssize(plan.inputs) || at[2] >= std::ssize(plan.buffers)) {
      throw Error(ExitCode::kBadData, "field 'ranged' names an input or a buffer that is not there");
    }
    at += 4;
  }
  return ranged;
}

Json StatesToJson(const std::vector<PlanState>& states) {
  Json numbers = Json::array();
  for (const PlanState& each : states) {
    for (const int number : {each.before, each.after, each.axis, each.extent, each.count}) numbers.push_back(number);
  }
  return numbers;
}

std::vector<PlanState> StatesFromJson(const Json& json) {
  const std::vector<int64_t> numbers = RowsField(json, "states", 5, -1);
  std::vector<PlanState> states(numbers.size() / 5);
  const int64_t* at = numbers.data();
  const auto next = [&at] { return static_cast<int>(*at++); };
  for (PlanState& each : states) each = {next(), next(), next(), next(), next()};
  return states;
}

}  // namespace

Json ToJson(const Dispatch& dispatch) {
  return {{"workload", dispatch.workload},
          {"schedule", dispatch.schedule},
          {"config", dispatch.config},
          {"source", dispatch.source},
          {"record", dispatch.record},
          {"expected_ns", dispatch.expected_ns},
          {"kernel_sha256", dispatch.kernel_sha256}};
}

Dispatch DispatchFromJson(const Json& json) {
  return {TextField(json, "workload"),     TextField(json, "schedule"), TextField(json, "config"),
          TextField(json, "source"),       TextField(json, "record"),   IntegerField(json, "expected_ns", 0),
          TextField(json, "kernel_sha256")};
}

Json ToJson(const Plan& plan) {
  Json json = {{"version", plan.version},
               {"model", plan.model},
               {"target", ToJson(plan.target)},
               {"threads", plan.threads},
               {"buffers", ArrayOf(plan.buffers, BufferToJson)},
               {"kernels", ArrayOf(plan.kernels, KernelToJson)},
               {"calls", ArrayOf(plan.calls, [&](const PlanCall& call) { return CallToJson(call, plan.version); })},
               {"inputs", plan.inputs},
               {"outputs", plan.outputs},
               {"arena_bytes", plan.arena_bytes},
               {"params_bytes", plan.params_bytes},
               {"live_bound_bytes", plan.live_bound_bytes}};
  if (!plan.counted.empty()) json["counted"] = CountedToJson(plan.counted);
  if (!plan.ranged.empty()) json["ranged"] = RangedToJson(plan.ranged);
  if (!plan.states.empty()) json["states"] = StatesToJson(plan.states);
  return json;
}

Plan PlanFromJson(const Json& json) {
  Plan plan;
  plan.version = IntField(json, "version");
  if (plan.version < 1 || plan.version > kPlanVersion) {
    throw Error(ExitCode::kBadData,
                fmt::format("the plan has version {}; this hone reads 1 to {}", plan.version, kPlanVersion));
  }
  plan.model = TextField(json, "model");
  plan.target = TargetFromJson(Field(json, "target"));
  plan.threads = IntField(json, "threads", 1);
  for (const Json& buffer : ArrayField(json, "buffers")) plan.buffers.push_back(BufferFromJson(buffer));
  for (const Json& kernel : ArrayField(json, "kernels")) plan.kernels.push_back(KernelFromJson(kernel));
  for (const Json& call : ArrayField(json, "calls")) plan.calls.push_back(CallFromJson(call, plan));
  plan.inputs = IndicesField(json, "inputs", plan.buffers.size());
  plan.outputs = IndicesField(json, "outputs", plan.buffers.size());
  if (json.find("counted") != json.end()) plan.counted = CountedFromJson(json);
  if (json.find("ranged") != json.end()) plan.ranged = RangedFromJson(json, plan);
  if (json.find("states") != json.end()) plan.states = StatesFromJson(json);
  plan.arena_bytes = IntegerField(json, "arena_bytes", 0);
  plan.params_bytes = IntegerField(json, "params_bytes", 0);
  plan.live_bound_bytes = IntegerField(json, "live_bound_bytes", 0);
  return plan;
}

}  // namespace hone
