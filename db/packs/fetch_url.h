// Bytes from an http or https address. libcurl is known to fetch_url.cc and put_url.cc alone.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

struct FetchLimits {
  int64_t most_bytes = int64_t{64} << 20;
  int attempts = 5;            // a transfer that breaks off is taken up where it stopped, so often
  int64_t pause_ms = 200;      // before another attempt, doubled each time
  int64_t stall_seconds = 20;  // less than 100 bytes a second for so long is a break
};

// Whether it begins as http:// or https:// does.
bool IsUrl(const std::string& text);

// What the server has at the address, whole. A transfer that breaks off is resumed with a range request, where the
// server says by its ETag or date that it still has the same. At most five redirects, to http and https alone;
// certificates are checked. Throws Error: kNoInput (the server has no such thing), kNoRunner (it cannot be reached, or
// breaks off every time), kBadData (more than most_bytes).
std::string FetchUrl(const std::string& url, const FetchLimits& limits = {});

}  // namespace hone
