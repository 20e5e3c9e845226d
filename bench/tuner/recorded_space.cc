#include "bench/tuner/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace hone::bench {
namespace {

constexpr std::string_view kFirstLine = "hone-space 1";

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  RecordedSpace Read() {
    if (Next() != kFirstLine) Refuse("is not '" + std::string(kFirstLine) + "'");
    space_.workload = Workload::Parse(Rest("workload "));
    space_.target = Target::Parse(Rest("target "));
    space_.cpu_model = Rest("cpu ");
    std::string line;
    while (ReadLine(&line)) {
      if (line.starts_with("schedule ")) {
        UseSchedule(line.substr(9));
      } else {
        AddConfig(line);
      }
    }
    return std::move(space_);
  }

 private:
  bool ReadLine(std::string* line) {
    ++number_;
    return static_cast<bool>(std::getline(in_, *line));
  }
  std::string Next() {
    std::string line;
    if (!ReadLine(&line)) Refuse("is missing");
    return line;
  }
  std::string Rest(const std::string& prefix) {
    const std::string line = Next();
    if (!line.starts_with(prefix)) Refuse("does not begin with '" + prefix + "'");
    return line.substr(prefix.size());
  }
  [[noreturn]] void Refuse(const std::string& why) const {
    throw Error(ExitCode::kBadData, fmt::format("line {} of the recorded space {}", number_, why));
  }

  void UseSchedule(const std::string& text) {
    std::istringstream words(text);
    knobs_.clear();
    words >> schedule_;
    for (std::string knob; words >> knob;) knobs_.push_back(knob);
  }

  void AddConfig(const std::string& text) {
    std::istringstream numbers(text);
    std::vector<int64_t> row;
    for (int64_t number = 0; numbers >> number;) row.push_back(number);
    if (!numbers.eof() || schedule_.empty() || row.size() != knobs_.size() + 2) {
      Refuse("is not a config: its schedule's knobs, an estimate and a time");
    }
    RecordedConfig& config = space_.configs.emplace_back();
    config.proposal.schedule = schedule_;
    for (size_t i = 0; i < knobs_.size(); ++i) config.proposal.config.Set(knobs_[i], row[i]);
    config.estimate_ns = row[knobs_.size()];
    config.min_ns = row[knobs_.size() + 1];
  }

  std::istream& in_;
  int64_t number_ = 0;
  RecordedSpace space_;
  std::string schedule_;
  std::vector<std::string> knobs_;
};

}  // namespace

int64_t RecordedSpace::BestNs() const {
  int64_t best = 0;
  for (const RecordedConfig& config : configs) {
    if (config.min_ns > 0 && (best == 0 || config.min_ns < best)) best = config.min_ns;
  }
  return best;
}

void WriteRecordedSpace(const RecordedSpace& space, std::ostream& out) {
  out << kFirstLine << "\nworkload " << space.workload.ToText() << "\ntarget " << space.target.ToText() << "\ncpu "
      << space.cpu_model << "\n";
  std::string schedule;
  for (const RecordedConfig& config : space.configs) {
    if (config.proposal.schedule != schedule) {
      schedule = config.proposal.schedule;
      out << "schedule " << schedule;
      for (const auto& [knob, value] : config.proposal.config.values()) out << ' ' << knob;
      out << '\n';
    }
    for (const auto& [knob, value] : config.proposal.config.values()) out << value << ' ';
    out << config.estimate_ns << ' ' << config.min_ns << '\n';
  }
}

RecordedSpace ReadRecordedSpace(std::istream& in) { return Reader(in).Read(); }

std::vector<RecordedSpace> ReadRecordedSpaces(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".space") paths.push_back(entry.path());
  }
  if (paths.empty()) throw Error(ExitCode::kNoInput, fmt::format("no *.space file in {}", folder));
  std::sort(paths.begin(), paths.end());
  std::vector<RecordedSpace> spaces;
  for (const auto& path : paths) {
    std::ifstream in(path);
    spaces.push_back(ReadRecordedSpace(in));
    spaces.back().name = path.stem().string();
  }
  return spaces;
}

}  // namespace hone::bench
