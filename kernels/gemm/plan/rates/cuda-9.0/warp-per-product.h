/* By hand to 4 batches of 16 and 32 rows on one NVIDIA H100, 2026-11-26; `parallax tune gemm --rates` fits them anew */
/* Generated; SHA-256 of the lines below: 026ee650a7f97c9ea0c0d35ac044799ba3f41a59d2b288f381d0e681af7ebe08 */
.start_us = 3,
.depth_us = 0.5,
.bytes_per_us = 2.6e+06,
.small_us = 0.06,
.small_term_us = 0.0035,
.large_us = 0.2,
.large_term_us = 0.018,
