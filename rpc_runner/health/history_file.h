// The file in which a runner remembers how fast its device is: docs/reference/formats.md, "Health history".
#pragma once

#include <string>

#include "rpc_runner/health/golden_history.h"

namespace hone {

inline constexpr int kHealthVersion = 1;

// $XDG_STATE_HOME/hone, otherwise ~/.local/state/hone; empty if the system names neither.
std::string StateFolder();

// The file of a device in `folder`. `device` names all that its times depend on; another text means another file.
std::string HistoryPath(const std::string& folder, const std::string& device);

// The device's history. Empty if there is no file, or if the file is damaged or of another version, device or number of
// parts. For an unusable file, `problem` gets the reason in one line.
GoldenHistory LoadHistory(const std::string& path, const std::string& device, size_t parts, std::string* problem);

// Replaces the old file atomically. Returns the error in one line, or "" on success.
std::string SaveHistory(const std::string& path, const std::string& device, const GoldenHistory& history);

}  // namespace hone
