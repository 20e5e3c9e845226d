#include "runtime/generate/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

const PlanBuffer& InputOf(const Plan& plan, int input) { return plan.buffers[plan.inputs[input]]; }
const PlanBuffer& OutputOf(const Plan& plan, int output) { return plan.buffers[plan.outputs[output]]; }

bool IsIntegral(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(
      ExitCode::kUsage,
      fmt::format("the package generates no text: {}; a language model that takes input_ids would be right", what));
}

bool Is(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Decoder::Decoder(Session& session) : session_(session) {
  FindInputs();
  FindLogits();
  FindLimits();
}

void Decoder::FindInputs() {
  const Plan& plan = session_.package().plan();
  for (int i = 0; i < static_cast<int>(plan.inputs.size()); ++i) {
    const PlanBuffer& input = InputOf(plan, i);
    if (Is(input.name, {"input_ids", "decoder_input_ids", "tokens", "ids", "input"}) && IsIntegral(input.dtype)) {
      ids_ = i;
    } else if (Is(input.name, {"attention_mask", "decoder_attention_mask"}) && input.shape.size() == 2) {
      others_.push_back({i, Role::kMask});
    } else if (Is(input.name, {"position_ids", "cache_position", "positions"})) {
      others_.push_back({i, Role::kPositions});
    } else if (input.name == "token_type_ids") {
      others_.push_back({i, Role::kZeros});
    } else if (Is(input.name, {"use_cache_branch", "use_cache"})) {
      others_.push_back({i, Role::kUsesCache});
    } else if (input.name.starts_with("past")) {
      Refuse(
          fmt::format("the caller keeps its input {}; `hone build --state auto` lets the package keep it", input.name));
    } else {
      Refuse(fmt::format("the meaning of its input {} is not known", input.name));
    }
  }
  if (ids_ < 0) Refuse("it has no input input_ids of integers");
}

void Decoder::FindLogits() {
  const Plan& plan = session_.package().plan();
  for (int o = 0; o < static_cast<int>(plan.outputs.size()) && logits_ < 0; ++o) {
    const PlanBuffer& output = OutputOf(plan, o);
    if (output.name.find("logits") != std::string::npos) logits_ = o;
  }
  for (int o = 0; o < static_cast<int>(plan.outputs.size()) && logits_ < 0; ++o) {
    if (IsFloat(OutputOf(plan, o).dtype)) logits_ = o;
  }
  if (logits_ < 0) Refuse("it has no output logits");
  const Shape& shape = OutputOf(plan, logits_).shape;
  if (shape.size() < 2 || shape.size() > 3) {
    Refuse(fmt::format("its output {} is {}; batch x tokens x vocabulary would be right", OutputOf(plan, logits_).name,
                       ShapeText(shape)));
  }
  vocabulary_ = shape.back();
}

void Decoder::FindLimits() {
  const Plan& plan = session_.package().plan();
  const PlanBuffer& ids = InputOf(plan, ids_);
  if (ids.shape.size() != 2)
    Refuse(fmt::format("{} is {}; batch x tokens would be right", ids.name, ShapeText(ids.shape)));
  step_ = ids.shape[1];
  if (RangeOf(plan, static_cast<size_t>(ids_), 1) == nullptr && step_ != 1) {
    Refuse(fmt::format("{} has the fixed length {}; `hone build --dim NAME=1..N` gives it a range", ids.name, step_));
  }
  const int64_t kept = session_.StateCapacity();
  capacity_ = !keeps_state() ? step_ : kept > 0 ? kept : INT64_MAX;
  for (const Other& other : others_) {
    if (other.role == Role::kMask) capacity_ = std::min(capacity_, InputOf(plan, other.input).shape[1]);
  }
}

int64_t Decoder::length() const {
  return session_.StateCapacity() > 0 ? session_.StateLength() : static_cast<int64_t>(text_.size());
}

void Decoder::RequireIds(std::span<const int64_t> ids) const {
  if (ids.empty()) throw Error(ExitCode::kUsage, "no token ids were given; a text begins with at least one");
  const auto count = static_cast<int64_t>(ids.size());
  if (count > capacity_ - length()) {
    throw Error(ExitCode::kBadData,
                fmt::format("the text has {} and {} more; the package holds {}. A package that was built with a "
                            "larger range (--dim) holds more",
                            Counted(length(), "token"), count, capacity_));
  }
  for (const int64_t id : ids) {
    if (id < 0 || id >= vocabulary_) {
      throw Error(ExitCode::kBadData,
                  fmt::format("the token id {} was given; the vocabulary has ids 0 to {}", id, vocabulary_ - 1));
    }
  }
}

void Decoder::SetIntegers(int input, Shape shape, const std::vector<int64_t>& values) {
  const PlanBuffer& buffer = InputOf(session_.package().plan(), input);
  Tensor tensor(buffer.dtype, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), static_cast<double>(values[i]));
  session_.SetInput(buffer.name, tensor);
}

void Decoder::SetOther(const Other& other, int64_t count) {
  const Shape& largest = InputOf(session_.package().plan(), other.input).shape;
  const int64_t begin = keeps_state() ? length() : 0;
  if (other.role == Role::kUsesCache) {
    const auto flags = static_cast<size_t>(ElementCount(largest));
    return SetIntegers(other.input, largest, std::vector<int64_t>(flags, begin > 0 ? 1 : 0));
  }
  const int64_t size = other.role == Role::kMask ? begin + count : count;
  std::vector<int64_t> values(static_cast<size_t>(size), other.role == Role::kMask ? 1 : 0);
  if (other.role == Role::kPositions) std::iota(values.begin(), values.end(), begin);
  SetIntegers(other.input, largest.size() == 1 ? Shape{size} : Shape{1, size}, values);
}

void Decoder::Run(std::span<const int64_t> ids) {
  const auto count = static_cast<int64_t>(ids.size());
  SetIntegers(ids_, {1, count}, {ids.begin(), ids.end()});
  for (const Other& other : others_) SetOther(other, count);
  session_.Run();
}

void Decoder::ReadLogits() {
  const PlanBuffer& logits = OutputOf(session_.package().plan(), logits_);
  Tensor row(logits.dtype, {vocabulary_});
  const auto* all = static_cast<const char*>(session_.OutputData(logits_));
  const int64_t bytes = ElementCount(session_.OutputShape(logits_)) * DTypeBytes(logits.dtype);
  std::memcpy(row.raw(), all + bytes - row.size_bytes(), static_cast<size_t>(row.size_bytes()));
  last_ = row.As(DType::kFloat32);
}

std::span<const float> Decoder::Feed(std::span<const int64_t> ids) {
  RequireIds(ids);
  if (keeps_state()) {
    for (size_t begin = 0; begin < ids.size(); begin += static_cast<size_t>(step_)) {
      const auto run = ids.subspan(begin, std::min(ids.size() - begin, static_cast<size_t>(step_)));
      Run(run);
      text_.insert(text_.end(), run.begin(), run.end());
    }
  } else {
    std::vector<int64_t> text = text_;
    text.insert(text.end(), ids.begin(), ids.end());
    Run(text);
    text_ = std::move(text);  // a run that failed adds nothing
  }
  ReadLogits();
  return {last_.data<float>(), static_cast<size_t>(vocabulary_)};
}

void Decoder::Reset() {
  session_.ResetState();
  text_.clear();
}

}  // namespace hone
