// A program whose trial never ends.
#include <unistd.h>

int main() {
  for (;;) pause();
}
