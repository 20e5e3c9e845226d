// Downloads from an http or https address. Only curl_handles.h includes libcurl.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace hone
