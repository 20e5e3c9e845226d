#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "core/error.h"
#include "core/failure.h"
#include "core/text/printable.h"
#include "rpc_runner/executor/child_process.h"
#include "rpc_runner/executor/executor.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/executor/kernel_job.h"
#include "rpc_runner/executor/memory/region_cache.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/executor/package_job.h"
#include "rpc_runner/executor/sandbox/sandbox.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/machine/cpus.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/blob_store.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"
#include "runtime/session.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

// The load average of the last minute, without reading files, since an executor has none.
double LoadAverage() {
  struct sysinfo system{};
  return sysinfo(&system) == 0 ? static_cast<double>(system.loads[0]) / (1 << SI_LOAD_SHIFT) : 0;
}

// No roof under an emulator, whose arithmetic says nothing of the machine.
std::optional<ArithmeticRoof> RoofOf(const Environment& environment, const ExecutorOptions& options) {
  if (environment.emulated || !options.emulator.empty()) return std::nullopt;
  return ArithmeticRoof(environment.features);
}

// Serves one socketpair until the other side closes it.
class Executor {
 public:
  // Reads all files that it needs, then confines the process. Throws Error as Confine does.
  Executor(int fd, const ExecutorOptions& options)
      : fd_(fd),
        pin_(!options.cores.empty()),
        caps_(CapsOf(options)),
        environment_(ProbeEnvironment()),
        lock_(CpusToPin()),
        confinement_(Confine(options.user)),
        nursery_(fd),
        jobs_(nursery_, environment_.cores, pin_, caps_, lock_, RoofOf(environment_, options)),
        packages_(caps_.cache_bytes) {
    environment_.isolation = ProbeIsolation() + confinement_ + (nursery_.is_apart() ? ",fresh" : "");
    environment_.emulated = environment_.emulated || !options.emulator.empty();
  }

  void Serve() {
    Frame frame;
    while (ReadFrame(fd_, &frame)) {
      if (!Handle(frame)) return;
    }
  }

 private:
  bool Handle(const Frame& frame) {
    switch (frame.kind) {
      case FrameKind::kDescribe:
        return WriteFrame(fd_, {FrameKind::kEnvironment, {{"environment", ToJson(environment_)}}, {}});
      case FrameKind::kJob:
        return TakeJob(frame);
      case FrameKind::kBlob:
        return TakeBlob(frame);
      default:
        return WriteFrame(fd_, ErrorFrame("bad_frame", "an executor takes describe, job and blob"));
    }
  }

  bool TakeJob(const Frame& frame) {
    JobMessage message;
    try {
      message = JobFromFrame(frame);
    } catch (const Error& error) {
      return WriteFrame(fd_, JobErrorFrame("unsupported_job", error.what(), frame.header));
    }
    if (message.runtime) {
      return WriteFrame(fd_, JobErrorFrame("unsupported_job", "an executor runs no other runtimes", frame.header));
    }
    if (message.package) {
      packages_waiting_.push_back(std::move(message));
      return RunPackages();
    }
    if (!message.job.reference.elf.empty()) blobs_.Insert(message.reference_sha256, message.job.reference.elf);
    const std::string* reference = blobs_.Find(message.reference_sha256);
    if (reference == nullptr) {
      const Frame need = NeedFrame(message.id, message.reference_sha256);
      waiting_.push_back(std::move(message));
      return WriteFrame(fd_, need);
    }
    message.job.reference.elf = *reference;
    return RunJob(message);
  }

  bool TakeBlob(const Frame& frame) {
    if (IsPiece(frame)) return TakePiece(PieceFromFrame(frame));
    std::string sha256;
    const std::string bytes = BlobFromFrame(frame, &sha256);
    blobs_.Insert(sha256, bytes);
    std::deque<JobMessage> waiting;
    waiting.swap(waiting_);
    for (JobMessage& message : waiting) {
      if (message.reference_sha256 != sha256) {
        waiting_.push_back(std::move(message));
        continue;
      }
      message.job.reference.elf = bytes;
      if (!RunJob(message)) return false;
    }
    return true;
  }

  bool RunJob(JobMessage& message) {
    const int64_t asked_ns = message.job.timing.deadline_ns;
    ApplyCaps(caps_, &message.job.timing);
    return Answer(message, asked_ns, jobs_.Run(message.job, message.reference_sha256));
  }

  // Runs the packages that have all they need, in order. The first that lacks something asks for it.
  bool RunPackages() {
    while (!packages_waiting_.empty()) {
      JobMessage& message = packages_waiting_.front();
      for (const auto& [blob, region] :
           {std::pair(&message.package->params, &data_.params), std::pair(&message.package->inputs, &data_.inputs)}) {
        if (!*blob || (*blob)->size_bytes == 0 || *region) continue;
        const std::string& sha256 = (*blob)->sha256;
        *region = packages_.Find(sha256);
        if (!*region) return WriteFrame(fd_, NeedPieceFrame(message.id, sha256, packages_.ReceivedBytes(sha256)));
      }
      if (!RunPackage(message)) return false;
      NextPackage();
    }
    return true;
  }

  void NextPackage() {
    packages_waiting_.pop_front();
    data_ = {};
  }

  bool TakePiece(const BlobPiece& piece) {
    if (packages_waiting_.empty()) return true;
    const JobMessage& message = packages_waiting_.front();
    try {
      for (const std::optional<Blob>* blob : {&message.package->params, &message.package->inputs}) {
        if (*blob && (*blob)->sha256 == piece.sha256) packages_.Take(piece, (*blob)->size_bytes);
      }
    } catch (const std::exception& error) {
      JobResult failed{0, FailedMeasurement(FailureOf(error, Fate::kUnsupported))};
      if (!Answer(message, 0, std::move(failed))) return false;
      NextPackage();
    }
    return RunPackages();
  }

  bool RunPackage(JobMessage& message) {
    const int64_t asked_ns = message.package->timing.deadline_ns;
    ApplyCaps(caps_, &message.package->timing);
    JobResult done;
    if (std::string why = CheckPackageJob(*message.package, environment_.cores); !why.empty()) {
      done.measurement = FailedMeasurement(Fate::kUnsupported, 0, why);
    } else {
      done = RunPackageJob(*message.package, data_, nursery_, pin_, lock_);
      done.measurement.noisy = done.measurement.noisy || AllowedCores() < environment_.cores;
    }
    return Answer(message, asked_ns, std::move(done));
  }

  bool Answer(const JobMessage& message, int64_t asked_ns, JobResult done) {
    NameCap(caps_, asked_ns, &done.measurement);
    ResultMessage result{message.id, message.attempt, std::move(done.measurement), std::move(done.cost),
                         std::move(done.outputs)};
    result.measurement.environment = environment_;
    result.measurement.environment.load = LoadAverage();
    return WriteFrame(fd_, ResultToFrame(result));
  }

  const int fd_;
  const bool pin_;
  const JobCaps caps_;
  Environment environment_;
  CoreLock lock_;
  const std::string confinement_;
  Nursery nursery_;  // confined, and forked before any job arrives
  KernelJobRunner jobs_;
  BlobStore blobs_;
  std::deque<JobMessage> waiting_;  // for their reference
  BlobCache packages_;
  std::deque<JobMessage> packages_waiting_;
  PackageData data_;  // the first job's blobs that are here; held, because later blobs may evict them from the cache
};

void UseCores(const std::vector<int>& cores) {
  if (cores.empty() || BindTo(cores)) return;
  throw Error(ExitCode::kBadConfig, fmt::format("cores {} are not all ours to use", fmt::join(cores, ",")));
}

// Each region that is kept between jobs is a descriptor. A job's child may have none, independent of this limit.
void AllowManyDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 8192));
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// By default the allocator keeps hundreds of megabytes of freed tensors. If this process forks the jobs' children
// itself, the page tables of all of it are copied. A fork and its end then take 25 ms instead of 1.
void KeepHeapSmall() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

}  // namespace

int ExecutorMain(int fd, const ExecutorOptions& options) {
  // Candidates must not inherit descriptors of the parent.
  CloseAllBut(fd, 3);
  KeepHeapSmall();
  AllowManyDescriptors();
  signal(SIGPIPE, SIG_IGN);
  try {
    UseCores(options.cores);
    Executor(fd, options).Serve();
    return static_cast<int>(ExitCode::kDone);
  } catch (const ParentGone&) {
    return static_cast<int>(ExitCode::kDone);
  } catch (const Error& error) {
    WriteToStderr(ErrorLine("hone-runner", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    WriteToStderr(ErrorLine("hone-runner", error.what()));
    return static_cast<int>(ExitCode::kBug);
  }
}

}  // namespace hone
