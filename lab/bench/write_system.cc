#include <fmt/format.h>

#include "lab/bench/writers.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

std::string CachesText(const MachineContext& context) {
  std::string text;
  for (const CacheContext& cache : context.caches) {
    text += fmt::format("{}L{} {} {}", text.empty() ? "" : ", ", cache.level, cache.type, BytesText(cache.bytes));
  }
  return text;
}

std::string Notes(const BenchResult& result) {
  const Environment& m = result.machine;
  std::string notes = fmt::format("microcode {}; features {}", m.microcode, m.features);
  if (!m.hypervisor.empty()) notes += "; virtual machine (" + m.hypervisor + ")";
  if (!m.governor.empty()) notes += "; governor " + m.governor;
  return notes;
}

// The number as text; empty if it is unknown.
std::string Text(int64_t number) { return number > 0 ? fmt::format("{}", number) : ""; }

}  // namespace

std::string BenchSystem(const BenchResult& result) {
  const Environment& m = result.machine;
  const MachineContext& c = result.context;
  const int threads = result.packages.empty() ? 0 : result.packages[0].threads;
  const Json json = {{"submitter", ""},
                     {"division", "open"},
                     {"category", "available"},
                     {"status", "available"},
                     {"system_name", m.host},
                     {"system_type", "edge"},
                     {"number_of_nodes", "1"},
                     {"host_processors_per_node", Text(c.sockets)},
                     {"host_processor_model_name", m.cpu_model},
                     {"host_processor_core_count", Text(m.cores)},
                     {"host_processor_vcpu_count", Text(c.cpus)},
                     {"host_processor_frequency", c.mhz > 0 ? fmt::format("{} MHz", c.mhz) : ""},
                     {"host_processor_caches", CachesText(c)},
                     {"host_processor_interconnect", ""},
                     {"host_memory_capacity", c.memory_bytes > 0 ? BytesText(c.memory_bytes) : ""},
                     {"host_memory_configuration", ""},
                     {"host_storage_type", ""},
                     {"host_storage_capacity", ""},
                     {"host_networking", ""},
                     {"host_networking_topology", ""},
                     {"accelerators_per_node", "0"},
                     {"accelerator_model_name", ""},
                     {"accelerator_memory_capacity", ""},
                     {"accelerator_memory_configuration", ""},
                     {"accelerator_host_interconnect", ""},
                     {"accelerator_interconnect", ""},
                     {"accelerator_on-chip_memories", ""},
                     {"cooling", ""},
                     {"framework", "hone " + m.hone_version},
                     {"operating_system", c.operating_system},
                     {"other_software_stack", "Linux " + m.kernel},
                     {"hw_notes", Notes(result)},
                     {"sw_notes", fmt::format("{} threads", threads)}};
  return json.dump(2) + "\n";
}

}  // namespace hone
