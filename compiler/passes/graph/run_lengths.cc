#include "compiler/passes/graph/run_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "compiler/passes/graph/anchor_result.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/ceil_div.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

constexpr int64_t kStep = 4;
// A length is left out unless it is so many times the least.
constexpr double kFromLeast = 2.5;
// Least ratio of the ends of a range without another length at which their geometric mean is one.
constexpr double kMiddleFrom = 2;

// The largest first, the least last. A short range has no power of four between them, but the sizes of images differ by
// its square.
std::vector<int64_t> LengthsFrom(int64_t least, int64_t most) {
  std::vector<int64_t> lengths{most};
  for (int64_t n = CeilDiv(most, kStep); static_cast<double>(n) >= kFromLeast * static_cast<double>(least) && n > 1;
       n = CeilDiv(n, kStep)) {
    lengths.push_back(n);
  }
  const double ratio = static_cast<double>(most) / static_cast<double>(std::max<int64_t>(least, 1));
  if (lengths.size() == 1 && ratio >= kMiddleFrom) {
    lengths.push_back(std::lround(static_cast<double>(most) / std::sqrt(ratio)));
  }
  if (least < most) lengths.push_back(std::max<int64_t>(least, 1));
  return lengths;
}

using Vars = std::vector<std::shared_ptr<const relay::Var>>;

// The parameters that hold extents, each once.
Vars ExtentParams(const relay::Function& main) {
  Vars params;
  for (const relay::RangedInput& each : relay::RangedInputs(main)) {
    const auto& param = Nth(main.params, each.extent);
    if (std::find(params.begin(), params.end(), param) == params.end()) params.push_back(param);
  }
  return params;
}

struct Range {
  int64_t least = 1, most = 1;
};
std::map<std::string, Range> RangesOf(const relay::Function& main) {
  std::map<std::string, Range> ranges;
  for (const relay::RangedInput& each : relay::RangedInputs(main)) {
    const std::string name = relay::DimensionName(*Nth(main.params, each.extent));
    ranges[name] = {each.least, Nth(Nth(main.params, each.input)->type->shape, each.axis)};
  }
  return ranges;
}

std::string RangesText(const std::map<std::string, Range>& ranges) {
  std::string text;
  for (const auto& [name, range] : ranges) {
    text += fmt::format("{}{} {}..{}", text.empty() ? "" : ", ", name, range.least, range.most);
  }
  return text;
}

// Whether the value depends on no other variables. Parameters of the functions that it calls do not count.
bool UsesOnly(const ExprPtr& expr, const Vars& vars) {
  std::set<const relay::Expr*> bound, used;
  for (const auto& var : vars) bound.insert(var.get());
  relay::PostOrderVisit(expr, [&](const ExprPtr& each) {
    if (relay::AsVar(each) != nullptr) used.insert(each.get());
    const relay::Function* function = relay::AsFunction(each);
    if (function == nullptr) return;
    for (const auto& param : function->params) bound.insert(param.get());
  });
  return std::includes(bound.begin(), bound.end(), used.begin(), used.end());
}

}  // namespace

std::vector<RunLength> UsualLengths(const relay::Function& main) {
  std::map<std::string, std::vector<int64_t>> dimensions;
  for (const auto& [name, range] : RangesOf(main)) dimensions[name] = LengthsFrom(range.least, range.most);
  std::vector<RunLength> all;
  const auto add = [&](RunLength length) {
    if (std::find(all.begin(), all.end(), length) == all.end()) all.push_back(std::move(length));
  };
  size_t most = 0;
  for (const auto& [name, lengths] : dimensions) most = std::max(most, lengths.size());
  for (size_t i = 0; i < most; ++i) {
    RunLength together;
    for (const auto& [name, lengths] : dimensions) together.extents[name] = lengths[std::min(i, lengths.size() - 1)];
    add(std::move(together));
  }
  for (const auto& [largest, unused] : dimensions) {
    RunLength one;
    for (const auto& [name, lengths] : dimensions) {
      one.extents[name] = name == largest ? lengths.front() : lengths.back();
    }
    add(std::move(one));
  }
  return all;
}

namespace {

// The length with the name of each dimension.
RunLength Named(const RunLength& given, const std::map<std::string, Range>& ranges) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::kBadData,
                fmt::format("a length of runs {}; the free dimensions are {}", why, RangesText(ranges)));
  };
  RunLength named{{}, given.share};
  for (const auto& [name, extent] : given.extents) {
    const auto range = name.empty() && ranges.size() == 1 ? ranges.begin() : ranges.find(name);
    if (range == ranges.end()) refuse(name.empty() ? "names no dimension" : fmt::format("names {}", name));
    const bool fits = extent >= range->second.least && extent <= range->second.most;
    if (!fits) refuse(fmt::format("has {}={}", range->first, extent));
    named.extents[range->first] = extent;
  }
  if (named.extents.size() != ranges.size()) refuse("does not give every dimension");
  return named;
}

double SizeOf(const RunLength& length) {
  double size = 1;
  for (const auto& [name, extent] : length.extents) size *= static_cast<double>(extent);
  return size;
}

}  // namespace

std::vector<RunLength> TypicalLengths(const relay::Function& main, const std::vector<RunLength>& given) {
  const std::map<std::string, Range> ranges = RangesOf(main);
  std::map<std::pair<double, std::map<std::string, int64_t>>, double> sorted;
  RunLength largest;
  for (const auto& [name, range] : ranges) largest.extents[name] = range.most;
  double all = 0;
  for (const RunLength& each : given) {
    const RunLength named = Named(each, ranges);
    sorted[{SizeOf(named), named.extents}] += named.share;
    all += named.share;
  }
  // Groups of about as many runs. The commonest length of a group stands for it.
  std::vector<RunLength> typical;
  double before = 0, commonest = 0;
  size_t group = kTypicalLengths;
  for (const auto& [key, share] : sorted) {
    const auto now = static_cast<size_t>(before / all * kTypicalLengths);
    if (std::exchange(group, now) != now) {
      typical.emplace_back();
      commonest = 0;
    }
    if (share > commonest) typical.back().extents = key.second;
    commonest = std::max(commonest, share);
    typical.back().share += share;
    before += share;
  }
  if (typical.empty() || typical.back().extents != largest.extents) typical.push_back(largest);
  return typical;
}

NeededResults::NeededResults(const relay::IRModule& fused, const std::vector<RunLength>& lengths) : main_(*fused.main) {
  if (main_.attrs.Find(relay::kRanged) == nullptr) {
    if (lengths.empty()) return;
    throw Error(ExitCode::kBadData, "lengths of runs are given, but the model has no free dimension");
  }
  lengths_ = lengths.empty() ? UsualLengths(main_) : TypicalLengths(main_, lengths);
  needed_.emplace(fused);
}

const std::vector<int64_t>& NeededResults::ValuesOf(const ExprPtr& extent) const {
  const auto [it, is_new] = values_.try_emplace(extent.get());
  const Vars params = ExtentParams(main_);
  if (!is_new || !UsesOnly(extent, params)) return it->second;
  for (const RunLength& length : lengths_) {
    std::vector<Tensor> given;
    for (const auto& param : params) {
      given.push_back(
          Tensor::FromVector<int64_t>(DType::kInt64, {}, {length.extents.at(relay::DimensionName(*param))}));
    }
    it->second.push_back(IntegerAt(RunReference(relay::Function(params, extent), given).at(0), 0));
  }
  return it->second;
}

int64_t NeededResults::PositionsIn(size_t length, const std::optional<NeededPositions>& needed, int64_t most) const {
  if (!needed) return most;
  const std::vector<int64_t>& values = ValuesOf(needed->extent);
  if (values.empty()) return most;
  return std::clamp<int64_t>(CeilDiv(values[length] * needed->scale + needed->plus, needed->step), 1, most);
}

std::vector<NeededResult> NeededResults::Of(const relay::Call& call) const {
  const relay::Function& function = *relay::AsFunction(call.op);
  const Workload& workload = AnchorOf(function)->workload;
  const Shape whole = ResultShape(workload);
  const relay::Call* const anchor = needed_ ? AnchorCallIn(function, workload) : nullptr;
  const NeededAxes axes = anchor == nullptr ? NeededAxes() : needed_->Within(call, *anchor);
  std::map<std::pair<int64_t, Shape>, double> shares{{{ElementCount(whole), whole}, 0}};
  for (size_t i = 0; axes.size() == whole.size() && i < lengths_.size(); ++i) {
    Shape shape = whole;
    for (size_t d = 0; d < whole.size(); ++d) shape[d] = PositionsIn(i, axes[d], whole[d]);
    shares[{ElementCount(shape), shape}] += lengths_[i].share;
  }
  std::vector<NeededResult> sorted;
  for (const auto& [key, share] : shares) sorted.push_back({key.second, share});
  return sorted;
}

}  // namespace hone
