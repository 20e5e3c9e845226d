// Tests whether a program keeps the protocol of adapters.
#pragma once

#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/adapter/judged_model.h"
#include "rpc_runner/adapter/adapter.h"

namespace hone {

struct AdapterCheck {
  std::string what;
  enum class Finding : uint8_t { kOk, kFault, kNotReached } finding = Finding::kNotReached;
  std::string text;  // what was found, a line
};

// Every check in the order of the conversation. A fault that ends the adapter leaves the later ones out of reach.
// Both models are the same, with different inputs.
std::vector<AdapterCheck> CheckAdapter(const AdapterCommand& command, int64_t answer_ns, int threads,
                                       JudgedModel& model, JudgedModel& other_inputs);

bool IsSound(const std::vector<AdapterCheck>& checks);
std::string ToText(const std::vector<AdapterCheck>& checks);
Json ToJson(const std::vector<AdapterCheck>& checks);

}  // namespace hone
