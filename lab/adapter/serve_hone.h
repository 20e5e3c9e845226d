// hone's own side of the protocol of adapters, so that it is timed as other runtimes are.
#pragma once

#include "lab/records/records.h"

namespace hone {

// Answers on the standard streams until bye or the end of stdin. What it loads is a package, or a model: that
// is built for this machine with these records, once for each number of threads and shapes of its inputs.
void ServeHone(const RecordOptions& records);

}  // namespace hone
