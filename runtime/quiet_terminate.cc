// The end of a program in which libhone.so or libhone.a leaves an exception uncaught, which is a bug of theirs. The
// handler of libstdc++ prints the exception's C++ type, and its demangler takes 45 KB: a tenth of the library.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>

namespace {

void Say(const char* text) { [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text)); }

[[noreturn]] void SayWhatAndAbort() {
  Say("libhone: uncaught exception: ");
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    Say("none");
  } catch (const std::exception& error) {
    Say(error.what());
  } catch (...) {
    Say("of another type");
  }
  Say("\n");
  std::abort();
}

}  // namespace

namespace __cxxabiv1 {
// libstdc++ defines this variable in an archive member of its own, which is left out if the name is already defined.
extern std::terminate_handler __terminate_handler;  // NOLINT(bugprone-reserved-identifier)
std::terminate_handler __terminate_handler = SayWhatAndAbort;
}  // namespace __cxxabiv1
