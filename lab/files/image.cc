#include "lab/files/image.h"

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "core/error.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

constexpr int64_t kMostPixels = int64_t{1} << 26;
// A file of equal pixels has thousands in a byte; a photograph has a few.
constexpr int64_t kFreePixels = int64_t{1} << 24, kMostPixelsPerByte = 200;

[[noreturn]] void RefuseImage(const std::string& path, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("{}: {}", path, why));
}

// Allocates an image of this size, after checking it against the file's `bytes` bytes and before anything is decoded.
Image Sized(const std::string& path, size_t bytes, int64_t height, int64_t width) {
  if (height < 1 || width < 1 || height > kMostPixels / width) {
    RefuseImage(path, fmt::format("a picture of {} x {} pixels; at most {} are read", width, height, kMostPixels));
  }
  if (height * width > kFreePixels && height * width / kMostPixelsPerByte > static_cast<int64_t>(bytes)) {
    RefuseImage(path, fmt::format("{} x {} pixels would be made of {} bytes", width, height, bytes));
  }
  return {height, width, std::vector<uint8_t>(static_cast<size_t>(height * width * Image::kChannels))};
}

// A small progressive file may have any number of scans over all pixels, so their number is limited.
#ifdef TJFLAG_LIMITSCANS
constexpr int kJpegFlags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
#else
constexpr int kJpegFlags = TJFLAG_ACCURATEDCT;
#endif

Image ReadJpeg(const std::string& path, const std::string& bytes) {
  const std::unique_ptr<void, int (*)(tjhandle)> jpeg(tjInitDecompress(), tjDestroy);
  if (jpeg == nullptr) throw Error(ExitCode::kBug, "libjpeg-turbo does not begin");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  const auto refuse = [&] { RefuseImage(path, fmt::format("not a usable JPEG: {}", tjGetErrorStr2(jpeg.get()))); };
  if (tjDecompressHeader3(jpeg.get(), data, bytes.size(), &width, &height, &subsampling, &colours) != 0) refuse();
  if (width < 1 || height < 1) RefuseImage(path, "not a usable JPEG: it ends before its size");
  if (colours == TJCS_CMYK || colours == TJCS_YCCK) RefuseImage(path, "a JPEG in CMYK; right is RGB or gray");
  Image image = Sized(path, bytes.size(), height, width);
  if (tjDecompress2(jpeg.get(), data, bytes.size(), image.rgb.data(), width, 0, height, TJPF_RGB, kJpegFlags) != 0) {
    refuse();
  }
  return image;
}

// Uses libpng's simplified interface, which reports errors by return values; the full one uses longjmp.
Image ReadPng(const std::string& path, const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_imagep)> frees(&png, png_image_free);
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    RefuseImage(path, fmt::format("not a usable PNG: {}", png.message));
  }
  Image image = Sized(path, bytes.size(), png.height, png.width);
  png.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> rgba(image.rgb.size() / Image::kChannels * 4);
  if (png_image_finish_read(&png, nullptr, rgba.data(), 0, nullptr) == 0) {
    RefuseImage(path, fmt::format("not a usable PNG: {}", png.message));
  }
  for (size_t pixel = 0; pixel < rgba.size() / 4; ++pixel) {
    std::copy_n(rgba.data() + pixel * 4, Image::kChannels, image.rgb.data() + pixel * Image::kChannels);
  }
  return image;
}

}  // namespace

bool IsImageName(std::string_view path) {
  const auto ends = [&](std::string_view ending) {
    return path.size() > ending.size() &&
           std::equal(ending.begin(), ending.end(), path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  return ends(".jpg") || ends(".jpeg") || ends(".png");
}

Image ReadImage(const std::string& path) {
  const std::string bytes = ReadFile(path);
  if (bytes.starts_with("\xff\xd8")) return ReadJpeg(path, bytes);
  if (bytes.starts_with("\x89PNG")) return ReadPng(path, bytes);
  RefuseImage(path, "neither JPEG nor PNG");
}

}  // namespace hone
