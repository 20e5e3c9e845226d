#include "core/hash/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hone {
namespace {

using State = std::array<uint32_t, 8>;
constexpr size_t kBlock = 64;

constexpr State kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
alignas(16) constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t BigEndian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

// Variable names are those of FIPS 180-4.
void AddBlocks(State& state, const uint8_t* bytes, size_t blocks) {
  for (; blocks > 0; --blocks, bytes += kBlock) {
    std::array<uint32_t, 64> w;
    for (size_t t = 0; t < 16; ++t) w[t] = BigEndian(bytes + 4 * t);
    for (size_t t = 16; t < 64; ++t) {
      const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
      const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (size_t t = 0; t < 64; ++t) {
      const uint32_t t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
      const uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const State added = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < added.size(); ++i) state[i] += added[i];
  }
}

#if defined(__x86_64__)
// The instructions keep the state as two vectors, {f, e, b, a} and {h, g, d, c} from the lowest lane. They take four
// rounds' words at a time, in two halves of two rounds each.
[[gnu::target("sha,sse4.1")]] void AddBlocksBySha(State& state, const uint8_t* bytes, size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i abcd = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data()));
  const __m128i efgh = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4));
  const __m128i badc = _mm_shuffle_epi32(abcd, 0xb1), hgfe = _mm_shuffle_epi32(efgh, 0x1b);
  __m128i feba = _mm_alignr_epi8(badc, hgfe, 8), hgdc = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; --blocks, bytes += kBlock) {
    const __m128i feba_before = feba, hgdc_before = hgdc;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), swap);
    }
    for (int t = 0; t < 16; ++t) {
      const __m128i words = w[t % 4];
      const __m128i k = _mm_load_si128(reinterpret_cast<const __m128i*>(kRound.data()) + t);
      const __m128i sum = _mm_add_epi32(words, k);
      hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sum);
      feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32(sum, 0x0e));
      // w[t] is not read again, so the words of sixteen rounds later replace it.
      const __m128i next = w[(t + 1) % 4], third = w[(t + 2) % 4], last = w[(t + 3) % 4];
      w[t % 4] =
          _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(words, next), _mm_alignr_epi8(last, third, 4)), last);
    }
    feba = _mm_add_epi32(feba, feba_before), hgdc = _mm_add_epi32(hgdc, hgdc_before);
  }
  const __m128i abef = _mm_shuffle_epi32(feba, 0x1b), dchg = _mm_shuffle_epi32(hgdc, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(abef, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, abef, 8));
}

bool HasSha() {
  static const bool has = __builtin_cpu_supports("sha") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  return has;
}
#endif

// Pads a message of `size` bytes whose full blocks are already in the state. The padded end is the last `size` %
// kBlock bytes, one bit, zeros, and the message's length in bits at the end of a block.
template <typename Add>
Sha256Digest Finish(State state, const uint8_t* rest, uint64_t size, const Add& add) {
  const size_t left = size % kBlock;
  std::array<uint8_t, 2 * kBlock> tail{};
  if (left > 0) std::memcpy(tail.data(), rest, left);
  tail[left] = 0x80;
  const size_t end = left + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (size_t i = 0; i < 8; ++i) tail[end - 1 - i] = static_cast<uint8_t>(size * 8 >> 8 * i);
  add(state, tail.data(), end / kBlock);
  Sha256Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

template <typename Add>
Sha256Digest DigestOf(const uint8_t* bytes, size_t size, const Add& add) {
  State state = kStart;
  const size_t whole = size / kBlock;
  add(state, bytes, whole);
  return Finish(state, bytes + whole * kBlock, size, add);
}

using AddTo = void (*)(State& state, const uint8_t* bytes, size_t blocks);

AddTo BestAdd() {
#if defined(__x86_64__)
  if (HasSha()) return AddBlocksBySha;
#endif
  return AddBlocks;
}

}  // namespace

Sha256Digest Sha256InPlainCode(const void* data, size_t size) {
  return DigestOf(static_cast<const uint8_t*>(data), size, AddBlocks);
}

Sha256Digest Sha256(const void* data, size_t size) {
  return DigestOf(static_cast<const uint8_t*>(data), size, BestAdd());
}

Sha256Stream::Sha256Stream() : state_(kStart) {}

void Sha256Stream::Add(const void* data, size_t size) {
  if (size == 0) return;
  const auto* bytes = static_cast<const uint8_t*>(data);
  const AddTo add = BestAdd();
  const size_t held = size_ % kBlock, room = held == 0 ? 0 : std::min(kBlock - held, size);
  size_ += size;
  if (room > 0) std::memcpy(rest_.data() + held, bytes, room);
  if (held + room == kBlock) add(state_, rest_.data(), 1);
  const size_t whole = (size - room) / kBlock, left = (size - room) % kBlock;
  add(state_, bytes + room, whole);
  if (left > 0) std::memcpy(rest_.data(), bytes + room + whole * kBlock, left);
}

Sha256Digest Sha256Stream::Digest() const { return Finish(state_, rest_.data(), size_, BestAdd()); }

std::string ToHex(const Sha256Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string Sha256Hex(const void* data, size_t size) { return ToHex(Sha256(data, size)); }

std::string Sha256Hex(std::string_view bytes) { return Sha256Hex(bytes.data(), bytes.size()); }

}  // namespace hone
