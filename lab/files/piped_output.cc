#include "lab/files/piped_output.h"

namespace hone {

PipedOutput::PipedOutput(const ByteSink& sink) : sink_(sink) { setp(piece_.data(), piece_.data() + piece_.size()); }

PipedOutput::int_type PipedOutput::overflow(int_type next) {
  sync();
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  *pptr() = traits_type::to_char_type(next);
  pbump(1);
  return next;
}

int PipedOutput::sync() {
  const std::string_view written(pbase(), static_cast<size_t>(pptr() - pbase()));
  setp(piece_.data(), piece_.data() + piece_.size());
  if (!written.empty()) sink_(written);
  return 0;
}

void WriteThrough(const ByteSink& sink, const StreamWriter& write) {
  PipedOutput buffer(sink);
  std::ostream out(&buffer);
  // Without exceptions a stream hides the cause of its failure.
  out.exceptions(std::ios::badbit);
  write(out);
  out.flush();
}

}  // namespace hone
