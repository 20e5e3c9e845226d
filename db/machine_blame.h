// Records that blame a candidate for the trouble of a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/database.h"

namespace hone {

// Calls `take` with the place in the order of arrival and the message of each record of the workload, or of all where
// it is empty, of which BlamesForMachine (core/failure.h) holds. Reads no record of another fate, and holds a thousand
// at most.
void EachBlameForMachine(Database& database, const std::string& workload,
                         const std::function<void(int64_t seq, const std::string& message)>& take);

}  // namespace hone
