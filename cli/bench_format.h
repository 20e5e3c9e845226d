// What names a bench result: docs/formats.md, "Bench result". Written by cli/bench/, read there and by cli/comparison/.
#pragma once

namespace hone {

inline constexpr const char* kBenchFormat = "hone-bench";
inline constexpr int kBenchVersion = 1;

}  // namespace hone
