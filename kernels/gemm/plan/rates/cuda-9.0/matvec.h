/* By hand to times on one NVIDIA H200, 2026-11-23; `parallax tune gemm --rates` fits them anew */
/* Generated; SHA-256 of the lines below: ef6deb31893e47e8f2b5552a355339d781b6c005dae124a9e0c45cb53cb99450 */
.start_us = 2.5,
.move_us = 2.4,
.start_half_us = 3,
.move_half_us = 3.1,
.bytes_per_us = 4.2e+06,
.sector_bytes = 32,
