// Parts of libcurl that both directions of a transfer use.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <memory>

namespace hone {

struct CurlCloser {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
struct CurlListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, CurlCloser>;
using CurlList = std::unique_ptr<curl_slist, CurlListCloser>;

// A handle for one transfer. It speaks only http and https, and counts as stalled after `stall_seconds` with almost no
// data. Throws Error(kIo) when libcurl cannot start. Thread-safe.
CurlHandle NewCurlHandle(int64_t stall_seconds);

}  // namespace hone
