/* By hand: shares of an NVIDIA H200's multiprocessors on which clusters of 4 and 8 have places, by times of `parallax tune gemm`, 2026-11-21 */
/* Generated; SHA-256 of the lines below: 7664a23bf6a7ce48fa3bab60c2b75c10a5046e2135e81c9c5e44c96f2575b92c */
.of_4 = 0.919,
.of_8 = 0.91,
