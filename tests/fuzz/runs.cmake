# The libFuzzer targets as tests. They are built apart, by clang with sanitizers, and each runs for a while from its
# seeds. Building them takes as long as a fifth of all other tests, so only the label soak has them. Without clang they
# are skipped.
set(fuzz ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh)
add_test(NAME fuzz.build COMMAND ${fuzz} build)
set_tests_properties(fuzz.build PROPERTIES FIXTURES_SETUP fuzz_targets SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 3600 LABELS soak)
foreach(name frame job_message onnx package record relay_text tracker_state)
  add_test(NAME fuzz.${name} COMMAND ${fuzz} ${name} 900)
  set_tests_properties(fuzz.${name} PROPERTIES FIXTURES_REQUIRED fuzz_targets SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS soak)
endforeach()
