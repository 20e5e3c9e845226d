#include "core/machine/cpu_feature_table.h"

namespace hone {
namespace {

using Role = FeatureRole;
using enum FeatureWord;
using enum FeatureRegisters;

// Bits of cpuid are those of the makers' manuals, bits of HWCAP those of the kernel's interface.
constexpr CpuFeature kFeatures[] = {
    {"x86_64", "64bit", ""},
    {"x86_64", "cmov", ""},
    {"x86_64", "cx8", ""},
    {"x86_64", "fxsr", ""},
    {"x86_64", "mmx", ""},
    {"x86_64", "x87", ""},
    {"x86_64", "sse", ""},
    {"x86_64", "sse2", "", kAlways, 0, false, kBase, "sse"},
    {"x86_64", "sse3", "pni", kCpuid1Ecx, 0, false, kBase, "sse2"},
    {"x86_64", "ssse3", "ssse3", kCpuid1Ecx, 9, false, kBase, "sse3"},
    {"x86_64", "sse4.1", "sse4_1", kCpuid1Ecx, 19, false, kBase, "ssse3"},
    {"x86_64", "sse4.2", "sse4_2", kCpuid1Ecx, 20, true, kBase, "sse4.1"},
    {"x86_64", "popcnt", "popcnt", kCpuid1Ecx, 23},
    {"x86_64", "movbe", "movbe", kCpuid1Ecx, 22},
    {"x86_64", "lzcnt", "abm", kCpuidExtended1Ecx, 5},
    {"x86_64", "bmi", "bmi1", kCpuid7Ebx, 3},
    {"x86_64", "bmi2", "bmi2", kCpuid7Ebx, 8},
    {"x86_64", "avx", "avx", kCpuid1Ecx, 28, true, kYmm, "sse4.2"},
    {"x86_64", "avx2", "avx2", kCpuid7Ebx, 5, true, kYmm, "avx"},
    {"x86_64", "fma", "fma", kCpuid1Ecx, 12, true, kYmm, "avx"},
    {"x86_64", "f16c", "f16c", kCpuid1Ecx, 29, true, kYmm, "avx", Role::kHalfLoads},
    {"x86_64", "avx512f", "avx512f", kCpuid7Ebx, 16, true, kZmm, "f16c avx2 fma avx512bw avx512dq avx512vl"},
    {"x86_64", "avx512bw", "avx512bw", kCpuid7Ebx, 30, true, kZmm, "avx512f"},
    {"x86_64", "avx512dq", "avx512dq", kCpuid7Ebx, 17, true, kZmm, "avx512f"},
    {"x86_64", "avx512vl", "avx512vl", kCpuid7Ebx, 31, true, kZmm, "avx512f"},
    {"x86_64", "avx512cd", "avx512cd", kCpuid7Ebx, 28, true, kZmm},
    {"x86_64", "avx512vnni", "avx512_vnni", kCpuid7Ecx, 11, true, kZmm, "avx512f", Role::kVnni},
    {"x86_64", "avxvnni", "avx_vnni", kCpuid7Sub1Eax, 4, true, kYmm, "avx2", Role::kVnni},
    {"x86_64", "avx512bf16", "avx512_bf16", kCpuid7Sub1Eax, 5, true, kZmm, "avx512bw", Role::kBFloatDots},
    {"x86_64", "avx512fp16", "avx512_fp16", kCpuid7Edx, 23, false, kZmm},
    {"x86_64", "avx512vbmi", "avx512vbmi", kCpuid7Ecx, 1, false, kZmm},
    {"x86_64", "avx512vbmi2", "avx512_vbmi2", kCpuid7Ecx, 6, false, kZmm},
    {"x86_64", "avx512ifma", "avx512ifma", kCpuid7Ebx, 21, false, kZmm},
    {"x86_64", "avx512bitalg", "avx512_bitalg", kCpuid7Ecx, 12, false, kZmm},
    {"x86_64", "avx512vpopcntdq", "avx512_vpopcntdq", kCpuid7Ecx, 14, false, kZmm},
    {"x86_64", "amx-tile", "amx_tile", kCpuid7Edx, 24, true, kTiles},
    {"x86_64", "amx-int8", "amx_int8", kCpuid7Edx, 25, true, kTiles, "amx-tile", Role::kByteTiles},
    {"x86_64", "amx-bf16", "amx_bf16", kCpuid7Edx, 22, true, kTiles, "amx-tile", Role::kBFloatTiles},

    {"aarch64", "fp-armv8", "", kHwcap, 0},
    {"aarch64", "neon", "asimd", kHwcap, 1, true},
    {"aarch64", "crc", "crc32", kHwcap, 7},
    {"aarch64", "lse", "atomics", kHwcap, 8},
    {"aarch64", "fullfp16", "asimdhp", kHwcap, 10},
    {"aarch64", "rdm", "", kHwcap, 12},
    {"aarch64", "sve", "sve", kHwcap, 22},
    {"aarch64", "fp16fml", "asimdfhm", kHwcap, 23},
    {"aarch64", "sve2", "sve2", kHwcap2, 1},
    {"aarch64", "sme", "sme", kHwcap2, 23},
    {"aarch64", "i8mm", "i8mm", kHwcap2, 13, true, kBase, "neon", Role::kMixedDots},
    {"aarch64", "dotprod", "asimddp", kHwcap, 20, true, kBase, "neon", Role::kSignedDots},
    {"aarch64", "bf16", "bf16", kHwcap2, 14, true, kBase, "neon", Role::kBFloatDots},

    {"arm", "neon", "neon", kHwcap, 12, true},
    {"arm", "vfp3", "vfpv3", kHwcap, 13},
    {"arm", "vfp4", "vfpv4", kHwcap, 16, true, kBase, "neon"},
    {"arm", "hwdiv-arm", "idiva", kHwcap, 17, true},
    {"arm", "d32", "vfpd32", kHwcap, 19},

    // Single-letter extensions have the bit of their place in the alphabet.
    {"riscv64", "a", "a", kHwcap, 'a' - 'a', true},
    {"riscv64", "c", "c", kHwcap, 'c' - 'a', true},
    {"riscv64", "d", "d", kHwcap, 'd' - 'a', true},
    {"riscv64", "f", "f", kHwcap, 'f' - 'a', true},
    {"riscv64", "m", "m", kHwcap, 'm' - 'a', true},
    // V by itself promises 128 bits.
    {"riscv64", "v", "v", kHwcap, 'v' - 'a', true},
    {"riscv64", "zvl256b", "zvl256b", kVectorBits, 256, true, kBase, "", Role::kLongVectors},
    {"riscv64", "zvl512b", "zvl512b", kVectorBits, 512, true, kBase, "", Role::kLongVectors},
};

}  // namespace

std::span<const CpuFeature> CpuFeatureTable() { return kFeatures; }

}  // namespace hone
