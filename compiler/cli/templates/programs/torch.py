"""A small training run on every GPU: a transformer learns to continue sequences of numbers.

It goes on from its last checkpoint when it starts again, and writes one when it is asked to end.
"""

import argparse
import os
import signal
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

NUMBERS = 256
LENGTH = 64


class Model(nn.Module):
    def __init__(self, width=256, layers=4):
        super().__init__()
        self.number = nn.Embedding(NUMBERS, width)
        self.place = nn.Embedding(LENGTH, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, NUMBERS)

    def forward(self, numbers):
        length = numbers.shape[1]
        places = torch.arange(length, device=numbers.device)
        future = torch.triu(torch.ones(length, length, dtype=torch.bool, device=numbers.device), diagonal=1)
        return self.head(self.layers(self.number(numbers) + self.place(places), mask=future))


def sequences(count, device):
    """Numbers that grow by the same step, each sequence by its own."""
    first, step = torch.randint(NUMBERS, (2, count, 1), device=device)
    return (first + step * torch.arange(LENGTH + 1, device=device)) % NUMBERS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=64, help="sequences of each GPU in one step")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"))
    parser.add_argument("--save_every", type=int, default=200)
    args = parser.parse_args()

    gpus = torch.cuda.is_available()
    dist.init_process_group("nccl" if gpus else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)

    model = Model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    file, done = args.checkpoints / "last.pt", 0
    if file.exists():
        state = torch.load(file, map_location=device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["steps"]
    torch.manual_seed(done * world + rank)
    parallel = DistributedDataParallel(model, device_ids=[device] if gpus else None)

    def save(steps):
        if rank == 0:
            args.checkpoints.mkdir(parents=True, exist_ok=True)
            new = file.with_suffix(".new")
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "steps": steps}, new)
            new.replace(file)
        dist.barrier()

    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    while done < args.steps:
        numbers = sequences(args.batch, device)
        guess = parallel(numbers[:, :-1])
        loss = nn.functional.cross_entropy(guess.flatten(0, 1), numbers[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1
        # all end at the same step, whoever was asked first
        end = torch.tensor([float(bool(asked))], device=device)
        dist.all_reduce(end)
        if rank == 0 and (done % 20 == 0 or done == args.steps):
            print(f"step {done} loss {loss.item():.4f} on {world} processes", flush=True)
        if end.item() or done % args.save_every == 0 or done == args.steps:
            save(done)
        if end.item():
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
