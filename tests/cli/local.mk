# The program: its answers, its exit statuses, values that it refuses.
long_tests += tests/cli/test_judge_kernel.sh tests/cli/test_judge_captured.sh
EXTRA_DIST += tests/cli/judging.sh
script_tests += tests/cli/test_cli.sh tests/cli/test_plugins.sh tests/cli/test_attribute.sh tests/cli/test_attribute_file.sh tests/cli/test_values.sh tests/cli/test_verbs.sh tests/cli/test_judge.sh tests/cli/test_batches.sh tests/cli/test_recipe.sh tests/cli/test_draft.sh tests/cli/test_tune_file.sh tests/cli/test_judge_triton.sh tests/cli/test_judge_function.sh tests/cli/test_judge_phases.sh tests/cli/test_judge_source.sh tests/cli/test_judge_stopped.sh tests/cli/test_judge_memory.sh tests/cli/test_judge_once.sh tests/cli/test_challenge.sh tests/cli/test_privileges.sh tests/cli/test_success.sh tests/cli/test_completion.sh tests/cli/test_widths.sh tests/cli/test_explain.sh tests/cli/test_words.sh

# What builds that watch it rely on.
script_tests += tests/cli/test_ci.sh tests/cli/test_interrupt.sh

# What the environment asks of threads and drivers.
script_tests += tests/cli/test_threads.sh tests/cli/test_variables.sh tests/cli/test_without_gpu.sh
