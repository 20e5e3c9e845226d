#include "lab/files/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/error.h"
#include "lab/files/npy.h"
#include "tests/lab/zip_archive.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Tensor Ramp(const Shape& shape) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kRamp, 0);
  return tensor;
}

void AcceptAll(const std::string&, DType, const Shape&) {}

std::string RefusalOf(const std::string& bytes, const AcceptArray& accept = AcceptAll) {
  try {
    ParseNpz(bytes, "a.npz", accept);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_THAT(error.what(), HasSubstr("a.npz"));
    return error.what();
  }
  return "";
}

TEST(Npz, HoldsArraysByName) {
  for (const bool deflated : {false, true}) {
    const std::string bytes =
        ZipArchive({{"x.npy", NpyBytes(Ramp({2, 300}))}, {"a/b.npy", NpyBytes(Ramp({}))}}, deflated);
    const auto arrays = ParseNpz(bytes, "a.npz", AcceptAll);
    ASSERT_THAT(arrays, ElementsAre(Pair("a/b", testing::_), Pair("x", testing::_)));
    EXPECT_EQ(arrays.at("x").shape(), (Shape{2, 300}));
    for (int64_t i = 0; i < 600; ++i) EXPECT_EQ(arrays.at("x").At(i), Ramp({2, 300}).At(i));
  }
}

TEST(Npz, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(RefusalOf(""), HasSubstr("does not end as a zip archive"));
  EXPECT_THAT(RefusalOf(ZipArchive({{"x.txt", "text"}}, false)), HasSubstr("x.txt, which is no .npy file"));
  EXPECT_THAT(RefusalOf(ZipArchive({{"x.npy", "text"}}, false)), HasSubstr("not a usable .npy file"));
  const std::string npy = NpyBytes(Ramp({2}));
  EXPECT_THAT(RefusalOf(ZipArchive({{"x.npy", npy}, {"x.npy", npy}}, false)), HasSubstr("there twice"));
  std::string other = ZipArchive({{"x.npy", npy}}, false);
  other[other.find("NUMPY") + 100] ^= 1;
  EXPECT_THAT(RefusalOf(other), HasSubstr("checksum"));
}

// An array larger than the first bytes, from which its header is read.
TEST(Npz, HoldsLargeArrays) {
  for (const bool deflated : {false, true}) {
    const Tensor large = Ramp({100, 999});
    const auto arrays = ParseNpz(ZipArchive({{"x.npy", NpyBytes(large)}}, deflated), "a.npz", AcceptAll);
    for (int64_t i = 0; i < large.elements(); ++i) ASSERT_EQ(arrays.at("x").At(i), large.At(i)) << i;
  }
}

// The callback runs before unpacking: bytes after the header are damaged here, and that goes unnoticed.
TEST(Npz, ReadsOnlyTheArraysThatAreWanted) {
  std::string bytes = ZipArchive({{"x.npy", NpyBytes(Ramp({100, 999}))}}, false);
  const size_t data = bytes.find("NUMPY") + 80'000;
  bytes[data] = static_cast<char>(bytes[data] ^ 1);
  EXPECT_THAT(RefusalOf(bytes), HasSubstr("checksum"));
  std::string asked;
  const auto refuse = [&](const std::string& array, DType dtype, const Shape& shape) {
    asked = array + " " + std::string(DTypeName(dtype)) + " " + ShapeText(shape);
    throw Error(ExitCode::kBadData, "a.npz: it is not wanted");
  };
  EXPECT_THAT(RefusalOf(bytes, refuse), HasSubstr("not wanted"));
  EXPECT_EQ(asked, "x float32 " + ShapeText({100, 999}));
}

// Sets the size that the archive's directory gives for the first file.
void SetSize(std::string& archive, uint32_t size) {
  const size_t at = archive.find("PK\1\2") + 24;
  for (size_t i = 0; i < 4; ++i) archive[at + i] = static_cast<char>(size >> (8 * i));
}

TEST(Npz, RefusesWhatGrowsBeyondMeasure) {
  std::string bytes = ZipArchive({{"x.npy", NpyBytes(Ramp({2, 300}))}}, true);
  SetSize(bytes, 1u << 30);
  EXPECT_THAT(RefusalOf(bytes), HasSubstr("x.npy would become 1073741824 bytes of "));
  SetSize(bytes, 2'000'000);
  EXPECT_THAT(RefusalOf(bytes), HasSubstr("x.npy is damaged"));
}

// Every cut and every flipped byte is refused or read, without a crash.
TEST(Npz, SurvivesDamage) {
  for (const bool deflated : {false, true}) {
    const std::string whole = ZipArchive({{"x.npy", NpyBytes(Ramp({3, 5}))}}, deflated);
    for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(RefusalOf(whole.substr(0, size)), "") << size;
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const int flip : {1, 0x80, 0xff}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        RefusalOf(damaged);
      }
    }
  }
}

}  // namespace
}  // namespace hone
