// Identifies a bench result: docs/reference/formats.md, "Bench result". lab/bench/ writes it; lab/bench/ and
// lab/comparison/ read it.
#pragma once

namespace hone {

inline constexpr const char* kBenchFormat = "hone-bench";
inline constexpr int kBenchVersion = 1;

}  // namespace hone
