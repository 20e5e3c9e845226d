#include "lab/machine/hot_loop.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

const char* const kX86 = R"(
	.text
k_0:                                    # @k_0
	.cfi_startproc
	xorl	%eax, %eax
.LBB0_1:                                # %outer
	vmovups	(%rdi), %zmm0
	movl	$4, %ecx
.LBB0_2:                                # %inner
	prefetcht1	256(%rsi)
	vmovups	(%rsi), %zmm1
	vfmadd231ps	(%rdx,%rcx){1to16}, %zmm1, %zmm0
	vfmadd213ps	%zmm2, %zmm1, %zmm3
	vmovups	%zmm4, -64(%rsp)                # 64-byte Spill
	decl	%ecx
	jne	.LBB0_2
	vmovups	%zmm0, (%rdi)
	decl	%eax
	jne	.LBB0_1
.LBB0_3:
	vaddps	(%rsi), %zmm0, %zmm0
	jne	.LBB0_3
	retq
)";

TEST(HotLoop, IsTheInnermostWithTheMostMultiplyAdds) {
  const HotLoop loop = FindHotLoop(kX86);
  ASSERT_EQ(loop.lines.front(), ".LBB0_2:");
  EXPECT_EQ(loop.lines.back(), "  jne	.LBB0_2");
  EXPECT_EQ(loop.instructions, 7);
  EXPECT_EQ(loop.multiply_adds, 2);
  EXPECT_EQ(loop.loads, 2);
  EXPECT_EQ(loop.stores, 1);
  EXPECT_EQ(loop.prefetches, 1);
  EXPECT_EQ(loop.stack, 1);
}

TEST(HotLoop, OfAarch64IsFoundAlike) {
  const HotLoop loop = FindHotLoop(R"(
k_0:
	mov	x8, xzr
.LBB0_1:
	ldp	q1, q2, [x1], #32
	ldr	q3, [sp, #16]           // 16-byte Folded Reload
	prfm	pldl2keep, [x1, #256]
	fmla	v0.4s, v1.4s, v2.s[0]
	str	q0, [x0]
	cbnz	x8, .LBB0_1
	ret
)");
  EXPECT_EQ(loop.instructions, 6);
  EXPECT_EQ(loop.multiply_adds, 1);
  EXPECT_EQ(loop.loads, 2);
  EXPECT_EQ(loop.stores, 1);
  EXPECT_EQ(loop.stack, 1);
  EXPECT_EQ(loop.prefetches, 1);
}

TEST(HotLoop, WithoutLoopsIsEverything) {
  const HotLoop loop = FindHotLoop("k_0:\n\tvfmadd231ps %zmm1, %zmm2, %zmm0\n\tretq\n");
  EXPECT_EQ(loop.instructions, 2);
  EXPECT_EQ(loop.multiply_adds, 1);
  EXPECT_EQ(FindHotLoop("").instructions, 0);
}

TEST(HotLoop, CountsTheProductsOfBytesOfBFloatAndOfTiles) {
  const auto loop = [](const std::string& instruction) {
    return FindHotLoop("k:\n.L1:\n\t" + instruction + "\n\tjne\t.L1\n");
  };
  const HotLoop bytes = loop("vpdpbusd\t(%rdx){1to16}, %zmm1, %zmm0");
  EXPECT_EQ(bytes.multiply_adds, 1);
  EXPECT_EQ(bytes.products, 4);
  EXPECT_EQ(bytes.loads, 1);
  EXPECT_FALSE(bytes.tiles);
  EXPECT_EQ(loop("vdpbf16ps\t%zmm2, %zmm1, %zmm0").products, 2);
  EXPECT_EQ(loop("vpmaddwd\t%ymm2, %ymm1, %ymm0").products, 2);
  EXPECT_EQ(loop("sdot\tv0.4s, v1.16b, v2.4b[0]").products, 4);
  EXPECT_TRUE(loop("tdpbusd\t%tmm2, %tmm1, %tmm0").tiles);
  EXPECT_EQ(loop("tdpbf16ps\t%tmm2, %tmm1, %tmm0").products, 2);
  EXPECT_EQ(loop("mulps\t%xmm2, %xmm1").products, 1);
  EXPECT_EQ(loop("vaddps\t%xmm2, %xmm1, %xmm1").multiply_adds, 0);
}

}  // namespace
}  // namespace hone
