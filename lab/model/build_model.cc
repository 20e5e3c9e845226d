#include "lab/model/build_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/package/package_format.h"
#include "core/text/printable.h"
#include "core/workload.h"
#include "lab/text/print.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

KernelLosses LossesOf(const Plan& plan, const RecordConfigSource& source, const BuildContext& context) {
  KernelLosses losses;
  for (const PlanKernel& kernel : plan.kernels) {
    const Dispatch& dispatch = kernel.dispatch;
    const bool far = !dispatch.record.empty() && !dispatch.source.starts_with(NearnessName(0));
    losses.push_back(far ? source.LossOf(Workload::Parse(dispatch.workload), dispatch.record, context) : std::nullopt);
  }
  return losses;
}

// Without this warning, a layer that was tuned with an older hone would only be reported as "default".
void WarnOfOtherVersions(const Plan& plan, const RecordConfigSource& source) {
  int64_t records = 0;
  std::set<std::string> seen;
  for (const PlanKernel& kernel : plan.kernels) {
    const Dispatch& dispatch = kernel.dispatch;
    if (!dispatch.record.empty() || dispatch.workload.empty() || !seen.insert(dispatch.workload).second) continue;
    records += source.OtherVersions(Workload::Parse(dispatch.workload));
  }
  if (records == 0) return;
  Note(
      "warning: layers without a usable record have {} of other versions of their schedules; `hone tune` measures "
      "them anew\n",
      Counted(records, "record"));
}

void WarnOfBlames(const RecordConfigSource& source) {
  const int64_t records = source.BlamesForMachine();
  if (records == 0) return;
  Note("warning: left out: {} with the machine's trouble blamed on a candidate; `hone log heal` takes such out\n",
       Counted(records, "record"));
}

}  // namespace

BuiltModel BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                      const std::function<void(const std::string&, const relay::IRModule&)>& after_pass,
                      const std::string& model_sha256, const PackagePrecision& precision, bool joins_params) {
  const RecordLayers layers = OpenRecords(records, module.name);
  std::optional<RecordConfigSource> source;
  if (!layers.empty()) source.emplace(layers, machine.fingerprint);
  BuildOptions options;
  options.context = machine.context;
  options.configs = source.has_value() ? &*source : nullptr;
  options.after_pass = after_pass;
  options.model_sha256 = model_sha256;
  options.precision = precision;
  options.joins_params = joins_params;
  BuiltModel built{Build(module, options), {}};
  if (source) WarnOfOtherVersions(built.result.plan, *source);
  if (source) WarnOfBlames(*source);
  if (source) built.losses = LossesOf(built.result.plan, *source, machine.context);
  return built;
}

namespace {

constexpr std::string_view kDots = "..";

// The first "A..B" among the sizes of NAME=1..32,3,224,224; empty if there is none.
std::string_view FirstRange(std::string_view text) {
  std::string_view sizes = text.substr(text.rfind('=') + 1);
  while (!sizes.empty()) {
    const size_t comma = sizes.find(',');
    const std::string_view size = sizes.substr(0, comma);
    if (size.find(kDots) != std::string_view::npos) return size;
    sizes = comma == std::string_view::npos ? "" : sizes.substr(comma + 1);
  }
  return "";
}

// The first "1,5,8" of NAME=1,5,8; empty if there is none.
std::string_view FirstList(const std::vector<std::string>& dims) {
  for (const std::string& text : dims) {
    const std::string_view sizes = std::string_view(text).substr(text.rfind('=') + 1);
    if (sizes.find(',') != std::string_view::npos) return sizes;
  }
  return "";
}

std::string_view FirstRange(const std::vector<std::string>& shapes) {
  for (const std::string& text : shapes) {
    if (const std::string_view range = FirstRange(std::string_view(text)); !range.empty()) return range;
  }
  return "";
}

// The number; 0 if the text is none.
int64_t Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::vector<int64_t> SizesOf(std::string_view range) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  const size_t dots = range.find(kDots);
  const int64_t first = Number(range.substr(0, dots)), last = Number(range.substr(dots + kDots.size()));
  if (first < 1 || last < first || last > kLargest) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("a size is given \"{}\"; right is one number, or the least and the most as in 1..32", range));
  }
  std::vector<int64_t> sizes;
  for (int64_t size = first; size < last; size *= 2) sizes.push_back(size);
  sizes.push_back(last);
  return sizes;
}

std::vector<int64_t> SizesOfList(std::string_view list) {
  std::vector<int64_t> sizes;
  for (std::string_view rest = list; sizes.empty() || !rest.empty();) {
    const size_t comma = rest.find(',');
    sizes.push_back(Number(rest.substr(0, comma)));
    if (sizes.back() < 1 || comma + 1 == rest.size()) {
      throw Error(ExitCode::kUsage, fmt::format("--dim is given \"{}\"; right is one size, several as in 1,4,16, or a "
                                                "range as in 1..512",
                                                list));
    }
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  return sizes;
}

// Replaces sizes of a shape.
std::string Replaced(const std::string& text, std::string_view range, int64_t size) {
  std::string result = text.substr(0, text.rfind('=') + 1);
  std::string_view sizes = std::string_view(text).substr(result.size());
  while (true) {
    const size_t comma = sizes.find(',');
    const std::string_view one = sizes.substr(0, comma);
    result += one == range ? fmt::format("{}", size) : std::string(one);
    if (comma == std::string_view::npos) return result;
    result += ',';
    sizes = sizes.substr(comma + 1);
  }
}

void Expand(const ModelOptions& options, std::vector<ModelOptions>& each) {
  const std::string range(FirstRange(options.shapes)), list(FirstList(options.dims));
  if (range.empty() && list.empty()) {
    each.push_back(options);
    if (each.size() <= kMostPackages) return;
    throw Error(ExitCode::kUsage,
                fmt::format("--shape and --dim stand for more than {0} shapes; a package holds {0}", kMostPackages));
  }
  for (const int64_t size : range.empty() ? SizesOfList(list) : SizesOf(range)) {
    ModelOptions one = options;
    if (!range.empty()) {
      for (std::string& text : one.shapes) text = Replaced(text, range, size);
    } else {
      for (std::string& text : one.dims) {
        if (text.ends_with("=" + list)) text.replace(text.size() - list.size(), list.size(), std::to_string(size));
      }
    }
    Expand(one, each);
  }
}

}  // namespace

std::vector<ModelOptions> EachShape(const ModelOptions& options) {
  std::vector<ModelOptions> each;
  Expand(options, each);
  return each;
}

}  // namespace hone
