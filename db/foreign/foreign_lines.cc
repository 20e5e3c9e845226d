#include "db/foreign/foreign_lines.h"

#include <algorithm>
#include <array>

#include "core/hash/hash.h"

namespace hone {
namespace {

constexpr const char* kAutoTvm = "autotvm-0.2";
constexpr std::string_view kBlank = " \t";

std::string_view WithoutBlanks(std::string_view text) {
  return text.substr(std::min(text.size(), text.find_first_not_of(kBlank)));
}

}  // namespace

bool LooksForeign(std::string_view line, bool comments) {
  if (line.starts_with('{')) {
    static constexpr std::array<std::string_view, 2> kFirstKeys = {"\"input\"", "\"i\""};
    const std::string_view key = WithoutBlanks(line.substr(1));
    return std::any_of(kFirstKeys.begin(), kFirstKeys.end(), [&](auto first) { return key.starts_with(first); });
  }
  return comments && (line.starts_with('#') || line.starts_with('[') || line.find('\t') != std::string_view::npos);
}

ForeignTrial ForeignLines::Read(std::string_view text) {
  const AutoTvmLine line = reader_.Read(text);
  if (line.input != last_) {
    last_.reset();
    template_ = &FindAutoTvmTemplate(line.input->task);
    // Passes through the text, which checks it as any workload from outside.
    workload_ = Workload::Parse(template_->workload(line.input->args).ToText()).ToText();
    last_ = line.input;
  }
  MappedConfig mapped = template_->config(line.knobs);
  return {.id = Sha256Hex(text).substr(0, 16),
          .format = kAutoTvm,
          .source = source_,
          .target = line.input->target,
          .task = line.input->task,
          .workload = workload_,
          .schedule = std::move(mapped.schedule),
          .config = std::move(mapped.config),
          .fate = line.fate,
          .cost_ns = line.cost_ns,
          .unix_ms = line.unix_ms,
          .line = std::string(text)};
}

}  // namespace hone
