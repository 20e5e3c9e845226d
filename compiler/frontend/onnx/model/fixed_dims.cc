#include "compiler/frontend/onnx/model/fixed_dims.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/model/input_shapes.h"

namespace hone {
namespace {

constexpr size_t kQuery = 0, kKey = 1, kPastKey = 3, kPastValue = 4;  // inputs of GroupQueryAttention

int64_t IntOf(const OnnxNode& node, std::string_view name) {
  const auto named = [&](const auto& attribute) { return attribute.first == name; };
  const auto found = std::find_if(node.attributes.begin(), node.attributes.end(), named);
  return found == node.attributes.end() ? 0 : found->second.i;
}

bool Has(const OnnxNode& node, size_t input) { return input < node.inputs.size() && !node.inputs[input].empty(); }

// The size of a head; nullopt if the file does not declare the queries' shape, or if heads do not fit it.
std::optional<int64_t> HeadSize(const OnnxGraph& graph, const OnnxNode& node) {
  const auto query = graph.declared_shapes.find(node.inputs[kQuery]);
  if (query == graph.declared_shapes.end() || query->second.size() != 3) return std::nullopt;
  const int64_t width = query->second.back().value;
  // Without keys of their own, keys and values are packed behind the queries.
  const int64_t groups = Has(node, kKey) ? 0 : 2 * IntOf(node, "kv_num_heads");
  const int64_t heads = IntOf(node, "num_heads") + groups;
  return width > 0 && heads > 0 && width % heads == 0 ? std::optional(width / heads) : std::nullopt;
}

}  // namespace

std::map<std::string, FixedDim> FixedDims(const OnnxGraph& graph) {
  std::map<std::string, FixedDim> fixed;
  for (const OnnxNode& node : graph.nodes) {
    if (node.op_type != "GroupQueryAttention" || !Has(node, kPastKey)) continue;
    const std::optional<int64_t> size = HeadSize(graph, node), window = WindowOfCache(node);
    for (const OnnxInput& input : graph.inputs) {
      const bool is_past =
          input.name == node.inputs[kPastKey] || (Has(node, kPastValue) && input.name == node.inputs[kPastValue]);
      if (!is_past || input.dims.size() != 4) continue;
      const auto fix = [&](size_t axis, std::optional<int64_t> extent) {
        const std::string name = FreeDimName(input, axis);
        if (name.empty() || !extent) return;
        FixedDim& dim = fixed.try_emplace(name, FixedDim{*extent, node.name}).first->second;
        if (*extent > dim.extent) dim = {*extent, node.name};
      };
      fix(3, size);
      fix(2, window);
    }
  }
  return fixed;
}

std::optional<int64_t> WindowOfCache(const OnnxNode& node) {
  const int64_t window = IntOf(node, "local_window_size");
  return IntOf(node, "sliding_window_cache") == 1 && window > 0 ? std::optional(window) : std::nullopt;
}

}  // namespace hone
