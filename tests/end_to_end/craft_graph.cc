#include "tests/end_to_end/craft_graph.h"

#include <limits>
#include <vector>

namespace hone {
namespace {

template <typename T>
const T& OneOf(const std::vector<T>& values, Random& random) {
  return values[random.Below(values.size())];
}

void Collect(Json& json, std::vector<Json*>& leaves, std::vector<Json*>& lists) {
  if (json.is_array()) lists.push_back(&json);
  if (!json.is_structured()) leaves.push_back(&json);
  if (!json.is_structured()) return;
  for (Json& child : json) Collect(child, leaves, lists);
}

int64_t OtherNumber(int64_t value, Random& random) {
  const auto wild = static_cast<int64_t>(random.Next() >> random.Below(64));
  const auto wrapping = static_cast<uint64_t>(value);
  return OneOf<int64_t>({0, 1, -1, static_cast<int64_t>(wrapping + 1), static_cast<int64_t>(wrapping - 1),
                         static_cast<int64_t>(wrapping * 2), value / 2, static_cast<int64_t>(wrapping + 64),
                         static_cast<int64_t>(wrapping - 64), static_cast<int64_t>(wrapping + 4096), int64_t{1} << 40,
                         std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), wild},
                        random);
}

// Replaces a number by another, or a text by one from elsewhere in the graph.
void ChangeLeaf(Json& graph, Random& random) {
  std::vector<Json*> leaves, lists;
  Collect(graph, leaves, lists);
  Json& leaf = *OneOf(leaves, random);
  Json& other = *OneOf(leaves, random);
  if (leaf.is_number_integer() && random.Below(2) == 0) {
    leaf = OtherNumber(leaf.get<int64_t>(), random);
  } else if (leaf.type() == other.type() || random.Below(8) == 0) {
    leaf = Json(other);
  }
}

void ChangeList(Json& graph, Random& random) {
  std::vector<Json*> leaves, lists;
  Collect(graph, leaves, lists);
  Json& list = *OneOf(lists, random);
  if (list.empty()) return;
  const auto at = static_cast<size_t>(random.Below(list.size())), to = static_cast<size_t>(random.Below(list.size()));
  switch (random.Below(3)) {
    case 0:
      list.erase(at);
      return;
    case 1:
      list.push_back(Json(list[at]));
      return;
    default:
      std::swap(list[at], list[to]);
  }
}

// A buffer that is consistent in itself, but not with its kernels.
void ResizeBuffer(Json& graph, Random& random) {
  Json& buffer = graph["buffers"][random.Below(graph["buffers"].size())];
  if (buffer["shape"].empty()) return;
  Json& dim = buffer["shape"][random.Below(buffer["shape"].size())];
  const auto old = dim.get<int64_t>();
  if (old == 0) return;
  const int64_t fresh = OneOf<int64_t>({1, old / 2, old * 2, old + 1, old > 1 ? old - 1 : 1}, random);
  if (buffer["size_bytes"].get<int64_t>() % old == 0) {
    buffer["size_bytes"] = buffer["size_bytes"].get<int64_t>() / old * fresh;
  }
  dim = fresh;
}

// A view of another buffer, at another offset, or with another distance between its images.
void ChangeView(Json& graph, Random& random) {
  Json& call = graph["calls"][random.Below(graph["calls"].size())];
  Json& view = call["operands"][random.Below(call["operands"].size())];
  switch (random.Below(3)) {
    case 0:
      view["buffer"] = random.Below(graph["buffers"].size());
      return;
    case 1:
      view["offset_bytes"] = 4 * random.Below(1 << random.Below(20));
      return;
    default:
      view["batch_stride_bytes"] = 4 * random.Below(1 << random.Below(20));
  }
}

void ChangeKernel(Json& graph, Random& random) {
  graph["calls"][random.Below(graph["calls"].size())]["kernel"] = random.Below(graph["kernels"].size());
}

void ChangeStage(Json& graph, Random& random) {
  Json& kernel = graph["kernels"][random.Below(graph["kernels"].size())];
  Json& stage = kernel["stages"][random.Below(kernel["stages"].size())];
  const char* field = OneOf<const char*>({"extent", "grain", "worker_workspace_bytes"}, random);
  stage[field] = stage[field].get<int64_t>() * 2 + static_cast<int64_t>(random.Below(100));
  if (random.Below(4) == 0) kernel["shared_workspace_bytes"] = 64 * random.Below(4);
}

}  // namespace

Json CraftGraph(Json graph, Random& random) {
  using Change = void (*)(Json&, Random&);
  const std::vector<Change> changes = {ChangeLeaf, ChangeList, ResizeBuffer, ChangeView, ChangeKernel, ChangeStage};
  const uint64_t count = 1 + random.Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    if (graph["calls"].empty() || graph["buffers"].empty() || graph["kernels"].empty()) break;
    try {
      OneOf(changes, random)(graph, random);
    } catch (const Json::exception&) {
      break;  // an earlier change removed a part that this one needs
    }
  }
  return graph;
}

}  // namespace hone
