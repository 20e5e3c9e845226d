#include "cli/comparison_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/machine_options.h"
#include "lab/comparison/likeness.h"

namespace hone {

void AddRecordComparisonOptions(CommandLine& line, RecordComparisonOptions& options) {
  AddContextOptions(line, options.machine);
  line.Add("--device", options.device, "only devices whose CPU, host, device key, label or id contains this")
      .In(OptionGroup::kRecords);
  line.Add("--accept", options.accept, fmt::format("accept these differences: {}", fmt::join(LikenessNames(), ", ")))
      .In(OptionGroup::kRecords);
  line.Add("--price", options.prices, "cost of a device, KEY=0.17/h, by device key, label, host or id")
      .In(OptionGroup::kRecords);
}

}  // namespace hone
