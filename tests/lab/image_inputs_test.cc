// Images as inputs: decoded, resized as other programs do, scaled as networks were trained.
#include "lab/quantise/image_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <turbojpeg.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/random.h"
#include "lab/quantise/calibration_inputs.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

// A grey image: all channels are equal.
Image Gray(int64_t height, int64_t width, const std::function<int(int64_t, int64_t)>& value) {
  Image image{height, width, {}};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) image.rgb.insert(image.rgb.end(), 3, static_cast<uint8_t>(value(y, x)));
  }
  return image;
}

Image Pattern() {
  return Gray(5, 7, [](int64_t y, int64_t x) { return static_cast<int>((37 * y + 91 * x + 13 * x * y) % 256); });
}

// Values from 0 to 255.
std::vector<double> FirstChannel(const Image& image, int64_t height, int64_t width, const std::string& fit) {
  ImageOptions options;
  options.fit = fit;
  const Tensor made = ImageInput(image, {"x", DType::kFloat32, {1, 3, height, width}}, options, "here");
  std::vector<double> values;
  for (int64_t i = 0; i < height * width; ++i) values.push_back(made.At(i) * 255);
  return values;
}

void ExpectNear(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_GE(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got[i], expected[i], 0.01) << i;
}

// The expected values are from Pillow 13.0's resize of the same numbers as floats, with its filter BILINEAR.
TEST(ImageInput, ResizesAsPillowDoes) {
  ExpectNear(FirstChannel(Pattern(), 3, 3, "stretch"),
             {98.6326, 118.4118, 118.0612, 131.6190, 135.5360, 104.7936, 132.3878, 150.7479, 172.7958});
  ExpectNear(FirstChannel(Pattern(), 6, 9, "stretch"),
             {0, 60.6667, 131.4444, 145.3333, 17.0, 87.7778, 158.5556, 144.0, 34.0, 27.75, 94.9167, 173.2778});
  // Uses the middle 5 x 5 pixels.
  ExpectNear(FirstChannel(Pattern(), 3, 3, "cover"),
             {136.5714, 106.4603, 131.7143, 145.5833, 137.3951, 114.1944, 134.7857, 150.2698, 167.7857});
}

TEST(ImageInput, LeavesAPictureOfTheInputsSizeAlone) {
  const Image image = Pattern();
  const std::vector<double> values = FirstChannel(image, 5, 7, "cover");
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], image.rgb[3 * i], 1e-4);
}

TEST(ImageInput, ScalesEachChannelAndOrdersThem) {
  const Image image{2, 2, {255, 51, 0, 102, 0, 204, 255, 51, 0, 102, 0, 204}};
  ImageOptions options;
  options.mean = "0.5,0.2,0";
  options.std = "0.5,0.1,2";
  const auto values = [&](DType dtype, const Shape& shape) {
    const Tensor made = ImageInput(image, {"x", dtype, shape}, options, "here");
    std::vector<double> all;
    for (int64_t i = 0; i < made.elements(); ++i) all.push_back(std::round(made.At(i) * 1000) / 1000);
    return all;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(values(DType::kFloat32, {1, 3, 2, 2}), ElementsAre(1, -0.2, 1, -0.2, 0, -2, 0, -2, 0, 0.4, 0, 0.4));
  EXPECT_THAT(values(DType::kFloat32, {1, 2, 2, 3}), ElementsAre(1, 0, 0, -0.2, -2, 0.4, 1, 0, 0, -0.2, -2, 0.4));
  options.bgr = true;
  EXPECT_THAT(values(DType::kFloat32, {1, 3, 2, 2}), ElementsAre(-1, 0.6, -1, 0.6, 0, -2, 0, -2, 0.5, 0.2, 0.5, 0.2));
  // Byte inputs take the image's bytes unscaled.
  EXPECT_THAT(values(DType::kUInt8, {1, 3, 2, 2}), ElementsAre(0, 204, 0, 204, 51, 0, 51, 0, 255, 102, 255, 102));
  options = {};
  EXPECT_THAT(values(DType::kFloat32, {1, 1, 2, 2}), ElementsAre(0.416, 0.211, 0.416, 0.211));
}

TEST(ImageInput, RefusesInputsThatAreNoPictures) {
  for (const InputSpec& spec :
       {InputSpec{"x", DType::kFloat32, {1, 4, 8, 8}}, InputSpec{"x", DType::kInt64, {1, 3, 8, 8}},
        InputSpec{"x", DType::kFloat32, {2, 3, 8, 8}}, InputSpec{"x", DType::kFloat32, {3, 8}}}) {
    try {
      ImageInput(Pattern(), spec, {}, "a.png");
      ADD_FAILURE() << ShapeText(spec.shape);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_THAT(error.what(), HasSubstr("a.png: a picture is for an input of float32 or uint8, 1x3xHxW"));
    }
  }
}

TEST(ImageInput, RefusesOptionsThatMeanNothing) {
  const auto refusal = [](const ImageOptions& options, const char* calibrate) -> std::string {
    try {
      CheckImageOptions(options, calibrate);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return error.what();
    }
    return "";
  };
  const auto with = [](const char* mean, const char* std) { return ImageOptions{mean, std}; };
  EXPECT_EQ(refusal(with("0.5", "1,2,3e-1"), "pictures"), "");
  for (const char* mean : {"1,2", "1,2,3,4", "x", "1,,2", "nan", "1,2,inf", "1,2,3,"}) {
    EXPECT_THAT(refusal(with(mean, ""), "pictures"), HasSubstr("right are three finite numbers")) << mean;
  }
  EXPECT_THAT(refusal(with("", "1,0,1"), "pictures"), HasSubstr("above 0"));
  EXPECT_THAT(refusal({"", "", "squeeze"}, "pictures"), HasSubstr("right are cover and stretch"));
  EXPECT_THAT(refusal(with("0.5", ""), "random"), HasSubstr("--calibrate random has none"));
  EXPECT_EQ(refusal({}, "random"), "");
}

class PictureFiles : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_.File(name), std::ios::binary) << bytes;
    return folder_.File(name);
  }
  static std::string Png(const Image& image, bool transparent) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = transparent ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    std::vector<uint8_t> pixels;
    for (size_t i = 0; i < image.rgb.size(); ++i) {
      pixels.push_back(image.rgb[i]);
      if (transparent && i % 3 == 2) pixels.push_back(7);
    }
    png_alloc_size_t size = 0;
    png_image_write_to_memory(&png, nullptr, &size, 0, pixels.data(), 0, nullptr);
    std::string bytes(size, '\0');
    png_image_write_to_memory(&png, bytes.data(), &size, 0, pixels.data(), 0, nullptr);
    return bytes;
  }
  static std::string Jpeg(const Image& image) {
    const tjhandle handle = tjInitCompress();
    unsigned char* bytes = nullptr;
    unsigned long size = 0;  // NOLINT(google-runtime-int): the library's
    tjCompress2(handle, image.rgb.data(), static_cast<int>(image.width), 0, static_cast<int>(image.height), TJPF_RGB,
                &bytes, &size, TJSAMP_444, 100, 0);
    std::string made(reinterpret_cast<char*>(bytes), size);
    tjFree(bytes);
    tjDestroy(handle);
    return made;
  }
  std::string Refusal(const std::string& path) {
    try {
      ReadImage(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TempFolder folder_;
};

Image Colours() {
  Image image{9, 11, {}};
  for (int i = 0; i < 9 * 11; ++i) {
    image.rgb.insert(image.rgb.end(),
                     {static_cast<uint8_t>(2 * i), static_cast<uint8_t>(255 - i), static_cast<uint8_t>(i / 11 * 20)});
  }
  return image;
}

TEST_F(PictureFiles, AreReadWhateverTheirNames) {
  const Image colours = Colours();
  for (const bool transparent : {false, true}) {
    const Image png = ReadImage(Write("a.jpg", Png(colours, transparent)));
    EXPECT_EQ(png.height, 9);
    EXPECT_EQ(png.width, 11);
    EXPECT_EQ(png.rgb, colours.rgb);
  }
  const Image jpeg = ReadImage(Write("b.png", Jpeg(colours)));
  ASSERT_EQ(jpeg.rgb.size(), colours.rgb.size());
  for (size_t i = 0; i < jpeg.rgb.size(); ++i) EXPECT_NEAR(jpeg.rgb[i], colours.rgb[i], 4) << i;
  EXPECT_TRUE(IsImageName("x.JPG"));
  EXPECT_TRUE(IsImageName("x/y.jpeg"));
  EXPECT_FALSE(IsImageName(".png"));
  EXPECT_FALSE(IsImageName("x.npy"));
}

TEST_F(PictureFiles, DamagedOnesAreRefusedInOneLine) {
  const std::string png = Png(Colours(), false), jpeg = Jpeg(Colours());
  Random random(1);
  for (const std::string& whole : {png, jpeg}) {
    const bool is_png = &whole != &jpeg && whole == png;
    for (size_t length : {size_t{4}, size_t{20}, whole.size() / 2}) {
      const std::string why = Refusal(Write("cut", whole.substr(0, length)));
      EXPECT_THAT(why, HasSubstr(is_png ? "not a usable PNG" : "not a usable JPEG")) << length;
      EXPECT_EQ(why.find('\n'), std::string::npos);
    }
    // Some bit flips leave a valid image.
    for (int i = 0; i < 500; ++i) {
      std::string flipped = whole;
      flipped[random.Below(flipped.size())] ^= static_cast<char>(1U << random.Below(8));
      EXPECT_EQ(Refusal(Write("flipped", flipped)).find('\n'), std::string::npos);
    }
  }
  EXPECT_THAT(Refusal(Write("text.jpg", "hello")), HasSubstr("text.jpg: neither JPEG nor PNG"));
  EXPECT_NE(Refusal(folder_.File("absent.png")), "");
  // 70,000 x 70,000 pixels in the header, but only a few bytes of data.
  std::string huge = png;
  huge[17] = huge[21] = 1;
  huge[18] = huge[22] = 0x11;
  EXPECT_NE(Refusal(Write("huge.png", huge)), "");
}

TEST_F(PictureFiles, AreCalibrationInputs) {
  Write("a.png", Png(Colours(), false));
  Write("b.JPEG", Jpeg(Colours()));
  Write("notes.txt", "passed over");
  const std::string folder = std::filesystem::path(folder_.File("a.png")).parent_path().string();
  ImageOptions options;
  options.mean = "0.5";
  const auto samples = ReadCalibration(folder, {{"x", DType::kFloat32, {1, 3, 9, 11}}}, options);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_NEAR(samples[0].inputs.at("x").At(5), 10 / 255.0 - 0.5, 1e-6);
  EXPECT_THAT(samples[1].from, HasSubstr("b.JPEG"));
  EXPECT_THROW(ReadCalibration(folder, {{"x", DType::kFloat32, {1, 3, 9, 11}}, {"y", DType::kFloat32, {1}}}, options),
               Error);
}

}  // namespace
}  // namespace hone
