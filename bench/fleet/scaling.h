// The cost of a pool of runners itself: a table without goals.
#pragma once

namespace hone::bench {

// Runs `jobs` jobs per runner that sleep 20 ms each, on 1 to 16 runners in this process, with a tracker without keys in
// another. Prints the jobs per second next to what the runners could do. Prints also the CPU time of everything per
// job, and the least and most jobs of a runner.
void PrintScaling(int jobs);

}  // namespace hone::bench
