// The task of a job's process, for a kernel or a package, as bytes.
#pragma once

#include "core/artifact.h"
#include "rpc_runner/executor/memory/byte_packer.h"
#include "rpc_runner/runner.h"

namespace hone {

void PackArtifact(const Artifact& artifact, BytePacker& packer);
Artifact UnpackArtifact(ByteUnpacker& unpacker);

// Leaves out the group, and all of the blobs but whether they exist.
void PackPackage(const PackageJob& job, BytePacker& packer);
PackageJob UnpackPackage(ByteUnpacker& unpacker);

}  // namespace hone
