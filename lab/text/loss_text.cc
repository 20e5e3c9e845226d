#include "lab/text/loss_text.h"

#include <fmt/format.h>

namespace hone {

std::string LossText(const std::optional<ExpectedLoss>& loss) {
  if (!loss) return "";
  const std::string share = fmt::format("{:.1f} %", loss->share * 100);
  if (loss->tasks == 0) return share + ", estimated";
  return fmt::format("{} of {} task{}", share, loss->tasks, loss->tasks == 1 ? "" : "s");
}

Json LossJson(const std::optional<ExpectedLoss>& loss) {
  if (!loss) return nullptr;
  return {{"share", loss->share}, {"tasks", loss->tasks}};
}

}  // namespace hone
