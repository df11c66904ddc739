/* By the fit of `parallax tune gemm --rates` to 3412 times of forced cuts, which a test program took on one NVIDIA
 * H200, driver 580.159: off by 9.3 % typically */
/* Generated; SHA-256 of the lines below: 1407dfb2ae0682b1f53c92f2d286844c5166d4c98173aa3ef7617be57491c741 */
.once_us = 0.79222,
    .counts[0] = 1.35, .counts[1] = 1.0522, .row_us[0] = 4.286e-06, .row_us[1] = 4.407e-06, .bytes_per_us = 3.3168e+06,
    .repack_us = 2.7803, .repack_bytes_per_us = 3.4949e+06, .cluster_us = 1.4003, .cluster_two_us = 0.024229,
    .cluster_one_us = 0.00048482, .edge_panel_us = 1.5638, .edge_bytes_per_us = 3480.3, .adding.launch_us = 1.4314,
    .adding.part_us = 0.018732, .adding.bytes_per_us = 1.0247e+07, .adding.least_us = 6.2297, .tiles[0].two = 0.82039,
    .tiles[0].one = 0.74171, .tiles[0].start_us = 5.0531, .tiles[0].transposed_us = 0.23632, .tiles[1].two = 0.78131,
    .tiles[1].one = 0.69718, .tiles[1].start_us = 3.2574, .tiles[1].transposed_us = 0.026739, .tiles[2].two = 0.66247,
    .tiles[2].one = 0.60888, .tiles[2].start_us = 2.2522, .tiles[2].transposed_us = 0.018317, .tiles[3].two = 0.64167,
    .tiles[3].one = 0.59549, .tiles[3].start_us = 2.3275, .tiles[3].transposed_us = 0.24606, .tiles[4].two = 0.58872,
    .tiles[4].one = 0.54485, .tiles[4].start_us = 2.0082, .tiles[4].transposed_us = 0.1788,
