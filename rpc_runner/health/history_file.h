// Where a runner remembers how fast its device is: docs/formats.md, "Health history".
#pragma once

#include <string>

#include "rpc_runner/health/golden_history.h"

namespace hone {

inline constexpr int kHealthVersion = 1;

// $XDG_STATE_HOME/hone, else ~/.local/state/hone; empty where the system names neither.
std::string StateFolder();

// The file of a device in `folder`. `device` is all that its times depend on; another text has another file.
std::string HistoryPath(const std::string& folder, const std::string& device);

// The device's history; an empty one where there is no file, or where it is damaged, of another version, device or
// number of parts: then `complaint` says why in one line.
GoldenHistory LoadHistory(const std::string& path, const std::string& device, size_t parts, std::string* complaint);

// In place of the old one at once, so that a reader sees either. What went wrong in one line, empty when nothing did.
std::string SaveHistory(const std::string& path, const std::string& device, const GoldenHistory& history);

}  // namespace hone
