#include "compiler/codegen/matrix_tiles.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include "core/nth.h"

namespace hone {
namespace {

// The memory that ldtilecfg reads: palette 1, bytes per row of each register, rows of each register.
constexpr size_t kConfigBytes = 64, kRowBytesAt = 16, kRowsAt = 48;

}  // namespace

void MatrixTiles::Configure(const std::array<int, kRegisters>& rows) {
  std::array<uint8_t, kConfigBytes> config{1};
  for (size_t tile = 0; tile < rows.size(); ++tile) {
    config.at(kRowBytesAt + 2 * tile) = kRowBytes;
    config.at(kRowsAt + tile) = static_cast<uint8_t>(rows.at(tile));
  }
  auto* bytes = llvm::ConstantDataArray::get(b_.context(), config);
  auto* global = new llvm::GlobalVariable(b_.module(), bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes,
                                          "tile_config");
  global->setAlignment(llvm::Align(kConfigBytes));
  b_.ir().CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {}, {global});
}

void MatrixTiles::Release() { b_.ir().CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {}, {}); }

llvm::Value* MatrixTiles::Number(int tile) { return b_.ir().getInt8(static_cast<uint8_t>(tile)); }

void MatrixTiles::Zero(int tile) { b_.ir().CreateIntrinsic(llvm::Intrinsic::x86_tilezero, {}, {Number(tile)}); }

void MatrixTiles::LoadRows(int tile, Value* ptr, Value* stride) {
  b_.ir().CreateIntrinsic(llvm::Intrinsic::x86_tileloadd64, {}, {Number(tile), ptr, stride});
}

void MatrixTiles::Store(int tile, Value* ptr, int64_t stride) {
  b_.ir().CreateIntrinsic(llvm::Intrinsic::x86_tilestored64, {}, {Number(tile), ptr, b_.Index(stride)});
}

void MatrixTiles::MultiplyAdd(DType data, DType weight, int sum, int x, int w) {
  const bool is_signed = data == DType::kInt8, by_signed = weight == DType::kInt8;
  const auto of_bytes = is_signed   ? by_signed ? llvm::Intrinsic::x86_tdpbssd : llvm::Intrinsic::x86_tdpbsud
                        : by_signed ? llvm::Intrinsic::x86_tdpbusd
                                    : llvm::Intrinsic::x86_tdpbuud;
  const auto id = data == DType::kBFloat16 ? llvm::Intrinsic::x86_tdpbf16ps : of_bytes;
  b_.ir().CreateIntrinsic(id, {}, {Number(sum), Number(x), Number(w)});
}

}  // namespace hone
