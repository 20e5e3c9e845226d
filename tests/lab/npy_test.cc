#include "lab/files/npy.h"

#include <gtest/gtest.h>

#include "core/declared_types.h"
#include "core/error.h"

namespace hone {
namespace {

Tensor Sample() { return Tensor::FromVector<float>(DType::kFloat32, {2, 3}, {0, 1, 2, -3, 4.5, 1e-30f}); }

ExitCode CodeOf(const std::string& bytes) {
  try {
    ParseNpy(bytes, "x.npy");
    return ExitCode::kDone;
  } catch (const Error& e) {
    return e.code();
  }
}

TEST(Npy, ReadsBackWhatItWrites) {
  const Tensor back = ParseNpy(NpyBytes(Sample()), "x");
  EXPECT_EQ(back.shape(), (Shape{2, 3}));
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(back.At(i), Sample().At(i));
}

TEST(Npy, KeepsEveryDtypeAndRank) {
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt32, DType::kInt64, DType::kInt8,
        DType::kUInt8, DType::kBool, declared::kInt16, declared::kUInt16, declared::kUInt32, declared::kUInt64}) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0, 4}, Shape{1, 2, 3, 1}}) {
      const Tensor back = ParseNpy(NpyBytes(Tensor(dtype, shape)), "x");
      EXPECT_EQ(back.dtype(), dtype);
      EXPECT_EQ(back.shape(), shape);
    }
  }
}

// numpy writes types of ml_dtypes as records without a name.
TEST(Npy, ReadsByteRecordsAsBytes) {
  Tensor eights(declared::kFloat8E5M2, {3});
  eights.Set(1, 2);
  const std::string bytes = NpyBytes(eights);
  EXPECT_NE(bytes.find("'|V1'"), std::string::npos);
  for (const char* descr : {"|V1", "<V1", "<f1"}) {
    std::string named = bytes;
    named.replace(named.find("|V1"), 3, descr);
    const Tensor back = ParseNpy(named, "x");
    EXPECT_EQ(back.dtype(), DType::kUInt8);
    EXPECT_EQ(back.At(1), 0x40);
  }
}

TEST(Npy, PutsTheDataAtAMultipleOf64) { EXPECT_EQ((NpyBytes(Sample()).size() - 24) % 64, 0u); }

TEST(Npy, RefusesEveryTruncation) {
  const std::string bytes = NpyBytes(Sample());
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_EQ(CodeOf(bytes.substr(0, n)), ExitCode::kBadData) << n;
}

TEST(Npy, RefusesAShapeThatDoesNotFitTheData) {
  std::string bytes = NpyBytes(Sample());
  bytes.replace(bytes.find("(2,3,)"), 6, "(2,4,)");
  EXPECT_EQ(CodeOf(bytes), ExitCode::kBadData);
  bytes.replace(bytes.find("(2,4,), "), 8, "(9999999");
  EXPECT_EQ(CodeOf(bytes), ExitCode::kBadData);
}

TEST(Npy, RefusesBigEndianAndFortranOrder) {
  std::string big = NpyBytes(Sample());
  big.replace(big.find("<f4"), 3, ">f4");
  EXPECT_EQ(CodeOf(big), ExitCode::kBadData);
  std::string fortran = NpyBytes(Sample());
  fortran.replace(fortran.find("False"), 5, "True ");
  EXPECT_EQ(CodeOf(fortran), ExitCode::kBadData);
}

TEST(Npy, SurvivesAnyByteFlipped) {
  const std::string bytes = NpyBytes(Sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    const ExitCode code = CodeOf(flipped);
    EXPECT_TRUE(code == ExitCode::kDone || code == ExitCode::kBadData) << i;
  }
}

}  // namespace
}  // namespace hone
