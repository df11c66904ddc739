/* The commands that meet faults: every verb, with what it reads and writes.  They run in a box that has a file
 * of numbers, results, and a cache with a choice that was tuned. */
#include "tests/faults/inject.h"

#define I32 "--dtype", "i32"
#define FAULTY "--backend", "faulty", "--kernel", "right", "--kernel", "same"

const fault_command commands[] = {
    {.words = {"--version"}},
    {.words = {"help", "run"}},
    {.words = {"completion", "bash"}},
    {.words = {"list", "--json", "list.json"}, .outputs = {"list.json"}, .answers = true, .needs_memory = true},
    {.words = {"list", "kernels", "reduce"}},
    {.words = {"list", "devices", "--json", "-"}, .answers = true, .needs_memory = true},
    {.words = {"list"}, .environment = {"PLX_PROBE=child"}, .answers = true, .needs_memory = true},
    {.words = {"list"}, .environment = {"PLX_PROBE=child"}, .answers = true, .needs_memory = true, .keeps_cache = true},
    {.words = {"doctor"}, .answers = true},
    {.words = {"explain", "reduce/right"}, .answers = true},
    {.words = {"run", "reduce", "100", I32, "--backend", "host"}},
    {.words = {"run", "reduce", "100", I32, "--backend", "faulty"}},
    {.words = {"run", "transpose", "--in", "x.npy", I32, "--backend", "host", "--out", "y.npy"}, .outputs = {"y.npy"}},
    {.words = {"run", "transpose", "--in", "x.npy", I32, "--backend", "host", "--out", "y.npy"},
     .outputs = {"y.npy"},
     .has_rest = true},
    {.words = {"compare", "reduce", "10", I32, FAULTY, "--no-timing", "--json", "c.json", "--csv", "c.csv"},
     .outputs = {"c.json", "c.csv"},
     .has_rest = true},
    {.words = {"compare", "reduce", "10", I32, "--backend", "host", "--backend", "faulty", "--no-timing", "--json",
               "-"}},
    {.words = {"check", "reduce", I32, FAULTY, "--quick", "--case", "3", "--json", "check.json"},
     .outputs = {"check.json"}},
    {.words = {"check", "reduce", I32, "--backend", "faulty", "--kernel", "wrong", "--quick", "--case", "3",
               "--save-failure", "failures"}},
    {.words = {"bench", "reduce", "--shape", "10", "--shape", "20", I32, FAULTY, "--no-timing", "--json", "bench.json"},
     .outputs = {"bench.json"}},
    {.words = {"bench", "reduce", "--shape", "10", "--shape", "20", I32, FAULTY, "--no-timing", "--json", "half.json"},
     .outputs = {"half.json"}},
    {.words = {"tune", "list"}},
    {.words = {"tune", "forget"}},
    {.words = {"tune", "reduce", "10", I32, FAULTY, "--seconds", "0.001", "--budget", "0.001"}, .is_timed = true},
    {.words = {"compare", "reduce", "10", I32, FAULTY, "--seconds", "0.001", "--json", "t.json"},
     .outputs = {"t.json"},
     .is_timed = true},
    {.words = {"judge", "transpose", "--in", "x.npy", "--result", "turned.npy", "--json", "v.json", "--junit", "v.xml"},
     .outputs = {"v.json", "v.xml"}},
    {.words = {"judge", "cases", "--quiet", "--json", "v.json"}, .outputs = {"v.json"}},
    {.words = {"judge", "gemm", "--recipe", "recipe.json", "--print", "--json", "l.json"}, .outputs = {"l.json"}},
    {.words = {"challenge", "reduce", I32, "-o", "made"}},
    {.words = {"diff", "half.json", "half.json", "--json", "d.json"}, .outputs = {"d.json"}},
    {.words = {"report", "results.json", "-o", "r.html"}, .outputs = {"r.html"}},
    {.words = {"report", "results.json", "half.json", "-o", "r.html"}, .outputs = {"r.html"}, .has_rest = true},
    {.words = {"report", "--markdown", "probes.json"}},
    {.words = {"report", "results.json", "--plot", "ladder-gemm", "-o", "p.gp"}, .outputs = {"p.gp"}},
    {.words = {"probe", "shared", "--backend", "faulty", "--seconds", "0.001", "--json", "s.json", "--csv", "s.csv"},
     .outputs = {"s.json", "s.csv"},
     .environment = {"FAULTY_OP=probe"},
     .is_timed = true},
    {.words = {"attribute", "reduce", "100", "--json", "a.json"}, .outputs = {"a.json"}, .answers = true},
#define OF_DRIVER(name, reduction)                                                                                   \
    {.words = {"list"}, .driver = name, .answers = true},                                                            \
        {.words = {"list"},                                                                                          \
         .driver = name,                                                                                             \
         .answers = true,                                                                                            \
         .environment = {"PLX_PROBE=child", "PLX_PROBE_SECONDS=20"}},                                                \
        {.words = {"doctor"}, .driver = name, .answers = true},                                                      \
        {.words = {"run", "reduce", "10", I32, "--backend", name, "--kernel", reduction}, .driver = name},           \
        {.words = {"run", "transpose", "--in", "x.npy", I32, "--backend", name, "--kernel", "naive", "--out",        \
                   "y.npy"},                                                                                         \
         .outputs = {"y.npy"},                                                                                       \
         .driver = name},                                                                                            \
        {.words = {"compare", "matvec", "5x6", "--backend", name, "--backend", "host", "--kernel", "row-per-thread", \
                   "--kernel", "reference", "--no-timing"},                                                          \
         .driver = name},                                                                                            \
        {.words = {"compare", "gemm", "5x6x7", "--backend", name, "--backend", "host", "--kernel", "naive",          \
                   "--kernel", "reference", "--no-timing", "--json", "c.json"},                                      \
         .outputs = {"c.json"},                                                                                      \
         .driver = name},                                                                                            \
        {.words = {"check", "reduce", I32, "--backend", name, "--kernel", reduction, "--quick", "--case", "3"},      \
         .driver = name},                                                                                            \
    {                                                                                                                \
        .words = {"bench",    "reduce",  "--shape",   "10",       I32,      "--backend", name,                       \
                  "--kernel", reduction, "--seconds", "0.000001", "--json", "b.json"},                               \
        .outputs = {"b.json"}, .driver = name, .is_timed = true                                                      \
    }
    OF_DRIVER("cuda", "gmem"),
    OF_DRIVER("opencl", "gmem"),
};
const size_t command_count = sizeof commands / sizeof commands[0];
