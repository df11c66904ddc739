# parallax judge gemm --source kernelbench.py --entry ModelNew --backend cuda --shape 4096x4096x4096
#
# A class as KernelBench has them: what forward() returns is copied to the judge's memory, and the copy counts.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)
