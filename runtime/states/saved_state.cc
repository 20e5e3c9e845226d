#include "runtime/states/saved_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/text/printable.h"
#include "runtime/package_impl.h"

namespace hone {
namespace {

constexpr std::string_view kStateMagic = "HONESTAT";

struct SavedHeader {
  char magic[8];
  uint32_t version;
  uint32_t count;
  Sha256Digest model;
};
static_assert(sizeof(SavedHeader) == 48);

struct SavedEntry {
  int64_t length;
  int64_t size_bytes;
};

// The model's file, or the parameters of a package that does not tell it or has other ones.
std::string ModelText(const Package& package) {
  const Package::Impl& impl = package.impl();
  const std::string file = impl.manifest.is_object() ? impl.manifest.value("model_sha256", "") : "";
  if (!file.empty() && impl.base == nullptr) return "file " + file;
  return "params " + Sha256Hex(package.params());
}

Sha256Digest ModelOf(const Package& package) {
  std::string text = ModelText(package);
  for (const PlanState& state : package.plan().states) {
    const PlanBuffer& buffer = package.plan().buffers[state.before];
    text += fmt::format("\n{} {}", buffer.name, DTypeName(buffer.dtype));
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
      text += static_cast<int>(d) == state.axis ? " *" : fmt::format(" {}", buffer.shape[d]);
    }
  }
  return Sha256(text.data(), text.size());
}

int64_t ValueBytes(const Plan& plan, const SessionStates& states, size_t i) {
  const PlanState& state = plan.states[i];
  Shape shape = plan.buffers[state.before].shape;
  if (state.axis >= 0) shape[state.axis] = states.length(i);
  return ElementCount(shape) * DTypeBytes(plan.buffers[state.before].dtype);
}

[[noreturn]] void RefuseState(std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("the saved state {}", why));
}

class StateReader {
 public:
  StateReader(std::string_view bytes, const Package& package) : rest_(bytes), package_(package) {
    if (bytes.size() < sizeof(SavedHeader) + sizeof(Sha256Digest) || !bytes.starts_with(kStateMagic)) {
      RefuseState("has the wrong form: it does not begin as save_state writes it");
    }
    const SavedHeader header = Take<SavedHeader>();
    if (header.version != kSavedStateVersion) {
      RefuseState(fmt::format("has version {}; this hone reads {}", header.version, kSavedStateVersion));
    }
    Sha256Digest digest;
    rest_.remove_suffix(digest.size());
    std::memcpy(digest.data(), bytes.data() + bytes.size() - digest.size(), digest.size());
    if (Sha256(bytes.data(), bytes.size() - digest.size()) != digest) RefuseState("is damaged: its hash differs");
    if (header.model != ModelOf(package) || header.count != plan().states.size()) {
      RefuseState(fmt::format("is of another model than {}", plan().model));
    }
  }

  std::vector<Tensor> Values() {
    std::vector<Tensor> values;
    for (const PlanState& state : plan().states) values.push_back(Value(state));
    if (!rest_.empty()) RefuseState("is damaged: it goes on behind its last value");
    return values;
  }

 private:
  const Plan& plan() const { return package_.plan(); }

  template <typename T>
  T Take() {
    if (rest_.size() < sizeof(T)) RefuseState("is damaged: it is cut off");
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  Tensor Value(const PlanState& state) {
    const PlanBuffer& buffer = plan().buffers[state.before];
    const auto entry = Take<SavedEntry>();
    Shape shape = buffer.shape;
    if (state.axis >= 0) {
      if (entry.length < 0 || entry.length > shape[state.axis]) {
        RefuseState(fmt::format("has {} of '{}'; there is room for {}", Counted(entry.length, "position"), buffer.name,
                                shape[state.axis]));
      }
      shape[state.axis] = entry.length;
    }
    const int64_t bytes = ElementCount(shape) * DTypeBytes(buffer.dtype);
    if (entry.size_bytes != bytes || rest_.size() < static_cast<size_t>(bytes))
      RefuseState("is damaged: it is cut off");
    Tensor value(buffer.dtype, shape);
    if (bytes > 0) std::memcpy(value.raw(), rest_.data(), static_cast<size_t>(bytes));
    rest_.remove_prefix(static_cast<size_t>(bytes));
    return value;
  }

  std::string_view rest_;
  const Package& package_;
};

template <typename T>
void Append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

size_t SavedBytes(const Plan& plan, const SessionStates& states) {
  size_t bytes = sizeof(SavedHeader) + sizeof(Sha256Digest);
  for (size_t i = 0; i < plan.states.size(); ++i) {
    bytes += sizeof(SavedEntry) + static_cast<size_t>(ValueBytes(plan, states, i));
  }
  return bytes;
}

std::string WriteStates(const Package& package, const SessionStates& states, const std::vector<char*>& memory) {
  const Plan& plan = package.plan();
  SavedHeader header{};
  std::copy(kStateMagic.begin(), kStateMagic.end(), header.magic);
  header.version = kSavedStateVersion;
  header.count = static_cast<uint32_t>(plan.states.size());
  header.model = ModelOf(package);
  std::string bytes;
  bytes.reserve(SavedBytes(plan, states));
  Append(bytes, header);
  for (size_t i = 0; i < plan.states.size(); ++i) {
    const Tensor value = states.Get(i, memory);
    Append(bytes, SavedEntry{states.length(i), value.size_bytes()});
    if (value.size_bytes() > 0) {
      bytes.append(static_cast<const char*>(value.raw()), static_cast<size_t>(value.size_bytes()));
    }
  }
  Append(bytes, Sha256(bytes.data(), bytes.size()));
  return bytes;
}

void ReadStates(std::string_view bytes, const Package& package, SessionStates& states,
                const std::vector<char*>& memory) {
  const std::vector<Tensor> values = StateReader(bytes, package).Values();
  for (size_t i = 0; i < values.size(); ++i) states.Set(i, values[i], memory);
}

}  // namespace hone
