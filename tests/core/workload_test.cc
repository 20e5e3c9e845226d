#include "core/workload.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

constexpr const char* kConv =
    "nn.conv2d data=1x64x56x56 weight=64x64x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=1 dtype=float32 "
    "epilogue=bias_act";
constexpr const char* kDense = "nn.dense data=1x2048 weight=1000x2048 dtype=float32 epilogue=none";

TEST(Workload, TextIsCanonical) {
  EXPECT_EQ(Workload::Parse(kConv).ToText(), kConv);
  EXPECT_EQ(Workload::Parse(kDense).ToText(), kDense);
  EXPECT_EQ(Workload::Parse("nn.dense weight=1000x2048 data=1x2048").ToText(), kDense);
}

TEST(Workload, NamesTypesThatDiffer) {
  const std::string text = "nn.dense data=1x8 weight=4x8 dtype=uint8,int8,int32,float32 epilogue=none";
  const Workload w = Workload::Parse(text);
  EXPECT_EQ(w.types, (ElementTypes{DType::kUInt8, DType::kInt8, DType::kInt32, DType::kFloat32}));
  EXPECT_EQ(w.ToText(), text);
  EXPECT_EQ(Workload::Parse(kDense).types, ElementTypes());
  EXPECT_EQ(Workload::Parse("nn.dense data=1x8 weight=4x8 dtype=float32,float32,float32,float32").ToText(),
            "nn.dense data=1x8 weight=4x8 dtype=float32 epilogue=none");
}

TEST(Workload, OfABatchMatmulSaysWhereItsAxesLie) {
  const std::string plain =
      "nn.batch_matmul data=12x128x64 weight=12x96x64 layouts=BMK,BNK,BMN dtype=float32 epilogue=none";
  EXPECT_EQ(Workload::Parse(plain).ToText(), plain);
  EXPECT_EQ(Workload::Parse("nn.batch_matmul data=12x128x64 weight=12x96x64").ToText(), plain);
  EXPECT_EQ(Workload::Parse(plain).OutputShape(), (Shape{12, 128, 96}));
  const Workload heads = Workload::Parse("nn.batch_matmul data=128x12x64 weight=1x64x96 layouts=MBK,BKN,MBN");
  EXPECT_EQ(heads.OutputShape(), (Shape{128, 12, 96}));
  EXPECT_EQ(heads.Flops(), 2.0 * 12 * 128 * 64 * 96);
  EXPECT_EQ(heads.Extent('B'), 12);
  EXPECT_EQ(heads.OperandAxes(1), "BKN");
}

TEST(Workload, OfBlocksNamesTheirFormat) {
  const std::string text =
      "nn.dense_blocks data=2x70 weight=9x9 blocks=int4x32,zeros dtype=float32,int32,float32,float32 epilogue=none";
  const Workload w = Workload::Parse(text);
  EXPECT_EQ(w.ToText(), text);
  EXPECT_EQ(w.OutputShape(), (Shape{2, 9}));
  EXPECT_EQ(w.Flops(), 2.0 * 2 * 9 * 70);
  for (const char* refused : {"data=2x70 weight=9x9", "data=2x70 weight=9x70 blocks=int4x32",
                              "data=2x70 weight=9x9 blocks=int4x12", "data=2x70 weight=9x9 layouts=BMK,BNK,BMN"}) {
    EXPECT_THROW(Workload::Parse(std::string("nn.dense_blocks ") + refused), Error) << refused;
  }
}

TEST(Workload, NamesItsPrologueOnlyWhenThereIsOne) {
  const std::string plain =
      "nn.conv2d data=1x16x6x6 weight=8x16x1x1 strides=1x1 padding=0x0x0x0 dilation=1x1 groups=1 "
      "dtype=float32 epilogue=none";
  EXPECT_EQ(Workload::Parse(plain + " prologue=none").ToText(), plain);
  const Workload fused = Workload::Parse(plain + " prologue=scale_shift_relu");
  EXPECT_EQ(fused.prologue, Prologue::kScaleShiftRelu);
  EXPECT_EQ(fused.ToText(), plain + " prologue=scale_shift_relu");
  EXPECT_THROW(Workload::Parse(plain + " prologue=relu"), Error);
  EXPECT_THROW(Workload::Parse("nn.dense data=1x16 weight=8x16 prologue=scale_shift"), Error);
}

TEST(Workload, KnowsItsOutputAndWork) {
  const Workload conv = Workload::Parse(kConv);
  EXPECT_EQ(conv.OutputShape(), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(conv.Flops(), 2.0 * 64 * 56 * 56 * 64 * 9);
  EXPECT_EQ(Workload::Parse(kDense).Flops(), 2.0 * 2048 * 1000);
}

TEST(Workload, OutputFollowsStridePaddingAndDilation) {
  const auto output = [](const std::string& fields) {
    return Workload::Parse("nn.conv2d data=1x3x224x225 weight=8x3x7x3 " + fields).OutputShape();
  };
  EXPECT_EQ(output("strides=2x3 padding=3x1x2x0"), (Shape{1, 8, 112, 75}));
  EXPECT_EQ(output("dilation=2x4"), (Shape{1, 8, 212, 217}));
}

TEST(Workload, KnowsDepthwise) {
  EXPECT_TRUE(Workload::Parse("nn.conv2d data=1x32x8x8 weight=32x1x3x3 groups=32").is_depthwise());
  EXPECT_FALSE(Workload::Parse("nn.conv2d data=1x32x8x8 weight=64x1x3x3 groups=32").is_depthwise());
  EXPECT_FALSE(Workload::Parse(kConv).is_depthwise());
}

TEST(Workload, RefusesWhatCannotBe) {
  for (const char* text : {"",
                           "nn.pool",
                           "nn.conv2d",
                           "nn.dense data=1x2",
                           "nn.dense data=1x2 weight=3x4",
                           "nn.dense data=1x2 weight=3x2x1",
                           "nn.dense data=1x2 weight=3x2 groups=1",
                           "nn.dense data=1x2 weight=3x2 data=1x2",
                           "nn.dense data=0x2 weight=3x2",
                           "nn.dense data=-1x2 weight=3x2",
                           "nn.dense data=1x2 weight=3x2 dtype=float",
                           "nn.dense data=1x2 weight=3x2 dtype=int8,int8",
                           "nn.dense data=1x2 weight=3x2 dtype=int8,int8,int32,",
                           "nn.dense data=1x2 weight=3x2 epilogue=x",
                           "nn.dense data=1x2 weight=3x2 epilogue",
                           "nn.dense data=2147483647x2147483647 weight=2147483647x2147483647",
                           "nn.dense data=99999999999x2 weight=3x2",
                           "nn.batch_matmul data=2x3x4 weight=2x3x5",
                           "nn.batch_matmul data=2x3x4 weight=3x3x4",
                           "nn.batch_matmul data=1x3x4 weight=2x3x4",
                           "nn.batch_matmul data=3x4 weight=3x4",
                           "nn.batch_matmul data=2x3x4 weight=2x3x4 epilogue=bias_act",
                           "nn.batch_matmul data=2x3x4 weight=2x3x4 layouts=BMK,BNK",
                           "nn.batch_matmul data=2x3x4 weight=2x3x4 layouts=BMK,BNK,BNM",
                           "nn.batch_matmul data=2x3x4 weight=2x3x4 layouts=MKB,BNK,BMN",
                           "nn.batch_matmul data=2x3x4 weight=2x3x4 layouts=BMM,BNK,BMN",
                           "nn.dense data=1x2 weight=3x2 layouts=BMK,BNK,BMN",
                           "nn.conv2d data=1x4x8x8 weight=4x4x3x3 groups=3",
                           "nn.conv2d data=1x4x8x8 weight=4x4x3x3 groups=2",
                           "nn.conv2d data=1x4x2x2 weight=4x4x3x3",
                           "nn.conv2d data=1x4x8x8 weight=4x4x3x3 strides=0x1",
                           "nn.conv2d data=1x4x8x8 weight=4x4x3x3 padding=1x1",
                           "nn.conv2d data=1x4x8x8 weight=4x4x3x3 padding=-1x1x1x1",
                           "nn.conv2d data=1x4x8x8 weight=4x4x3x3 dilation=1x1x1"}) {
    EXPECT_THROW(Workload::Parse(text), Error) << text;
  }
}

TEST(Workload, EveryCutOfTheTextIsRefusedOrEqualsAnother) {
  const std::string text = kConv;
  for (size_t cut = 0; cut < text.size(); ++cut) {
    try {
      const Workload workload = Workload::Parse(text.substr(0, cut));
      EXPECT_EQ(Workload::Parse(workload.ToText()), workload);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
    }
  }
}

TEST(Epilogue, TextRoundTrips) {
  for (const char* text : {"none",
                           "bias",
                           "relu",
                           "add",
                           "bias,relu",
                           "bias,add,clip(0,6)",
                           "leaky_relu(0.1)",
                           "add,sigmoid",
                           "bias,tanh",
                           "bias,hard_swish",
                           "bias,silu",
                           "add,gelu",
                           "clip(-1.5,1e+20)",
                           "clip(-inf,6)",
                           "bias,clip(0,inf)",
                           "scale",
                           "scale,bias,add,relu,quantise(0.5,128)",
                           "quantise(0.25,-3)",
                           "clip(0,6),quantise(1,0)",
                           "quantise(1,0,127)",
                           "offset,scale,hold(-128,127,0.02),bias,add(0.01,3),relu,quantise(0.5,3,200)",
                           "offset",
                           "add(0.5,0),relu"}) {
    EXPECT_EQ(Epilogue::Parse(text).ToText(), text);
  }
}

TEST(Epilogue, RefusesWhatIsNoEpilogue) {
  for (const char* text : {"",
                           ",",
                           "bias,",
                           "add,bias",
                           "relu,bias",
                           "bias,bias",
                           "clip",
                           "clip(0)",
                           "clip(0,6",
                           "clip()",
                           "relu()",
                           "relu(1)",
                           "clip(nan,1)",
                           "biasrelu",
                           "none,relu",
                           "relu,",
                           "(",
                           "leaky_relu(0.1))",
                           "bias,scale",
                           "quantise(0,1)",
                           "quantise(1)",
                           "quantise(1,300)",
                           "reluquantise(1,0)",
                           "quantise(1,0),relu",
                           ",quantise(1,0)",
                           "quantise(1,0",
                           "quantise(1,0,-1)",
                           "quantise(1,0,127,1)",
                           "hold(1,2)",
                           "hold(2,1,1)",
                           "hold(0,1,0)",
                           "hold(0,1,1),scale",
                           "add(1)",
                           "add(0,1)",
                           "add(1,300)",
                           "scale,offset"}) {
    EXPECT_THROW(Epilogue::Parse(text), Error) << text;
  }
}

TEST(Epilogue, ClassesHaveAStandIn) {
  Workload w = Workload::Parse("nn.conv2d data=1x64x6x6 weight=16x64x3x3");
  for (EpilogueClass c : {EpilogueClass::kNone, EpilogueClass::kBiasAct, EpilogueClass::kResidual}) {
    w.epilogue = c;
    w.types = ElementTypes();
    EXPECT_EQ(CanonicalEpilogue(w).Class(), c);
    w.types = ByteTypes(DType::kUInt8);
    EXPECT_EQ(CanonicalEpilogue(w).Class(), c);
  }
  EXPECT_EQ(CanonicalEpilogue(w).ToText(), "offset,scale,hold(-4194304,4194304,1),add(512,0),quantise(512,128)");
  w.types = ElementTypes();
  EXPECT_EQ(CanonicalEpilogue(w).ToText(), "bias,add,relu");
  EXPECT_EQ(Epilogue::Parse("sigmoid").Class(), EpilogueClass::kBiasAct);
}

}  // namespace
}  // namespace hone
