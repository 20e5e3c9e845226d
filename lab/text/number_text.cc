#include "lab/text/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"

namespace hone {

std::string TimeText(int64_t ns) {
  if (ns <= 0) return "-";
  const auto t = static_cast<double>(ns);
  if (t < 1e3) return fmt::format("{} ns", ns);
  if (t < 1e6) return fmt::format("{:.2f} us", t / 1e3);
  if (t < 1e9) return fmt::format("{:.3f} ms", t / 1e6);
  return fmt::format("{:.2f} s", t / 1e9);
}

std::string BytesText(int64_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (b < 1024) return fmt::format("{} B", bytes);
  if (b < 1024 * 1024) return fmt::format("{:.1f} KiB", b / 1024);
  if (b < 1024 * 1024 * 1024) return fmt::format("{:.1f} MiB", b / (1024 * 1024));
  return fmt::format("{:.1f} GiB", b / (1024 * 1024 * 1024));
}

std::string FlopText(double flops) {
  return flops < 1e8 ? fmt::format("{:.3g} MFLOP", flops / 1e6) : fmt::format("{:.3g} GFLOP", flops / 1e9);
}

std::string GflopsText(double flops, int64_t ns) {
  return ns > 0 && flops > 0 ? fmt::format("{:.1f}", flops / static_cast<double>(ns)) : "-";
}

std::string RatioText(int64_t before_ns, int64_t after_ns) {
  if (before_ns <= 0 || after_ns <= 0) return "-";
  return fmt::format("{:.2f}x", static_cast<double>(before_ns) / static_cast<double>(after_ns));
}

std::vector<int> Percents(const std::vector<int64_t>& parts) {
  const auto sum = static_cast<double>(std::accumulate(parts.begin(), parts.end(), int64_t{0}));
  std::vector<int> percents(parts.size(), 0);
  if (sum <= 0) return percents;
  // Rounded down, and what is missing goes to those with the largest remainders.
  std::vector<std::pair<double, size_t>> remainders;
  int missing = 100;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double exact = 100 * static_cast<double>(parts[i]) / sum;
    percents[i] = static_cast<int>(exact);
    missing -= percents[i];
    remainders.emplace_back(-(exact - percents[i]), i);
  }
  std::stable_sort(remainders.begin(), remainders.end());
  for (size_t i = 0; i < remainders.size() && missing > 0; ++i, --missing) ++percents[remainders[i].second];
  return percents;
}

std::string AboveRoofsText(double fma, double memory) {
  std::string text;
  if (fma > 1) {
    text +=
        "above 100 % of FMA: operations are counted as in the direct algorithm. Winograd needs fewer multiplications, "
        "and 8-bit kernels do more at once\n";
  }
  if (memory > 1) text += "above 100 % of memory: operands stayed in a cache\n";
  return text;
}

Shape ParseDims(std::string_view text, std::string_view what) {
  const auto bad = [&] {
    return Error(ExitCode::kUsage,
                 fmt::format("{} is given \"{}\"; a shape is integers with commas: 1,3,224,224", what, text));
  };
  Shape shape;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int64_t dim = 0;
    const auto [after, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim < 0 || dim > (int64_t{1} << 31) || shape.size() >= 8) throw bad();
    shape.push_back(dim);
    if (after == end) return shape;
    if (*after != ',') throw bad();
    at = after + 1;
  }
}

double ParseShare(std::string_view text, std::string_view what) {
  const bool percent = !text.empty() && text.back() == '%';
  const std::string_view number = percent ? text.substr(0, text.size() - 1) : text;
  double value = 0;
  const auto [after, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (percent) value /= 100;
  if (error != std::errc() || after != number.data() + number.size() || !(value >= 0 && value <= 1)) {
    throw Error(ExitCode::kUsage, fmt::format("{} is given \"{}\"; right is a share such as 3% or 0.03", what, text));
  }
  return value;
}

std::string LossText(const std::optional<ExpectedLoss>& loss) {
  if (!loss) return "";
  const std::string share = fmt::format("{:.1f} %", loss->share * 100);
  if (loss->tasks == 0) return share + ", estimated";
  return fmt::format("{} of {}", share, Counted(loss->tasks, "task"));
}

Json LossJson(const std::optional<ExpectedLoss>& loss) {
  if (!loss) return nullptr;
  return {{"share", loss->share}, {"tasks", loss->tasks}};
}

}  // namespace hone
