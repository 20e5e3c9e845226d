#include "compiler/plan/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "compiler/codegen/target/object.h"
#include "compiler/compile_kernel.h"
#include "compiler/ops/kernel.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "core/machine/available_threads.h"
#include "core/machine/target.h"
#include "core/package/package_format.h"
#include "core/package/plan.h"
#include "core/workload.h"

namespace hone {
namespace {

// The estimated time of a kernel without a measured time.

// Nanoseconds from one call to the next.
constexpr double kCallNs = 60;
// MachineModel::l3_bytes is the share that one core can rely on; a network that has the machine for itself gets more.
constexpr double kL3Shares = 4;

double OperandBytes(const std::vector<KernelOperand>& operands) {
  int64_t bytes = 0;
  for (const KernelOperand& operand : operands) {
    const bool plain = operand.layout.ToText().empty();
    const Shape shape = plain ? operand.shape : operand.layout.PhysicalShape(operand.shape);
    bytes += ElementCount(shape) * DTypeBytes(operand.dtype);
  }
  return static_cast<double>(bytes);
}

// The rate of all workers together, from the cache that holds `bytes`.
double BytesPerCycle(double bytes, const MachineModel& machine) {
  const LevelRates& rates = machine.moved_bytes_per_cycle;
  if (bytes <= static_cast<double>(machine.l2_bytes)) return rates.l2 * machine.threads;
  if (bytes <= kL3Shares * static_cast<double>(machine.l3_bytes)) return rates.l3 * machine.threads;
  return machine.threads == 1 ? rates.memory
                              : rates.memory * machine.shared_bytes_per_cycle / machine.cold_bytes_per_cycle;
}

double RooflineNs(const CompiledKernel& kernel, const MachineModel& machine) {
  double cycles = 0, moved = 0;
  for (size_t i = 0; i < kernel.costs.size(); ++i) {
    const KernelStage& stage = kernel.emitted.stages.at(i);
    const int64_t parts = CeilDiv(std::max<int64_t>(stage.extent, 1), stage.grain);
    cycles += kernel.costs[i].cycles * ThreadShare(parts, machine.threads);
    moved += kernel.costs[i].bytes;
  }
  const double held = OperandBytes(kernel.operands);
  return std::max(cycles, std::min(moved, held) / BytesPerCycle(held, machine)) / machine.clock_ghz;
}

// The machine model for a network's kernels. If a cache holds all parameters of the network, every run but the first
// reads them from there and not from memory.
MachineModel ForParams(MachineModel machine, int64_t params_bytes) {
  const auto bytes = static_cast<double>(params_bytes);
  if (bytes > kL3Shares * static_cast<double>(machine.l3_bytes)) return machine;
  machine.shared_bytes_per_cycle = BytesPerCycle(bytes, machine);
  machine.cold_bytes_per_cycle = machine.shared_bytes_per_cycle / machine.threads;
  return machine;
}

// The time of one call in nanoseconds, with machine.threads workers. With knobs it is the schedule's estimate of the
// config. Without knobs it is a roofline, the longer of two times. One is the code's cycles (CodeCost), shared by the
// workers. The other is the bytes of its operands at the rate of the cache that holds them all. The machine's rates
// come from its model, not from measurements. nullopt if data decide how often a loop runs.
std::optional<double> EstimateNs(const Dispatch& dispatch, const CompiledKernel& kernel, const MachineModel& machine) {
  if (!dispatch.workload.empty()) {
    return FindSchedule(dispatch.schedule)
        ->EstimateNs(Workload::Parse(dispatch.workload), machine, Config::Parse(dispatch.config));
  }
  const bool known =
      std::all_of(kernel.costs.begin(), kernel.costs.end(), [](const CodeCost& cost) { return cost.known; });
  if (!known) return std::nullopt;
  return kCallNs + RooflineNs(kernel, machine) + WakingNs(machine.threads);
}

Dispatch DispatchOf(const relay::Function& function) {
  Dispatch dispatch;
  dispatch.schedule = dispatch.source = "generic";
  const ConfigChoice* choice = ChoiceOf(function);
  if (choice == nullptr) return dispatch;
  dispatch.workload = AnchorOf(function)->workload.ToText();
  dispatch.schedule = choice->schedule;
  dispatch.config = choice->config.ToText();
  dispatch.source = choice->source;
  dispatch.record = choice->record;
  dispatch.expected_ns = choice->expected_ns;
  return dispatch;
}

// Equal texts give equal kernels.
std::string KeyOf(const relay::Function& function, const Dispatch& dispatch) {
  if (ChoiceOf(function) == nullptr) return GenericKey(function);
  return fmt::format("{}|{}|{}|{}", dispatch.workload, dispatch.schedule, dispatch.config,
                     AnchorOf(function)->epilogue.ToText());
}

// "nn.conv2d conv1": the operators that cannot be compiled, with the model's names of the nodes.
std::string NodesOf(const relay::Function& function) {
  std::string text;
  for (const relay::ExprPtr& expr : PostOrder(function.body)) {
    const relay::Call* call = relay::AsCall(expr);
    if (call == nullptr) continue;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", relay::AsOp(call->op)->def->name,
                        call->name.empty() ? "" : " ", call->name);
  }
  return text;
}

// Errors about a function name the nodes that it computes.
CompiledKernel CompileGeneric(const relay::Function& function, const Target& target) {
  try {
    return CompileGenericObject(function, target);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kBadData) throw;
    throw Error(error.code(), fmt::format("no kernel can be made of {}: {}", NodesOf(function), error.what()));
  }
}

}  // namespace

int KernelTable::IndexOf(const relay::FunctionPtr& function) {
  if (ChoiceOf(*function) == nullptr && !IsGeneric(*function)) {
    throw Error(ExitCode::kBadData,
                fmt::format("no kernel can be made of {} with {}", NodesOf(*function), relay::ToText(function->type)));
  }
  Dispatch dispatch = DispatchOf(*function);
  const auto [it, is_new] = index_.try_emplace(KeyOf(*function, dispatch), static_cast<int>(entries_.size()));
  if (is_new) entries_.push_back({function, std::move(dispatch), it->first, {}});
  return it->second;
}

CompiledKernel KernelTable::CompileEntry(const Entry& entry) const {
  const ConfigChoice* choice = ChoiceOf(*entry.function);
  if (choice == nullptr) return CompileGeneric(*entry.function, target_);
  const Anchor& anchor = *AnchorOf(*entry.function);
  return CompileAnchorObject({anchor.workload, choice->schedule, choice->config, target_}, anchor.epilogue);
}

CompiledKernel KernelTable::CompileUnlessKnown(const Entry& entry, CompiledKernels* known) const {
  if (known == nullptr) return CompileEntry(entry);
  if (auto found = known->Find(entry.key)) return *std::move(found);
  CompiledKernel compiled = CompileEntry(entry);
  known->Add(entry.key, compiled);
  return compiled;
}

void KernelTable::Compile(CompiledKernels* known) {
  std::vector<std::exception_ptr> failures(entries_.size());
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  ForEachOnThreads(cores, entries_.size(), [&](size_t i) {
    try {
      entries_[i].compiled = CompileUnlessKnown(entries_[i], known);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

std::vector<std::string> KernelTable::Keys() const {
  std::vector<std::string> keys;
  for (const Entry& entry : entries_) keys.push_back(entry.key);
  return keys;
}

std::vector<PlanKernel> KernelTable::PlanKernels() const {
  std::vector<PlanKernel> kernels;
  for (const Entry& entry : entries_) {
    PlanKernel kernel{entry.compiled.emitted.stages, entry.compiled.emitted.shared_workspace_bytes, entry.dispatch};
    kernel.dispatch.kernel_sha256 = entry.compiled.object_sha256;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<double> KernelTable::EstimatesNs(int threads, int64_t params_bytes) const {
  const MachineModel machine = ForParams(MachineModelFor(target_, threads), params_bytes);
  std::vector<double> estimates;
  for (const Entry& entry : entries_) {
    estimates.push_back(EstimateNs(entry.dispatch, entry.compiled, machine).value_or(0));
  }
  return estimates;
}

std::string KernelTable::Described() const {
  Json table = Json::array();
  for (const Entry& entry : entries_) {
    const CompiledKernel& kernel = entry.compiled;
    table.push_back(ToJson(Artifact{
        {}, kernel.object_sha256, kernel.emitted.stages, kernel.operands, kernel.emitted.shared_workspace_bytes}));
  }
  return DumpJson(table);
}

std::vector<std::string> KernelTable::TakeObjects() {
  std::vector<std::string> objects;
  for (Entry& entry : entries_) objects.push_back(std::move(entry.compiled.object));
  objects.push_back(EmitText(kKernelTableSymbol, Described(), target_));
  return objects;
}

}  // namespace hone
