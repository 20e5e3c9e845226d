// A store engine's description of itself.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

struct EngineFacts {
  std::string name, version;  // "SQLite", "3.40.1"
  std::string journal;        // the mechanism that makes commits durable: "persist", "wal"
  int schema_version = 0;
  int64_t size_bytes = 0;
};

}  // namespace hone
