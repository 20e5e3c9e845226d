#include "lab/model/model_kind.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "compiler/frontend/zoo/zoo.h"
#include "core/error.h"
#include "core/package/package_format.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRightModel = "an .onnx file, a .relay file or zoo:NAME (`hone zoo` lists them) would be right";

[[noreturn]] void RefuseInput(const std::string& what) { throw Error(ExitCode::kNoInput, what); }
[[noreturn]] void RefuseBytes(const std::string& path, const std::string& what) {
  throw Error(ExitCode::kBadData, fmt::format("{} {}", path, what));
}

// The names in a folder; empty if it cannot be read.
std::vector<std::string> NamesInFolder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

// The nearest name beside a file that is not there, with its folder; empty if none is near.
std::string NearestFile(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string near = Nearest(file.filename().string(), NamesInFolder(folder));
  return near.empty() ? "" : (file.parent_path() / near).string();
}

[[noreturn]] void RefuseMissing(const std::string& path, const std::string& right) {
  const std::string near = NearestFile(path);
  if (near.empty()) RefuseInput(fmt::format("there is no file {}; {}", path, right));
  RefuseInput(fmt::format("there is no file {}; did you mean {}?", path, near));
}

[[noreturn]] void RefuseMissingModel(const std::string& path) {
  std::vector<std::string> zoo;
  for (const ZooEntry& entry : ZooEntries()) zoo.push_back("zoo:" + entry.name);
  const std::string bare = path.substr(path.find(':') + 1);
  if (const std::string near = Nearest("zoo:" + bare, zoo); near == "zoo:" + bare) {
    RefuseInput(fmt::format("there is no file {}; the test network of that name is {}", path, near));
  }
  const std::string like = Nearest("zoo:" + fs::path(path).stem().string(), zoo);
  RefuseMissing(path, like.empty() ? kRightModel : fmt::format("{} is a test network of `hone zoo`", like));
}

[[noreturn]] void RefuseFolder(const std::string& path) {
  const std::string word = ShellWord(path);
  std::string weights;
  for (const std::string& name : NamesInFolder(path)) {
    if (name.ends_with(".onnx"))
      RefuseInput(fmt::format("{} is a folder; {} in it is a model", path, (fs::path(path) / name).string()));
    if (name == "saved_model.pb") {
      RefuseInput(
          fmt::format("{} is a SavedModel of TensorFlow; `python -m tf2onnx.convert --saved-model {} --output "
                      "model.onnx` makes ONNX of it",
                      path, word));
    }
    if (name.ends_with(".safetensors") || name == "pytorch_model.bin") weights = name;
  }
  if (weights.empty()) RefuseInput(fmt::format("{} is a folder; {}", path, kRightModel));
  RefuseInput(fmt::format(
      "{} holds weights of Hugging Face; `optimum-cli export onnx --model {} onnx` makes ONNX of them", path, word));
}

// The first bytes of a file. A pipe is not read, because its bytes would be lost.
std::string FirstBytes(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  std::array<char, 16> begin;
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return {begin.data(), static_cast<size_t>(file.gcount())};
}

struct Mark {
  std::string_view bytes;
  const char* what;
};
constexpr Mark kMarks[] = {
    {{kPackageMagic, sizeof(kPackageMagic)},
     "is a package; the model that it was built from would be right, and `hone package info` shows what is in it"},
    {"\x89PNG", "is an image; `hone run P.hone --input NAME=FILE.npy` takes arrays, and a model is an .onnx file"},
    {"\xff\xd8\xff", "is an image; `hone run P.hone --input NAME=FILE.npy` takes arrays, and a model is an .onnx file"},
    {"\x93NUMPY", "is an array; `hone run P.hone --input NAME=FILE.npy` takes it, and a model is an .onnx file"},
    {"ftrt", "is an engine of TensorRT; the ONNX model that it was built from would be right"},
    {"SQLite format 3", "is a record store or another database, which --db names; a model is an .onnx file"},
    {"{",
     "is JSON and no model, which is an .onnx file; `hone compare --results` takes results of `hone bench --json`"},
    {"<?xml", "is XML, as OpenVINO's IR; the model that it was made from, exported to ONNX, would be right"},
};

}  // namespace

void RequireOnnxFile(const std::string& path) {
  if (path.find("://") != std::string::npos) {
    RefuseInput(fmt::format("{0} is an address, and a model is read from a file; `curl -LO {1}` fetches it", path,
                            ShellWord(path)));
  }
  if (!IsThere(path)) RefuseMissingModel(path);
  std::error_code error;
  if (fs::is_directory(path, error)) RefuseFolder(path);
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) == 0) {
    RefuseBytes(path, "is empty; perhaps it was not written or fetched to its end");
  }
  const std::string begin = FirstBytes(path);
  for (const Mark& mark : kMarks) {
    if (begin.starts_with(mark.bytes)) RefuseBytes(path, mark.what);
  }
  if (path.ends_with(".safetensors")) {
    RefuseBytes(path,
                "holds weights alone; the model that they are of, exported to ONNX (torch.onnx.export, or "
                "`optimum-cli export onnx`), would be right");
  }
  // A field of ONNX's other than the first, and the first of a GraphDef: its nodes.
  if (path.ends_with(".pb") && begin.starts_with('\x0a')) {
    RefuseBytes(path, "is a graph of TensorFlow; `python -m tf2onnx.convert --graphdef` makes ONNX of it");
  }
}

void RequirePackageFile(const std::string& path) {
  const char* const right = "a package that `hone build` wrote would be right";
  if (path.starts_with("zoo:")) {
    RefuseInput(fmt::format("{0} is a model; `hone build {0} -o P.hone` makes a package of it", path));
  }
  if (!IsThere(path)) RefuseMissing(path, right);
  std::error_code error;
  if (fs::is_directory(path, error)) RefuseInput(fmt::format("{} is a folder; {}", path, right));
}

}  // namespace hone
