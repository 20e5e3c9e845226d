// Downloads from and uploads to an http or https address, with libcurl.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct FetchLimits {
  int64_t most_bytes = int64_t{64} << 20;
  int attempts = 5;            // number of attempts; a broken transfer is resumed
  int64_t pause_ms = 200;      // before another attempt, doubled each time
  int64_t stall_seconds = 20;  // fewer than 100 bytes a second for this time breaks the transfer
};

// Whether the text begins with http:// or https://.
bool IsUrl(const std::string& text);

// The whole content at the address. A broken transfer is resumed with a range request, if the server's ETag or date
// says that the content is the same. Follows at most five redirects, only to http and https; certificates are checked.
// Throws Error: kNoInput (the server has no such content), kNoRunner (it cannot be reached, or every attempt breaks
// off), kBadData (more than most_bytes).
std::string FetchUrl(const std::string& url, const FetchLimits& limits = {});

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
