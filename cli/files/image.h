// Pictures from files: JPEG and PNG, decoded by libjpeg-turbo and libpng.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Rows from the top, each pixel red, green and blue.
struct Image {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb;  // height * width * 3
};

// Whether the file's name ends as a picture's: .jpg, .jpeg or .png, in any case.
bool IsImageName(std::string_view path);

// What the file's bytes are, whatever its name says. Gray is three equal channels, transparency is dropped, a turned
// camera is not turned back. Throws Error: kNoInput when there is no such file; kBadData naming it for what is neither
// JPEG nor PNG, is damaged, is in CMYK or has more than 2^26 pixels.
Image ReadImage(const std::string& path);

}  // namespace hone
