# What package managers build from, and what they need of make.
EXTRA_DIST += packaging/spack packaging/conda packaging/container packaging/debian
