// Bytes to an http or https address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct PutLimits {
  int attempts = 5;            // a transfer that breaks off, or that the server is too busy for, is begun anew so often
  int64_t pause_ms = 200;      // before another attempt, doubled each time
  int64_t stall_seconds = 20;  // less than 100 bytes a second for so long is a break
};

// Puts the bytes there with PUT, as application/octet-stream. Who puts is said by the address (https://NAME:TOKEN@HOST)
// or by ~/.netrc; certificates are checked and no redirect is followed. Throws Error: kNotAuthorised (401, 403),
// kCannotCreate (the server will not have it there), kNoRunner (it cannot be reached, or breaks off every time).
void PutUrl(const std::string& url, std::string_view bytes, const PutLimits& limits = {});

}  // namespace hone
