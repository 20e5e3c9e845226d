// Images from files: JPEG and PNG, decoded by libjpeg-turbo and libpng.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// An image as rows from the top; each pixel is red, green and blue.
struct Image {
  static constexpr int64_t kChannels = 3;
  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb;  // height * width * kChannels
};

// Whether the file's name ends in .jpg, .jpeg or .png, in any case.
bool IsImageName(std::string_view path);

// Decodes a file by its contents, whatever its name. Gray becomes three equal channels, transparency is dropped, and
// the camera's orientation is ignored. Throws Error: kNoInput if there is no such file; kBadData, naming the file, for
// other formats, damage, CMYK or more than 2^26 pixels. Above 2^24 pixels, more than 200 pixels per byte are kBadData,
// too.
Image ReadImage(const std::string& path);

}  // namespace hone
