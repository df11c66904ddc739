/* By the fit of `parallax tune gemm --rates` to 2858 times of forced cuts, which a test program took on two NVIDIA
 * H200s, driver 580.159: off by 4.8 % typically */
/* Generated; SHA-256 of the lines below: 6415925d0513595adb52b620ba2a3ac6fe8886761b8c8e9566016b66c44a16da */
.once_us = 2.1977, .counts[0] = 1.35, .counts[1] = 1.0522, .row_us[0] = 5.7427e-06, .row_us[1] = 3.4978e-08,
                   .bytes_per_us = 3.3168e+06, .repack_us = 2.4829, .repack_bytes_per_us = 3.6017e+06, .join_us = 0.05,
                   .unit_bytes_per_us = 78172, .tiles[0].two = 0.82885, .tiles[0].one = 0.74876,
                   .tiles[0].start_us = 4.068, .tiles[0].transposed_us = 0.15151, .tiles[1].two = 0.76539,
                   .tiles[1].one = 0.65075, .tiles[1].start_us = 2.4769, .tiles[1].transposed_us = 0.23143,
                   .tiles[2].two = 0.67556, .tiles[2].one = 0.55698, .tiles[2].start_us = 1.8423,
                   .tiles[2].transposed_us = 0.063057,
