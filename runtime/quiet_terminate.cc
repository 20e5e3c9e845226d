// How libhone.so and libhone.a end a program whose exception nobody catches, which is a bug of theirs. libstdc++'s own
// way prints the exception's type in C++, and the demangler for that is 45 KB: a tenth of the library.
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
// libstdc++'s variable of this name lies in a file of its archive that is left out when the name is known already.
extern std::terminate_handler __terminate_handler;  // NOLINT(bugprone-reserved-identifier)
std::terminate_handler __terminate_handler = SayWhatAndAbort;
}  // namespace __cxxabiv1
