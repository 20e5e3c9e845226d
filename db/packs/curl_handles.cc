#include "db/packs/curl_handles.h"

#include "core/error.h"

namespace hone {
namespace {

constexpr long kLeastBytesPerSecond = 100;

}  // namespace

CurlHandle NewCurlHandle(int64_t stall_seconds) {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  CurlHandle curl(begun == CURLE_OK ? curl_easy_init() : nullptr);
  if (!curl) throw Error(ExitCode::kIo, "libcurl cannot begin");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, static_cast<long>(stall_seconds));
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall_seconds));
  return curl;
}

}  // namespace hone
