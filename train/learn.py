"""Learns a net from samples on a GPU (or on processors), for `quadrille train GAME --learner "python3 train/learn.py"`.

usage: learn.py SAMPLES NET EPOCHS

Needs PyTorch. The samples are those of `train/src/export.rs`; the net is the file that the engine reads. What is
learned equals `train/src/learn.rs`: the value of a position, and a policy that tells the best move from others.
"""

import gzip
import json
import math
import os
import sys
import time

import numpy as np
import torch

STAGES, FIRST, LAST, LARGEST, LOGIT = 8, 255, 64, 1.98, 1020
BATCH = 16_384
RATE = float(os.environ.get("RATE", "2e-3"))
POLICY = float(os.environ.get("POLICY", "0.1"))
HELD_BACK = 50
# A stage with fewer positions than this learns nothing that can be trusted.
FEWEST = 1_000


class Samples:
    """The arrays of a file of samples."""

    def __init__(self, path, device):
        with open(path, "rb") as file:
            head = json.loads(file.readline())
            count, width, choices = head["samples"], head["width"], head["choices"]
            slots = head["slots_of_a_move"]

            def array(kind, *shape):
                size = int(np.prod(shape)) * np.dtype(kind).itemsize
                found = np.frombuffer(file.read(size), dtype=kind).reshape(shape)
                if found.dtype == np.uint16:
                    found = found.astype(np.int16)
                return torch.from_numpy(found.copy()).to(device)

            self.inputs = array("<u2", count, width)
            self.stage = array("u1", count)
            self.hand = array("<f4", count)
            self.target = array("<f4", count)
            self.slots = array("<u2", count, choices, slots)
            self.order = array("<f4", count, choices)
        self.head = head


class Net(torch.nn.Module):
    """One hidden layer; a value by stage, and a policy by slot."""

    def __init__(self, head):
        super().__init__()
        hidden = head["hidden"]
        self.first = torch.nn.Embedding(head["inputs"] + 1, hidden, padding_idx=head["inputs"])
        torch.nn.init.uniform_(self.first.weight, -0.1, 0.1)
        with torch.no_grad():
            self.first.weight[-1].zero_()
        self.bias = torch.nn.Parameter(0.2 + 0.1 * (2 * torch.rand(hidden) - 1))
        self.last = torch.nn.Parameter(0.2 * (2 * torch.rand(STAGES, hidden) - 1))
        self.end = torch.nn.Parameter(torch.zeros(STAGES))
        self.hand = torch.nn.Parameter(torch.zeros(STAGES))
        self.policy = torch.nn.Embedding(head["slots"] + 1, hidden, padding_idx=head["slots"])
        torch.nn.init.zeros_(self.policy.weight)
        self.order = torch.nn.Parameter(torch.zeros(()))

    def forward(self, samples, rows):
        inputs = samples.inputs[rows].int()
        sums = torch.nn.functional.embedding_bag(
            inputs, self.first.weight, mode="sum", padding_idx=self.first.padding_idx
        )
        held = (sums + self.bias).clamp(0, 1)
        stage = samples.stage[rows].long()
        value = ((held * held) * self.last[stage]).sum(1) + self.end[stage]
        value = value + self.hand[stage] * samples.hand[rows]
        # Every slot at once, then those of each move.
        slots = held @ self.policy.weight.T
        wanted = samples.slots[rows].long()
        count, choices, each = wanted.shape
        output = slots.gather(1, wanted.view(count, -1)).view(count, choices, each).sum(2)
        order = samples.order[rows]
        there = torch.isfinite(order)
        output = output + self.order * torch.where(there, order, 0.0)
        return value, output.masked_fill(~there, -1e4), there[:, 0]


def losses(net, samples, rows):
    """The losses of value and policy, and how often the policy's first choice is the best move."""
    value, output, has_choice = net(samples, rows)
    target = samples.target[rows]
    there = torch.isfinite(target)
    of_value = torch.nn.functional.binary_cross_entropy_with_logits(
        value, torch.where(there, target, 0.0), reduction="none"
    )
    of_value = (of_value * there).sum() / there.sum().clamp(min=1)
    chosen = -torch.log_softmax(output, 1)[:, 0]
    count = has_choice.sum().clamp(min=1)
    of_policy = (chosen * has_choice).sum() / count
    right = ((output.argmax(1) == 0) & has_choice).sum() / count
    return of_value, of_policy, right


def learn(samples, epochs, device):
    torch.manual_seed(1)
    net = Net(samples.head).to(device)
    images = samples.head["images"]
    positions = samples.head["samples"] // images
    held = torch.arange(positions, device=device) % HELD_BACK == 0
    learned = torch.arange(positions, device=device)[~held]
    kept = torch.arange(positions, device=device)[held] * images
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    steps = epochs * math.ceil(len(learned) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: 0.5 * (1 + math.cos(math.pi * min(1, step / steps))) + 1e-3
    )
    began = time.time()
    for epoch in range(1, epochs + 1):
        order = learned[torch.randperm(len(learned), device=device)]
        image = torch.randint(images, (len(order),), device=device)
        for rows in (order * images + image).split(BATCH):
            of_value, of_policy, _ = losses(net, samples, rows)
            optimiser.zero_grad(set_to_none=True)
            (of_value + POLICY * of_policy).backward()
            optimiser.step()
            schedule.step()
            with torch.no_grad():
                for weights in net.parameters():
                    weights.clamp_(-LARGEST, LARGEST)
        if epoch % 10 == 0 or epoch == epochs:
            with torch.no_grad():
                parts = [torch.stack(losses(net, samples, rows)) for rows in kept.split(BATCH)]
                of_value, of_policy, right = torch.stack(parts).mean(0).tolist()
            print(
                f"  epoch {epoch}: held out {of_value:.4f}, policy {of_policy:.3f}, "
                f"{100 * right:.1f} % right, {time.time() - began:.0f} s",
                flush=True,
            )
    return net


def share_stages(net, samples):
    """Gives stages that had too few positions the last layer of the nearest one that had enough."""
    taught = samples.stage[torch.isfinite(samples.target)].long()
    counts = torch.bincount(taught, minlength=STAGES) // samples.head["images"]
    learned = [stage for stage in range(STAGES) if counts[stage] >= FEWEST]
    with torch.no_grad():
        for stage in set(range(STAGES)).difference(learned) if learned else ():
            near = min(learned, key=lambda other: abs(other - stage))
            for layer in (net.last, net.end, net.hand):
                layer[stage] = layer[near]


def write(net, samples, path):
    """Writes the file that the engine reads."""
    head = samples.head
    used = torch.zeros(head["inputs"] + 1, dtype=torch.bool)
    used[samples.inputs.long().unique().cpu()] = True
    first = net.first.weight.detach().cpu()
    first[~used] = 0

    def words(values, unit):
        return np.rint(values.detach().cpu().numpy().astype(np.float64).ravel() * unit).astype("<i4")

    def numbers(values, unit):
        whole = words(values, unit)
        return np.stack([whole >> 16, whole & 0xFFFF], 1).ravel()

    parts = [
        words(first[:-1], FIRST),
        words(net.policy.weight[:-1], LAST),
        words(net.bias, FIRST),
        words(net.last, LAST),
        numbers(net.end, FIRST * LAST),
        numbers(net.hand, LAST),
        numbers(net.order, LOGIT),
    ]
    all_words = np.concatenate(parts) & 0xFFFF
    text = (
        f"quadrille net 2: {head['inputs']} inputs, {head['hidden']} hidden, {STAGES} stages, "
        f"{head['slots']} slots\n"
    )
    body = (all_words >> 8).astype(np.uint8).tobytes() + (all_words & 255).astype(np.uint8).tobytes()
    with open(path, "wb") as file:
        file.write(gzip.compress(text.encode() + body, 9, mtime=0))


def main():
    source, target, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    samples = Samples(source, device)
    net = learn(samples, epochs, device)
    share_stages(net, samples)
    write(net, samples, target)


if __name__ == "__main__":
    main()
