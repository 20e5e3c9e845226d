#include "cli/comparison_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/machine_options.h"
#include "lab/comparison/likeness.h"

namespace hone {

void AddRecordComparisonOptions(CommandLine& line, RecordComparisonOptions& options) {
  AddContextOptions(line, options.machine);
  line.Add("--device", options.device, "only devices with this in their CPU model, host, key, label or id");
  line.Add("--accept", options.accept,
           fmt::format("divide times although they differ in these: {}", fmt::join(LikenessNames(), ",")));
  line.Add("--price", options.prices, "KEY=0.17/h: what a device costs; KEY is a key, label, host or id");
}

}  // namespace hone
