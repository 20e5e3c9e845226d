// Names mistakes about the files of models and packages, and about the names of new files.
#pragma once

#include <string>

namespace hone {

// Throws Error, naming the way to a model, for what is most likely a mistake: kNoInput for an address of the web, a
// folder, and a file that does not exist; kBadData for files of other programs, images and packages. `path` is neither
// zoo:NAME nor a .relay file.
void RequireOnnxFile(const std::string& path);
// Throws Error(kNoInput) for zoo:NAME, a folder, and a file that does not exist.
void RequirePackageFile(const std::string& path);
// Throws Error(kUsage) for the name of a new page that says another kind of file: report.pdf.
void RequirePageName(const std::string& path);
// Throws Error(kUsage) for the name of a new folder that says a file: lib.c.
void RequireFolderName(const std::string& path);
// Throws Error(kUsage) for the name of a new package that says another kind of file: P.onnx, P.so.
void RequirePackageName(const std::string& path);

}  // namespace hone
