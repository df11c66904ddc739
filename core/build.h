/* What a result depends on besides the device: the version, the kernels' sources, the
 * compilers.  Private to the core; the texts are in a file that build-aux/build-facts
 * makes. */
#ifndef PLX_CORE_ENVIRONMENT_H
#define PLX_CORE_ENVIRONMENT_H

extern const char plx_kernels_hash[]; /* SHA-256 over every file below kernels/ */
extern const char plx_compiler[];     /* its first line about itself */
extern const char plx_compiler_flags[];
extern const char plx_device_compiler[]; /* of device code; "" when there was none */
extern const char plx_device_flags[];

#endif
