#include "lab/bench/loaded_anew.h"

#include "lab/files/read_file.h"

namespace hone {
namespace {

constexpr size_t kPage = 4096, kMostPages = 64;

}  // namespace

LoadedAnew::LoadedAnew(const std::string& path, const InputOptions& inputs)
    : path_(path),
      bytes_(ReadFile(path)),
      shapes_(ShapesAsked(inputs, path)),
      first_(Package::FromBytes(bytes_, path, shapes_)),
      inputs_(MakeInputs(InputSpecs(*first_), inputs)) {}

std::shared_ptr<const Package> LoadedAnew::Load() const { return Package::FromBytes(bytes_, path_, shapes_); }

std::unique_ptr<Session> LoadedAnew::Start(const std::shared_ptr<const Package>& package,
                                           const SessionOptions& options) const {
  auto session = std::make_unique<Session>(package, options);
  for (const auto& [name, tensor] : inputs_) session->SetInput(name, tensor);
  return session;
}

MappedBytes TakeGap(Random& random) {
  MappedBytes gap = MappedBytes::Zeros(kPage * (1 + random.Below(kMostPages)));
  for (size_t at = 0; at < gap.size(); at += kPage) gap.data()[at] = 1;
  return gap;
}

}  // namespace hone
