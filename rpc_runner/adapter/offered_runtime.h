// Runtimes that a runner offers besides hone, as its administrator names them.
#pragma once

#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "rpc_runner/adapter/adapter_sandbox.h"

namespace hone {

// The file of an adapter that is installed with hone, whether it is there or not: share/hone/adapters beside the
// folder of this program.
std::string InstalledAdapter(const std::string& runtime);
// The folder that they lie in.
std::string AdaptersFolder();

struct OfferedRuntime {
  std::string runtime;             // the name by which tuners ask for it
  std::vector<std::string> words;  // the program and its arguments
  AdapterSandbox sandbox;          // that it runs in
  Json told = nullptr;             // `runtime`, `name` and `version`, as a hello tells them
};

// NAME=PROGRAM or the NAME of an installed adapter. A program that ends in .py is run by $HONE_PYTHON, else python3.
// The sandbox also shows the program's folder and that Python. Throws Error: kUsage for another form, kNoInput for a
// missing program.
OfferedRuntime ParseOfferedRuntime(const std::string& text, AdapterSandbox sandbox);

// Starts the adapter in its sandbox once, and keeps what it tells of itself. Throws Error as Adapter does.
void AskOffered(OfferedRuntime& offered);

// "this runner offers no runtime onnx; it offers onnxruntime, openvino (hone-runner --runtime)".
std::string NotOffered(const std::string& runtime, const std::vector<std::string>& names);

}  // namespace hone
