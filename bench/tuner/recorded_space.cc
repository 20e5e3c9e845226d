#include "bench/tuner/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone::bench {
namespace {

constexpr std::string_view kFirstLine = "hone-space 2";
constexpr size_t kLineWidth = 110;
constexpr int64_t kMostConfigs = 1'000'000;

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  RecordedSpace Read() {
    if (Next() != kFirstLine) Refuse("is not '" + std::string(kFirstLine) + "'");
    space_.workload = Workload::Parse(Rest("workload "));
    space_.target = Target::Parse(Rest("target "));
    space_.cpu_model = Rest("cpu ");
    std::string line;
    while (ReadLine(&line)) ReadPartLine(line);
    Close();
    if (space_.parts.empty()) Refuse("should name a schedule");
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

  void ReadPartLine(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    if (line.starts_with("schedule ")) {
      Close();
      knobs_.clear();
      words >> word >> space_.parts.emplace_back().schedule;
    } else if (space_.parts.empty()) {
      Refuse("should name a schedule");
    } else if (line.starts_with("knob ")) {
      AddKnob(words);
    } else {
      while (words >> word) AddTimes(word);
    }
  }

  void AddKnob(std::istringstream& words) {
    if (!space_.parts.back().times_ns.empty()) Refuse("names a knob after the first time");
    std::string word;
    Knob knob;
    words >> word >> knob.name;
    while (words >> word) knob.values.push_back(Number(word));
    if (knob.values.empty()) Refuse("is a knob without values");
    knobs_.push_back(std::move(knob));
  }

  // Adds a time, or N rejected configs for -N.
  void AddTimes(const std::string& word) {
    std::vector<int64_t>& times = space_.parts.back().times_ns;
    const int64_t number = Number(word);
    if (number < -kMostConfigs || static_cast<int64_t>(times.size()) > kMostConfigs) Refuse("is beyond any space");
    if (number >= 0) {
      times.push_back(number);
    } else {
      times.insert(times.end(), static_cast<size_t>(-number), kRejected);
    }
  }

  int64_t Number(const std::string& word) const {
    const auto number = ParseInteger(word);
    if (!number) Refuse(fmt::format("has '{}' where a number is right", word));
    return *number;
  }

  void Close() {
    if (space_.parts.empty()) return;
    RecordedPart& part = space_.parts.back();
    part.space = ConfigSpace(knobs_);
    if (part.space.size() != static_cast<int64_t>(part.times_ns.size())) {
      Refuse(fmt::format("ends schedule {} with {} times for {} configs", part.schedule, part.times_ns.size(),
                         part.space.size()));
    }
  }

  std::istream& in_;
  int64_t number_ = 0;
  RecordedSpace space_;
  std::vector<Knob> knobs_;
};

// Writes words, up to kLineWidth characters per line.
class Words {
 public:
  explicit Words(std::ostream& out) : out_(out) {}
  void Add(int64_t number) {
    const std::string word = fmt::format("{}", number);
    if (used_ > 0) out_ << (used_ + word.size() >= kLineWidth ? '\n' : ' ');
    used_ = used_ + word.size() >= kLineWidth ? word.size() : used_ + word.size() + 1;
    out_ << word;
  }

 private:
  std::ostream& out_;
  size_t used_ = 0;
};

void WriteTimes(const std::vector<int64_t>& times, std::ostream& out) {
  Words words(out);
  for (size_t i = 0; i < times.size();) {
    size_t end = i;
    while (end < times.size() && times[end] == kRejected) ++end;
    if (end > i) {
      words.Add(-static_cast<int64_t>(end - i));
      i = end;
    } else {
      words.Add(times[i++]);
    }
  }
  out << '\n';
}

}  // namespace

int64_t RecordedSpace::BestNs() const {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (const RecordedPart& part : parts) {
    for (const int64_t time : part.times_ns) best = time > 0 ? std::min(best, time) : best;
  }
  return best == std::numeric_limits<int64_t>::max() ? 0 : best;
}

int64_t RecordedSpace::valid() const {
  int64_t count = 0;
  for (const RecordedPart& part : parts) {
    count +=
        static_cast<int64_t>(part.times_ns.size()) - std::count(part.times_ns.begin(), part.times_ns.end(), kRejected);
  }
  return count;
}

void WriteRecordedSpace(const RecordedSpace& space, std::ostream& out) {
  out << kFirstLine << "\nworkload " << space.workload.ToText() << "\ntarget " << space.target.ToText() << "\ncpu "
      << space.cpu_model << "\n";
  for (const RecordedPart& part : space.parts) {
    out << "schedule " << part.schedule << '\n';
    for (const Knob& knob : part.space.knobs()) {
      out << "knob " << knob.name << ' ' << fmt::format("{}", fmt::join(knob.values, " ")) << '\n';
    }
    WriteTimes(part.times_ns, out);
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
