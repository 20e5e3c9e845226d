// Uploads to an http or https address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct PutLimits {
  int attempts = 5;            // number of attempts after broken transfers or answers of a busy server
  int64_t pause_ms = 200;      // before another attempt, doubled each time
  int64_t stall_seconds = 20;  // fewer than 100 bytes a second for this time breaks the transfer
};

// Uploads the bytes with PUT, as application/octet-stream. Credentials come from the address (https://NAME:TOKEN@HOST)
// or from ~/.netrc. Certificates are checked and no redirect is followed. Throws Error: kNotAuthorised (401, 403),
// kCannotCreate (the server refuses it at that address), kNoRunner (it cannot be reached, or every attempt breaks off).
void PutUrl(const std::string& url, std::string_view bytes, const PutLimits& limits = {});

}  // namespace hone
