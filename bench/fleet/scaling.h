// What a pool of runners costs by itself: a table, no goal.
#pragma once

namespace hone::bench {

// Runners that sleep 20 ms for each of their `jobs`, 1 to 16 of them in this process, with a tracker without keys in
// another one. Prints jobs a second next to what the runners could do, the processor time that the whole of it takes
// per job, and how many jobs each did at least and at most.
void PrintScaling(int jobs);

}  // namespace hone::bench
