// The extents of a package's free dimensions: those that each run chooses for axes of its inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "lab/model/inputs.h"

namespace hone {

struct FreeDimension {
  std::string name;
  int64_t least = 1, most = 1;
  bool of_state = false;  // the number of positions of a state, of which a session has none at first
};
// In the order of the inputs' axes; empty if all shapes are fixed.
std::vector<FreeDimension> FreeDimensions(const std::vector<InputSpec>& specs);
// The extent of a dimension whose name is a sum of others, such as "past + seq", by theirs. Names of the sum that are
// no free dimensions were fixed by the build, which shows in the ranges. nullopt: the name is no sum, or its parts
// cannot be told from the ranges.
std::optional<int64_t> ExtentOfSum(const FreeDimension& of, const std::vector<FreeDimension>& dimensions,
                                   const std::function<int64_t(const std::string&)>& extent_of);
// "batch 1..32, seq 1..512"
std::string FreeDimensionsText(const std::vector<FreeDimension>& dimensions);

// Extents by the dimension's name.
using Extents = std::map<std::string, int64_t, std::less<>>;
// Those of the inputs, which fit the specs.
Extents ExtentsOf(const std::vector<InputSpec>& specs, const std::map<std::string, Tensor>& inputs);
// "batch=8, seq=57"; empty without extents.
std::string ExtentsText(const Extents& extents);

// Parses NAME=57. Throws Error(kUsage).
std::pair<std::string, int64_t> ParseExtent(std::string_view text);

// The extents that a command's options choose.
class ChosenExtents {
 public:
  explicit ChosenExtents(const std::vector<InputSpec>& specs) : free_(FreeDimensions(specs)) {}

  // `from` tells the origin in messages. Throws Error: kUsage for an unknown name, with the nearest one; kBadData for
  // an extent out of its range or another one than was chosen before.
  void Choose(const std::string& name, int64_t extent, const std::string& from);
  // Chooses the extents of the input's free axes. The shape has the input's rank and fixed extents. Throws as Choose.
  void ChooseAsIn(const InputSpec& spec, const Shape& shape, const std::string& from);
  // The input's shape with the chosen extents, and the largest ones where none was chosen, or none of a state. A
  // dimension that is a sum of others follows from these.
  Shape ShapeOf(const InputSpec& spec) const;

 private:
  struct Chosen {
    int64_t extent = 0;
    std::string from;
  };
  int64_t ExtentOf(const std::string& name) const;

  std::vector<FreeDimension> free_;
  std::map<std::string, Chosen> chosen_;
};

// Extents at which a package is checked: the least ones, the largest ones, and some between. One entry, which is empty,
// if all shapes are fixed. Deterministic.
//
// A model may not take all extents in range: a net of several scales takes sides that halve often enough. `takes` says
// whether a run takes some. In place of others the nearest are taken that halve, or that are equal in all dimensions.
// Dimensions that are sums of others follow from these.
struct SampledExtents {
  std::vector<Extents> taken;        // those of the ends if `takes` denies all that were tried
  std::vector<Extents> passed_over;  // the ends and others between that `takes` denies
};
SampledExtents SampleExtents(const std::vector<FreeDimension>& dimensions,
                             const std::function<bool(const Extents&)>& takes);

}  // namespace hone
