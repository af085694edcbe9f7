"""CLIP's text encoders in miniature, and how they learn the words before there are pictures: by saying what a caption shows."""
import time

import base  # noqa: F401
import torch
import torch.nn as nn
import torch.nn.functional as F
from captioned import COLOURS, LABELS, UNKNOWN, VIEWS
from session import say
from vocabulary import BACKGROUND_NAMES, MOTIONS, OBJECTS

CLASSES = dict(zip(LABELS, (len(OBJECTS), len(COLOURS), len(BACKGROUND_NAMES), len(MOTIONS), len(VIEWS), 2)))
SHAPES = {"sd15": dict(hidden_size=192, num_attention_heads=3, num_hidden_layers=2, hidden_act="quick_gelu"),
          "clip_l": dict(hidden_size=96, num_attention_heads=3, num_hidden_layers=3, hidden_act="quick_gelu"),
          "clip_g": dict(hidden_size=160, num_attention_heads=5, num_hidden_layers=3, hidden_act="gelu")}


def make(name, pieces):
    """SD 1.5 takes the last hidden states, SD 3 the ones before the last and a projected vector."""
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection
    shape = SHAPES[name]
    config = CLIPTextConfig(vocab_size=pieces, intermediate_size=4 * shape["hidden_size"], max_position_embeddings=77,
                            projection_dim=shape["hidden_size"], bos_token_id=pieces - 2, eos_token_id=pieces - 1,
                            pad_token_id=pieces - 1 if name != "clip_g" else 0, **shape)
    return CLIPTextModel(config) if name == "sd15" else CLIPTextModelWithProjection(config)


class Heads(nn.Module):
    """One linear layer a question."""

    def __init__(self, width):
        super().__init__()
        self.ask = nn.ModuleDict({k: nn.Linear(width, n) for k, n in CLASSES.items()})

    def forward(self, x, labels):
        return sum(F.cross_entropy(head(x), labels[:, LABELS.index(k)], ignore_index=UNKNOWN) for k, head in self.ask.items())


def states_of(encoder, tokens):
    """transformers' CLIPTextModel on causal text, without its wrapping: (states after each layer and before the first, last norm's)."""
    model = getattr(encoder, "text_model", encoder)
    x = model.embeddings.token_embedding(tokens) + model.embeddings.position_embedding.weight[:tokens.shape[1]]
    out, config = [x], encoder.config
    quick = config.hidden_act == "quick_gelu"
    for layer in model.encoder.layers:
        y, attention = layer.layer_norm1(x), layer.self_attn
        q, k, v = (f(y).unflatten(-1, (config.num_attention_heads, -1)).transpose(1, 2)
                   for f in (attention.q_proj, attention.k_proj, attention.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + attention.out_proj(y)
        y = layer.mlp.fc1(layer.layer_norm2(x))
        x = x + layer.mlp.fc2(y * torch.sigmoid(1.702 * y) if quick else F.gelu(y))
        out.append(x)
    return out, model.final_layer_norm(x)


def hear(encoder, tokens, pieces, g=False):
    """(states, vector at the end mark). g: what is behind the end mark is piece 0, as CLIP-G's tokenizer pads."""
    if g:
        end = tokens == pieces - 1
        tokens = torch.where(end & (end.cumsum(1) > 1), 0, tokens)
    states, last = states_of(encoder, tokens)
    at_end = last[torch.arange(len(last), device=last.device), (tokens == pieces - 1).int().argmax(1)]
    if hasattr(encoder, "text_projection"):
        return states[-2], encoder.text_projection(at_end)
    return last, at_end


def learn_words(encoders, captions, device, pieces, done, least=400, most=6000, lr=1.5e-3):
    """encoders: {name: model}. Trains until done() and at least `least` steps."""
    heads = {k: Heads(m.config.hidden_size).to(device) for k, m in encoders.items()}
    # The states that the denoiser sees are asked as well, at the end mark.
    heads |= {k + " states": Heads(m.config.hidden_size).to(device) for k, m in encoders.items()}
    parameters = [p for m in [*encoders.values(), *heads.values()] for p in m.parameters()]
    adam = torch.optim.AdamW(parameters, lr=lr, betas=(0.9, 0.98), weight_decay=0.02)
    start, step, sums = time.time(), 0, []
    while step < least or (step < most and not done()):
        batch = next(captions)
        tokens, labels = batch["tokens"].to(device).long(), batch["labels"].to(device)
        which = torch.randint(0, tokens.shape[1], (1,)).item()
        total = 0
        for name, encoder in encoders.items():
            with torch.autocast(device, torch.bfloat16):
                text = tokens[:, which, :48]  # causal: what is behind changes nothing before it
                states, vector = hear(encoder, text, pieces, name == "clip_g")
            end = (text == pieces - 1).int().argmax(1)
            at_end = states[torch.arange(len(states), device=device), end]
            total = total + heads[name](vector.float(), labels) + heads[name + " states"](at_end.float(), labels)
        total.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
        for g in adam.param_groups:
            g["lr"] = lr * min(1, (step + 1) / 100) * max(0.1, 1 - step / 2500)
        adam.step()
        adam.zero_grad(set_to_none=True)
        step += 1
        sums.append(total.detach() / len(heads))
        if step % 200 == 0 or step == 1:
            say(f"words step {step} loss {float(torch.stack(sums).mean()):.3f} {time.time() - start:.0f} s")
            sums = []
