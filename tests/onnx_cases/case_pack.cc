#include "tests/onnx_cases/case_pack.h"

#include <fcntl.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <utility>

namespace hone {
namespace {

using Blobs = std::vector<std::string_view>;

std::string Unpacked(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error(path + ": no such file");
  std::string bytes;
  {
    google::protobuf::io::FileInputStream file(fd);
    google::protobuf::io::GzipInputStream stream(&file);
    const void* data = nullptr;
    int size = 0;
    while (stream.Next(&data, &size)) bytes.append(static_cast<const char*>(data), static_cast<size_t>(size));
  }
  close(fd);
  return bytes;
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

struct Placed {
  std::vector<std::string_view> tensors;
  std::vector<OnnxCase::Place> places;
};

// The tensors of values: a number's blob, "-" for none, "(1+2)" for the elements of a sequence.
Placed Tensors(const std::string& values, const Blobs& blobs) {
  Placed placed;
  const auto add = [&](const std::string& number, OnnxCase::Place place) {
    placed.tensors.push_back(number == "-" ? std::string_view() : blobs.at(std::stoul(number)));
    placed.places.push_back(place);
  };
  const std::vector<std::string> all = Split(values, ',');
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].front() != '(') {
      add(all[i], {i});
      continue;
    }
    int element = 0;
    for (const std::string& number : Split(all[i].substr(1, all[i].size() - 2), '+')) add(number, {i, element++});
  }
  return placed;
}

OnnxCase ReadCase(const std::vector<std::string>& words, const Blobs& blobs) {
  OnnxCase one{words.at(1), words.at(2), blobs.at(std::stoul(words.at(3))), {}};
  for (size_t i = 4; i < words.size(); ++i) {
    const auto parts = Split(words[i], ':');
    Placed inputs = Tensors(parts.at(0), blobs);
    one.data.push_back({std::move(inputs.tensors), Tensors(parts.at(1), blobs).tensors, std::move(inputs.places)});
  }
  return one;
}

}  // namespace

CasePack::CasePack(const std::string& path) : bytes_(Unpacked(path)) {
  Blobs blobs;
  for (size_t at = 0; at < bytes_.size();) {
    const size_t end = bytes_.find('\n', at);
    if (end == std::string::npos) throw std::runtime_error(path + ": it ends within a line");
    const auto words = Split(bytes_.substr(at, end - at), ' ');
    at = end + 1;
    if (words.at(0) == "onnx") onnx_version_ = words.at(3);
    if (words.at(0) == "case") cases_.push_back(ReadCase(words, blobs));
    if (words.at(0) != "blob") continue;
    const size_t size = std::stoul(words.at(1));
    if (size > bytes_.size() - at) throw std::runtime_error(path + ": it ends within a blob");
    blobs.push_back(std::string_view(bytes_).substr(at, size));
    at += size + 1;
  }
}

}  // namespace hone
