// What both directions of a transfer need of libcurl.
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

// A handle for one transfer, which speaks http and https alone and ends as stalled after so many seconds with almost
// nothing. Throws Error(kIo) when libcurl cannot begin. May be called by any thread.
CurlHandle NewCurlHandle(int64_t stall_seconds);

}  // namespace hone
