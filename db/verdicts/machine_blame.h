// Finds records that blame a candidate for a failure of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/database.h"

namespace hone {

// Calls `take` for each record for which BlamesForMachine (core/failure.h) holds, with its place in the order of
// arrival and its message. An empty workload means all. Reads no record of another fate, and holds a thousand at most.
void EachBlameForMachine(Database& database, const std::string& workload,
                         const std::function<void(int64_t seq, const std::string& message)>& take);

}  // namespace hone
