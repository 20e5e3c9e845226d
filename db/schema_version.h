// The version of a store's tables, for every engine.
#pragma once

#include <cstdint>

namespace hone {

inline constexpr int64_t kStoreApplicationId = 0x484F4E45;  // "HONE"; permanent
inline constexpr int64_t kSchemaVersion = 6;

}  // namespace hone
