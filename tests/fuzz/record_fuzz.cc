// Any text as lines of a log, hone's own or another tuner's. Each is refused with a reason, or is a record that stays
// the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "core/error.h"
#include "db/foreign/foreign_lines.h"
#include "db/line_reader.h"
#include "db/record_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

template <typename Step>
void Take(const Step& step) {
  try {
    step();
  } catch (const hone::Error& error) {
    Require(error.code() == hone::ExitCode::kBadData);
  }
}

void TakeOwn(const std::string& line) {
  const hone::Json once = hone::ToJson(hone::RecordFromJson(hone::ParseJson(line, "the line")));
  Require(hone::ToJson(hone::RecordFromJson(once)) == once);
}

// Reads a line with a wrong id under the id that the refusal names.
void TakeUnderItsId(const std::string& line) {
  hone::Json json = hone::ParseJson(line, "the line");
  try {
    hone::RecordFromJson(json);
  } catch (const hone::Error& error) {
    const std::string_view message = error.what();
    if (message.find("the content's id is ") == std::string_view::npos) return;
    json["id"] = std::string(message.substr(message.rfind(' ') + 1));
    hone::RecordFromJson(json);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  hone::LineReader reader(in, size_t{1} << 16);
  hone::ForeignLines foreign("fuzz");
  while (reader.Next()) {
    if (reader.too_long()) continue;
    Take([&] { TakeOwn(reader.line()); });
    Take([&] { TakeUnderItsId(reader.line()); });
    Take([&] { foreign.Read(reader.line()); });
  }
  return 0;
}
