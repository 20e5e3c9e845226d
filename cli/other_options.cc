#include "cli/other_options.h"

#include <algorithm>
#include <string_view>

#include "core/text/spelling.h"

namespace hone {
namespace {

// A word of other programs, and hone's option of that meaning.
struct OtherOption {
  std::string_view word, own;
};
constexpr OtherOption kOtherOptions[] = {
    {"--time", "--budget"},     {"--timeout", "--budget"},    {"--duration", "--budget"},     {"-n", "--trials"},
    {"--iterations", "--runs"}, {"--n-trials", "--trials"},   {"--out", "--output"},          {"--device", "--target"},
    {"--mcpu", "--target"},     {"--input-shape", "--shape"}, {"--fp16", "--weights"},        {"--int8", "--precision"},
    {"--port", "--bind"},       {"--host", "--bind"},         {"--opt", "--opt-level"},       {"-n", "--runs"},
    {"--repeat", "--runs"},     {"--jobs", "--threads"},      {"--num-threads", "--threads"}, {"-j", "--threads"},
    {"--layers", "--tasks"},    {"--workers", "--threads"}};

}  // namespace

std::string DidYouMeanOption(const std::string& given, const std::vector<std::string>& names) {
  const bool goes_on = std::count(names.begin(), names.end(), "--budget") > 0;
  if (goes_on && (given == "--resume" || given == "--continue")) return "; the same command, run again, goes on";
  for (const OtherOption& other : kOtherOptions) {
    const std::string own(other.own);
    if (other.word == given && std::count(names.begin(), names.end(), own) > 0) return "; did you mean " + own + "?";
  }
  return DidYouMean(given, names);
}

}  // namespace hone
