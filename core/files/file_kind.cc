#include "core/files/file_kind.h"

namespace hone {
namespace {

struct Kind {
  size_t at;
  std::string_view mark;
  const char* what;
};

constexpr std::string_view Bytes(const char* bytes, size_t size) { return {bytes, size}; }

constexpr const char* kPickle =
    "is a pickle of Python; its model exported to ONNX (torch.onnx.export, skl2onnx) would be right";

constexpr Kind kKinds[] = {
    // Safetensors are read. The length that they begin with may look like a pickle.
    {8, Bytes("{\"", 2), ""},
    {0, Bytes("\x1f\x8b", 2), "is compressed by gzip; `gunzip` unpacks it"},
    {0, Bytes("\x28\xb5\x2f\xfd", 4), "is compressed by zstd; `zstd -d` unpacks it"},
    {0, Bytes("\xfd\x37zXZ\0", 6), "is compressed by xz; `unxz` unpacks it"},
    {0, Bytes("BZh", 3), "is compressed by bzip2; `bunzip2` unpacks it"},
    {0, Bytes("\x04\x22\x4d\x18", 4), "is compressed by lz4; `lz4 -d` unpacks it"},
    {0, Bytes("PK\x03\x04", 4),
     "is a zip archive; what is in it, or a PyTorch model exported to ONNX (torch.onnx.export), would be right"},
    {0, Bytes("7z\xbc\xaf\x27\x1c", 6), "is a 7-Zip archive; what is in it would be right"},
    {257, Bytes("ustar", 5), "is a tar archive; what is in it would be right"},
    {0, Bytes("\x89HDF\r\n\x1a\n", 8),
     "is an HDF5 file; a Keras model exported to ONNX (python -m tf2onnx.convert) would be right"},
    {4, Bytes("TFL3", 4), "is a TensorFlow Lite model; `python -m tf2onnx.convert --tflite` makes ONNX of it"},
    {0, Bytes("GGUF", 4),
     "is a GGUF file of weights alone; the model that they came from, exported to ONNX, would be right"},
    {0, Bytes("\x80\x02\x8a\x0a\x6c\xfc", 6),
     "is a pickle of PyTorch; the model exported to ONNX (torch.onnx.export) would be right"},
    {0, Bytes("\x80\x02", 2), kPickle},
    {0, Bytes("\x80\x03", 2), kPickle},
    {0, Bytes("\x80\x04\x95", 3), kPickle},
    {0, Bytes("%PDF-", 5), "is a PDF document"},
    {0, Bytes("<!DOCTYPE", 9), "is a web page, perhaps in the place of a download"},
    {0, Bytes("<html", 5), "is a web page, perhaps in the place of a download"},
    {0, Bytes("version https://git-lfs", 23), "is a pointer of Git LFS; `git lfs pull` fetches the file"},
    {0, Bytes("\xff\xfe", 2), "is text in UTF-16; UTF-8 would be right"},
};

}  // namespace

std::string KindThatIsNeverRead(std::string_view begin) {
  for (const Kind& kind : kKinds) {
    if (begin.size() >= kind.at && begin.substr(kind.at).starts_with(kind.mark)) return kind.what;
  }
  return "";
}

}  // namespace hone
