/* By the fit of `parallax tune gemm --rates` to 4915 times of forced cuts, which a test program took on two NVIDIA
 * H200s, driver 580.159: off by 9.5 % typically; bytes_per_us[0] was in none of them and stands where it began */
/* Generated; SHA-256 of the lines below: bbda5c6aae4fcb816d8f31f5bc65744056f5aeeb78d0dfe74fabd96bc3301e4a */
.start_us = 1.0047, .turn_us[0] = 0.45435, .turn_us[1] = 0.22973, .busy[0] = 0.25331, .busy[1] = 0.0018267,
                    .work_us[0] = 0.0078064, .work_us[1] = 0.0098355, .stage_us[0] = 0.35904, .stage_us[1] = 1.1644,
                    .end_us[0] = 0.23915, .end_us[1] = 0.18842, .beside[0] = 1.6344, .beside[1] = 1.4596,
                    .uneven = 0.89931, .joining_us = 1.1012, .part_us = 0.10149, .part_bytes_per_us = 7.5508e+05,
                    .bytes_per_us[0] = 6.5e+06, .bytes_per_us[1] = 9.3853e+06, .bytes_per_us[2] = 1.0211e+07,
                    .bytes_per_us[3] = 1.0823e+07, .bytes_per_us[4] = 1e+09,
