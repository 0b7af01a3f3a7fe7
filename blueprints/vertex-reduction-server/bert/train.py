"""A BERT-like encoder on made-up tokens, trained by PyTorch with data parallelism: what a Reduction Server is measured with.

Rank 0 tells the samples of each second. Gradients go in buckets of --bucket_cap_mb, so that messages are large.
"""
import argparse
import os
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bucket_cap_mb", type=int, default=64)
    parser.add_argument("--output", type=Path, default=Path("/tmp"))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=8)
    return parser.parse_args()


class Model(nn.Module):
    """24 layers of 1024, as BERT large has them."""

    def __init__(self, vocabulary: int = 30522, width: int = 1024) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        layer = nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 24, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(self.embed(tokens)))


def main() -> None:
    args = arguments()
    torch.distributed.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    model = DistributedDataParallel(Model().to(device), device_ids=[device.index], bucket_cap_mb=args.bucket_cap_mb)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    first, world = torch.distributed.get_rank() == 0, torch.distributed.get_world_size()
    kept, begun = args.output / "checkpoint.pt", 0
    if kept.exists():
        state = torch.load(kept, map_location=device)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        begun = state["step"]
    for step in range(begun, args.steps):
        began = time.perf_counter()
        tokens = torch.randint(30522, (args.batch, 512), device=device)
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        if first:
            print(f"step {step}: loss {loss.item():.3f}, {args.batch * world / (time.perf_counter() - began):.0f} samples a second", flush=True)
            if (step + 1) % 50 == 0:
                state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
                torch.save(state, kept.with_suffix(".part"))
                kept.with_suffix(".part").replace(kept)
    torch.distributed.destroy_process_group()


main()
