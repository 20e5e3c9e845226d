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
#include "lab/files/near_files.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExportsCode = "`hone package export P.hone --c -o DIR` writes C and object files";
const std::string kRightModel = "an .onnx file, a .relay file or zoo:NAME (`hone zoo` lists them) would be right";

[[noreturn]] void RefuseInput(const std::string& what) { throw Error(ExitCode::kNoInput, what); }
[[noreturn]] void RefuseBytes(const std::string& path, const std::string& what) {
  throw Error(ExitCode::kBadData, fmt::format("{} {}", path, what));
}

[[noreturn]] void RefuseMissing(const std::string& path, const std::string& right) {
  const std::string near = NearestFile(path);
  if (near.empty()) RefuseInput(fmt::format("there is no file {}; {}", path, right));
  RefuseInput(fmt::format("there is no file {}; did you mean {}?", path, near));
}

std::vector<std::string> ZooNames() {
  std::vector<std::string> zoo;
  for (const ZooEntry& entry : ZooEntries()) zoo.push_back("zoo:" + entry.name);
  return zoo;
}

// A test network with a name like the file's; empty if there is none.
std::string NetworkLike(const std::string& path) {
  return Nearest("zoo:" + fs::path(path).stem().string(), ZooNames());
}

[[noreturn]] void RefuseMissingModel(const std::string& path) {
  const std::vector<std::string> zoo = ZooNames();
  const std::string bare = path.substr(path.find(':') + 1);
  if (const std::string near = Nearest("zoo:" + bare, zoo); near == "zoo:" + bare) {
    RefuseInput(fmt::format("there is no file {}; the test network of that name is {}", path, near));
  }
  const std::string like = NetworkLike(path);
  RefuseMissing(path, like.empty() ? kRightModel + FilesHere(path, ".onnx")
                                   : fmt::format("{} is a test network of `hone zoo`", like));
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
  const std::string right = "a package that `hone build` wrote would be right";
  if (path.starts_with("zoo:")) {
    RefuseInput(fmt::format("{0} is a model; `hone build {0} -o P.hone` makes a package of it", path));
  }
  if (!IsThere(path)) {
    const std::string like = NetworkLike(path);
    RefuseMissing(path, like.empty()
                            ? right + FilesHere(path, ".hone")
                            : fmt::format("`hone build {} -o P.hone` makes a package of a test network", like));
  }
  std::error_code error;
  if (fs::is_directory(path, error)) RefuseInput(fmt::format("{} is a folder; {}", path, right));
}

void RequirePageName(const std::string& path) {
  for (const std::string_view ending : {".pdf", ".png", ".json", ".csv", ".md", ".txt"}) {
    if (!path.ends_with(ending) || IsThere(path)) continue;
    const std::string stem = path.substr(0, path.size() - ending.size());
    throw Error(ExitCode::kUsage,
                fmt::format("{} is no name of a web page, as {}.html{}", path, stem,
                            ending == ".pdf" ? "; a browser prints that as PDF" : "; --json prints data"));
  }
}

void RequireFolderName(const std::string& path) {
  for (const std::string_view ending : {".c", ".h", ".o", ".a", ".so", ".hone", ".npy"}) {
    if (!path.ends_with(ending) || IsThere(path)) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{} names a file; the name of a folder for the files would be right", path));
  }
}

void RequirePackageName(const std::string& path) {
  struct OtherKind {
    std::string_view ending, way;
  };
  constexpr OtherKind kOtherKinds[] = {{".onnx", "`hone zoo` and `hone quantize` write models"},
                                       {".so", "`hone package unpack P.hone -o DIR` writes the library of a package"},
                                       {".c", kExportsCode},
                                       {".h", kExportsCode},
                                       {".o", kExportsCode},
                                       {".a", kExportsCode}};
  for (const OtherKind& other : kOtherKinds) {
    if (!path.ends_with(other.ending) || IsThere(path)) continue;
    throw Error(ExitCode::kUsage, fmt::format("{} is no name of a package, as {}.hone; {}", path,
                                              fs::path(path).stem().string(), other.way));
  }
}

}  // namespace hone
