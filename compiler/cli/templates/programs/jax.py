"""A small training run on every chip of a slice: a network learns to continue sequences of numbers.

It goes on from its last checkpoint when it starts again.
"""

import argparse
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

NUMBERS = 256
SEEN = 16
WIDTH = 512


def parameters(key):
    shapes = {"number": (NUMBERS, WIDTH), "first": (SEEN * WIDTH, WIDTH), "second": (WIDTH, WIDTH), "head": (WIDTH, NUMBERS)}
    keys = jax.random.split(key, len(shapes))
    return {name: jax.random.normal(k, shape) * shape[0] ** -0.5 for k, (name, shape) in zip(keys, shapes.items())}


def loss(weights, numbers):
    x = weights["number"][numbers[:, :-1]].reshape(len(numbers), -1)
    x = jax.nn.gelu(x @ weights["first"])
    x = jax.nn.gelu(x @ weights["second"])
    return optax.softmax_cross_entropy_with_integer_labels(x @ weights["head"], numbers[:, -1]).mean()


def sequences(key, count):
    """Numbers that grow by the same step, each sequence by its own."""
    first, step = jax.random.randint(key, (2, count, 1), 0, NUMBERS)
    return (first + step * jnp.arange(SEEN + 1)) % NUMBERS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=256, help="sequences of each chip in one step")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"))
    parser.add_argument("--save_every", type=int, default=200)
    args = parser.parse_args()

    if "," in os.environ.get("TPU_WORKER_HOSTNAMES", ""):
        jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    everywhere = NamedSharding(mesh, PartitionSpec())
    dealt = NamedSharding(mesh, PartitionSpec("data"))

    optimizer = optax.adam(3e-4)
    weights = parameters(jax.random.key(0))
    state, done = (weights, optimizer.init(weights)), 0
    file = args.checkpoints / "last.npz"
    leaves, shape = jax.tree.flatten(state)
    if file.exists():
        with np.load(file) as saved:
            leaves = [saved[str(at)] for at in range(len(leaves))]
            done = int(saved["steps"])
    place = lambda leaf: jax.make_array_from_callback(np.shape(leaf), everywhere, lambda at: np.asarray(leaf)[at])
    state = jax.tree.unflatten(shape, [place(leaf) for leaf in leaves])

    @jax.jit
    def step(state, number):
        weights, moments = state
        numbers = sequences(jax.random.key(number), args.batch * len(jax.devices()))
        numbers = jax.lax.with_sharding_constraint(numbers, dealt)
        value, gradient = jax.value_and_grad(loss)(weights, numbers)
        update, moments = optimizer.update(gradient, moments)
        return (optax.apply_updates(weights, update), moments), value

    while done < args.steps:
        state, value = step(state, done)
        done += 1
        if jax.process_index() == 0:
            if done % 20 == 0 or done == args.steps:
                print(f"step {done} loss {float(value):.4f} on {len(jax.devices())} chips", flush=True)
            if done % args.save_every == 0 or done == args.steps:
                args.checkpoints.mkdir(parents=True, exist_ok=True)
                new = file.with_name("new.npz")
                np.savez(new, steps=done, **{str(at): np.asarray(leaf) for at, leaf in enumerate(jax.tree.leaves(state))})
                new.replace(file)


if __name__ == "__main__":
    main()
