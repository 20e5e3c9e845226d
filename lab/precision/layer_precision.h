// The element type in which each layer of a model multiplies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone {

// float32 comes first, as the default of a layer.
enum class LayerPrecision : uint8_t { kFloat32, kBFloat16, kInt8 };
inline constexpr size_t kLayerPrecisions = 3;

constexpr std::string_view LayerPrecisionName(LayerPrecision precision) {
  constexpr std::string_view kNames[kLayerPrecisions] = {"float32", "bfloat16", "int8"};
  return kNames[static_cast<size_t>(precision)];
}

// Precisions by the layer's name; a missing layer is float32.
using Assignment = std::map<std::string, LayerPrecision>;

inline LayerPrecision PrecisionIn(const Assignment& assignment, const std::string& layer) {
  const auto found = assignment.find(layer);
  return found == assignment.end() ? LayerPrecision::kFloat32 : found->second;
}

}  // namespace hone
