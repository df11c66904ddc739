/* By the fit of `parallax tune gemm --rates` to 336 times of forced cuts, which a test program took on two NVIDIA H200s, driver 580.159: off by 17.2 % typically */
/* Generated; SHA-256 of the lines below: 3d974033334ba91819d366c2c57e9f0486304b574ac11619867b32620e78bb3e */
.start_us = 2.6254,
.term_us = 0.096898,
.bytes_per_us = 5.2073e+06,
.share = 0.37041,
.counts[0] = 1.1305,
.counts[1] = 1.5755,
