# Spack's recipe.  Out of a repository of its own:
#     mkdir -p REPO/packages/parallax && cp package.py REPO/packages/parallax/
#     spack repo add REPO && spack install parallax
from spack.package import *


class Parallax(AutotoolsPackage):
    """Reduce, transpose, matrix-vector and matrix products through CUDA, OpenCL and the CPU, from
    one library whose backends are plugins; results are judged against proven bounds, and only what
    is right is timed."""

    license("Apache-2.0")

    version("0.1.0")
    version("main", branch="main")

    variant("cuda", default=False, description="plugin for CUDA")
    variant(
        "cuda_arch",
        default="all",
        when="+cuda",
        description="GPUs that get machine code: all, or 80,90",
        values=lambda word: word == "all" or word.replace(",", "").isalnum(),
    )
    variant("cublas", default=False, when="+cuda", description="plugin for cuBLAS")
    variant("opencl", default=True, description="plugin for OpenCL")
    variant("openblas", default=False, description="plugin for OpenBLAS")
    variant("study", default=True, description="libparallax-study and the program")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cublas")
    depends_on("autoconf", type="build", when="@main")
    depends_on("automake", type="build", when="@main")
    depends_on("libtool", type="build", when="@main")
    depends_on("pkgconfig", type="build")
    depends_on("jansson@2.10:", when="+study")
    depends_on("cuda@12:", when="+cuda")
    depends_on("xz", when="+cuda")
    depends_on("opencl-headers", type="build", when="+opencl")
    depends_on("openblas threads=openmp", when="+openblas")

    def autoreconf(self, spec, prefix):
        Executable("./bootstrap")()

    def configure_args(self):
        args = self.with_or_without("opencl")
        args += self.with_or_without("openblas")
        if self.spec.satisfies("+cuda"):
            args.append("--with-cuda=%s" % self.spec["cuda"].prefix)
            args.append("--with-cuda-arch=%s" % self.spec.variants["cuda_arch"].value)
        else:
            args.append("--without-cuda")
        args += self.with_or_without("cublas")
        args.append("--without-clblast")
        args.append("--enable-study" if self.spec.satisfies("+study") else "--disable-study")
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("+study"):
            Executable(self.prefix.bin.parallax)("check", "--quick", "--backend", "host")
