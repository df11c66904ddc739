/* By hand to times on one NVIDIA H200, of edges 1.04 to 1.06, 2026-11-22 */
/* Generated; SHA-256 of the lines below: 5eff16db221f5a6d75fb928202a965ea1416f0c44b69cb20c8e2a0e7a3846e3f */
.meeting_us = 2,
.read_bytes_per_us = 60000,
.cached_bytes = 3.2e+07,
.cached_bytes_per_us = 2e+07,
.written_bytes_per_us = 1.7e+06,
.beside_edges = 1.05,
