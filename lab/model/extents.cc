#include "lab/model/extents.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/error.h"
#include "core/nth.h"
#include "core/random.h"
#include "core/text/spelling.h"
#include "core/text/sum_of_names.h"

namespace hone {
namespace {

const FreeDimension* Find(const std::vector<FreeDimension>& dimensions, const std::string& name) {
  const auto at =
      std::find_if(dimensions.begin(), dimensions.end(), [&](const auto& each) { return each.name == name; });
  return at == dimensions.end() ? nullptr : &*at;
}

}  // namespace

std::optional<int64_t> ExtentOfSum(const FreeDimension& of, const std::vector<FreeDimension>& dimensions,
                                   const std::function<int64_t(const std::string&)>& extent_of) {
  const std::optional<SumOfNames> sum = ParseSumOfNames(of.name);
  if (!sum) return std::nullopt;
  int64_t extent = 0, least = 0, most = 0;
  bool all_free = true, any_free = false;
  for (const auto& [name, factor] : sum->terms) {
    const FreeDimension* part = Find(dimensions, name);
    all_free = all_free && part != nullptr;
    if (part == nullptr) continue;
    any_free = true;
    extent += factor * extent_of(name);
    least += factor * (factor > 0 ? part->least : part->most);
    most += factor * (factor > 0 ? part->most : part->least);
  }
  if (all_free) return extent + sum->number;
  if (!any_free || of.least - least != of.most - most) return std::nullopt;
  return extent + of.least - least;
}

std::vector<FreeDimension> FreeDimensions(const std::vector<InputSpec>& specs) {
  std::vector<FreeDimension> dimensions;
  for (const InputSpec& spec : specs) {
    for (const InputRange& range : spec.ranges) {
      const int64_t most = Nth(spec.shape, range.axis);
      const auto known = std::find_if(dimensions.begin(), dimensions.end(),
                                      [&](const FreeDimension& each) { return each.name == range.dimension; });
      if (known == dimensions.end()) {
        dimensions.push_back({range.dimension, range.least, most, spec.is_state});
      } else {
        known->of_state = known->of_state || spec.is_state;
        known->least = std::max(known->least, range.least);
        known->most = std::min(known->most, most);
      }
    }
  }
  return dimensions;
}

std::string FreeDimensionsText(const std::vector<FreeDimension>& dimensions) {
  std::string text;
  for (const FreeDimension& each : dimensions) {
    text += fmt::format("{}{} {}..{}", text.empty() ? "" : ", ", each.name, each.least, each.most);
  }
  return text;
}

Extents ExtentsOf(const std::vector<InputSpec>& specs, const std::map<std::string, Tensor>& inputs) {
  Extents extents;
  for (const InputSpec& spec : specs) {
    for (const InputRange& range : spec.ranges) {
      extents[range.dimension] = Nth(inputs.at(spec.name).shape(), range.axis);
    }
  }
  return extents;
}

std::string ExtentsText(const Extents& extents) {
  std::string text;
  for (const auto& [name, extent] : extents) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, extent);
  return text;
}

std::pair<std::string, int64_t> ParseExtent(std::string_view text) {
  const size_t equals = text.rfind('=');
  int64_t extent = 0;
  if (equals != std::string_view::npos && equals > 0) {
    const std::string_view number = text.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
    if (error == std::errc() && end == number.data() + number.size() && !number.empty()) {
      return {std::string(text.substr(0, equals)), extent};
    }
  }
  throw Error(ExitCode::kUsage, fmt::format("--dim is given \"{}\"; right is NAME=57", text));
}

void ChosenExtents::Choose(const std::string& name, int64_t extent, const std::string& from) {
  std::vector<std::string> names;
  for (const FreeDimension& each : free_) names.push_back(each.name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    throw Error(
        ExitCode::kUsage,
        names.empty()
            ? fmt::format(
                  "{}: the shapes of the package are fixed; `hone build MODEL --dim {}=1..{} -o P.hone` leaves a free "
                  "dimension of the model to runs",
                  from, name, std::max<int64_t>(extent, 2))
            : fmt::format("{}: the package's free dimensions are {}{}", from, FreeDimensionsText(free_),
                          DidYouMean(name, names)));
  }
  const FreeDimension& dimension = Nth(free_, at - names.begin());
  if (extent < dimension.least || extent > dimension.most) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the dimension {} is {}; it may be {} to {}", from, name, extent,
                                                dimension.least, dimension.most));
  }
  const auto [known, is_new] = chosen_.try_emplace(name, Chosen{extent, from});
  if (is_new || known->second.extent == extent) return;
  throw Error(ExitCode::kBadData, fmt::format("the dimension {} is {} by {} and {} by {}; one number would be right",
                                              name, known->second.extent, known->second.from, extent, from));
}

void ChosenExtents::ChooseAsIn(const InputSpec& spec, const Shape& shape, const std::string& from) {
  for (const InputRange& range : spec.ranges) Choose(range.dimension, Nth(shape, range.axis), from);
}

int64_t ChosenExtents::ExtentOf(const std::string& name) const {
  if (const auto chosen = chosen_.find(name); chosen != chosen_.end()) return chosen->second.extent;
  const FreeDimension& free = *Find(free_, name);
  // The session refuses a sum out of range.
  const auto sum = ExtentOfSum(free, free_, [this](const std::string& part) { return ExtentOf(part); });
  if (sum) return std::max<int64_t>(*sum, 0);
  return free.of_state ? free.least : free.most;
}

Shape ChosenExtents::ShapeOf(const InputSpec& spec) const {
  Shape shape = spec.shape;
  for (const InputRange& range : spec.ranges) Nth(shape, range.axis) = ExtentOf(range.dimension);
  return shape;
}

namespace {

// The nearest multiple of `step` in the range, upwards first if `up`; the extent itself if there is none.
int64_t Multiple(const FreeDimension& of, int64_t extent, int64_t step, bool up) {
  const int64_t below = extent / step * step, above = below == extent ? extent : below + step;
  for (const int64_t each : {up ? above : below, up ? below : above}) {
    if (each >= of.least && each <= of.most && each > 0) return each;
  }
  return extent;
}

// The extents themselves and what stands in for them, the nearest first.
std::vector<Extents> Near(const std::vector<FreeDimension>& dimensions, const Extents& extents, bool up) {
  constexpr int64_t kMostStep = 256;
  int64_t least = 0, most = std::numeric_limits<int64_t>::max();  // that all dimensions may be
  for (const FreeDimension& each : dimensions) {
    least = std::max(least, each.least);
    most = std::min(most, each.most);
  }
  std::vector<Extents> near;
  for (const bool equal : {false, true}) {
    if (equal && (dimensions.empty() || least > most)) break;
    Extents from = extents;
    for (const FreeDimension& each : dimensions) {
      if (equal) from[each.name] = std::clamp(extents.begin()->second, least, most);
    }
    for (int64_t step = 1; step <= kMostStep; step *= 2) {
      Extents& next = near.emplace_back(from);
      for (const FreeDimension& each : dimensions) next[each.name] = Multiple(each, from.at(each.name), step, up);
    }
  }
  return near;
}

// Those that are no sums of others.
std::vector<FreeDimension> Independent(const std::vector<FreeDimension>& dimensions) {
  std::vector<FreeDimension> independent = dimensions;
  std::erase_if(independent, [&](const FreeDimension& each) {
    return ExtentOfSum(each, dimensions, [](const std::string&) { return 0; }).has_value();
  });
  return independent;
}

// The extents with the sums that follow from them.
Extents WithSums(const std::vector<FreeDimension>& dimensions, Extents extents) {
  for (const FreeDimension& each : dimensions) {
    const auto sum = ExtentOfSum(each, dimensions, [&](const std::string& part) { return extents.at(part); });
    if (sum) extents[each.name] = *sum;
  }
  return extents;
}

bool AreInRange(const std::vector<FreeDimension>& dimensions, const Extents& extents) {
  return std::all_of(dimensions.begin(), dimensions.end(), [&](const FreeDimension& each) {
    return extents.at(each.name) >= each.least && extents.at(each.name) <= each.most;
  });
}

}  // namespace

SampledExtents SampleExtents(const std::vector<FreeDimension>& all, const std::function<bool(const Extents&)>& takes) {
  constexpr int kBetween = 2;
  const std::vector<FreeDimension> dimensions = Independent(all);
  const auto is_taken = [&](const Extents& each) { return AreInRange(all, each) && takes(each); };
  std::vector<Extents> wanted(2);
  for (const FreeDimension& each : dimensions) {
    wanted[0][each.name] = each.least;
    wanted[1][each.name] = each.most;
  }
  Random random(1);
  for (int i = 0; i < kBetween; ++i) {
    Extents between;
    for (const FreeDimension& each : dimensions) {
      between[each.name] =
          each.least + static_cast<int64_t>(random.Below(static_cast<uint64_t>(each.most - each.least) + 1));
    }
    wanted.push_back(std::move(between));
  }
  SampledExtents samples;
  for (const Extents& each : wanted) {
    std::vector<Extents> near = Near(dimensions, each, &each == &wanted[0]);
    for (Extents& extents : near) extents = WithSums(all, std::move(extents));
    const auto taken = std::find_if(near.begin(), near.end(), is_taken);
    if (taken != near.end()) samples.taken.push_back(*taken);
    if (taken != near.begin()) samples.passed_over.push_back(near.front());
  }
  if (samples.taken.empty()) samples.taken = {WithSums(all, wanted[0]), WithSums(all, wanted[1])};
  for (std::vector<Extents>* list : {&samples.taken, &samples.passed_over}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return samples;
}

}  // namespace hone
