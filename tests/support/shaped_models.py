"""Models of a true shape with random weights: the real engines' code runs, the words mean nothing.

    python tests/support/shaped_models.py OUT --size tiny

``OUT/whisper`` is a CTranslate2 Whisper (int8) that faster-whisper loads like any other, ``OUT/voice.onnx`` a piper
voice whose sound is a tone as long as its phonemes. For cost and code paths, never for accuracy. Everything is seeded:
two runs give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Shape:
    """Of a Whisper: ``width`` is d_model."""

    width: int
    heads: int
    encoder_layers: int
    decoder_layers: int


SIZES = {
    "test": Shape(64, 2, 1, 1),
    "tiny": Shape(384, 6, 4, 4),
    "base": Shape(512, 8, 6, 6),
}
_LANGUAGES = 99
_TIMESTAMPS = 1501


def build_whisper(folder: Path, shape: Shape = SIZES["test"], seed: int = 1) -> Path:
    """Write a model folder. The vocabulary has the size of Whisper's English models, 51,864."""
    import ctranslate2
    from ctranslate2.specs import WhisperSpec
    from ctranslate2.specs.whisper_spec import WhisperConfig

    folder.mkdir(parents=True, exist_ok=True)
    tokens = _tokens()
    random = np.random.default_rng(seed)
    width = shape.width

    def weights(*size: int) -> Any:
        return (random.standard_normal(size) * 0.05).astype(np.float32)

    def norm(spec: Any) -> None:
        spec.gamma, spec.beta = np.ones(width, np.float32), np.zeros(width, np.float32)

    def linear(spec: Any, out: int, into: int) -> None:
        spec.weight, spec.bias = weights(out, into), np.zeros(out, np.float32)

    def self_attention(spec: Any) -> None:
        norm(spec.layer_norm)
        linear(spec.linear[0], 3 * width, width)
        linear(spec.linear[1], width, width)

    def feed_forward(spec: Any) -> None:
        norm(spec.layer_norm)
        linear(spec.linear_0, 4 * width, width)
        linear(spec.linear_1, width, 4 * width)

    spec = WhisperSpec(shape.encoder_layers, shape.heads, shape.decoder_layers, shape.heads)
    spec.encoder.conv1.weight, spec.encoder.conv1.bias = weights(width, 80, 3), np.zeros(width, np.float32)
    spec.encoder.conv2.weight, spec.encoder.conv2.bias = weights(width, width, 3), np.zeros(width, np.float32)
    spec.encoder.position_encodings.encodings = weights(1500, width)
    norm(spec.encoder.layer_norm)
    for layer in spec.encoder.layer:
        self_attention(layer.self_attention)
        feed_forward(layer.ffn)
    decoder = spec.decoder
    decoder.embeddings.weight = weights(len(tokens), width)
    decoder.position_encodings.encodings = weights(448, width)
    norm(decoder.layer_norm)
    decoder.projection.weight = weights(len(tokens), width)
    decoder.projection.bias = np.zeros(len(tokens), np.float32)
    for layer in decoder.layer:
        self_attention(layer.self_attention)
        norm(layer.attention.layer_norm)
        linear(layer.attention.linear[0], width, width)
        linear(layer.attention.linear[1], 2 * width, width)
        linear(layer.attention.linear[2], width, width)
        feed_forward(layer.ffn)
    start = tokens.index("<|startoftranscript|>")
    heads = [(layer, head) for layer in range(shape.decoder_layers) for head in range(shape.heads)]
    spec._config = WhisperConfig(
        suppress_ids=[],
        suppress_ids_begin=[220, tokens.index("<|endoftext|>")],
        lang_ids=[start + 1],
        alignment_heads=heads,
    )
    spec.register_vocabulary(tokens)
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(str(folder))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(tokens)), "utf-8")
    assert ctranslate2.contains_model(str(folder))
    return folder


def _byte_signs() -> list[str]:
    """GPT-2's printable stand-ins for the 256 bytes, in its order."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return [chr(byte) for byte in plain] + [chr(256 + index) for index in range(len(rest))]


def _tokens() -> list[str]:
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    words = _byte_signs()
    words += [f"Ġword{index}" for index in range(50256 - len(words))]
    special = ["<|endoftext|>", "<|startoftranscript|>", *(f"<|{code}|>" for code in _LANGUAGE_CODES[:_LANGUAGES])]
    special += [
        "<|translate|>",
        "<|transcribe|>",
        "<|startoflm|>",
        "<|startofprev|>",
        "<|nospeech|>",
        "<|notimestamps|>",
    ]
    return [*words, *special, *(f"<|{index * 0.02:.2f}|>" for index in range(_TIMESTAMPS))]


def _tokenizer(tokens: list[str]) -> dict[str, Any]:
    """The file of Hugging Face's ``tokenizers``: byte-level BPE without merges, the special tokens added."""
    first_special = tokens.index("<|endoftext|>")
    added = [
        {"id": index, "content": tokens[index], "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": index < len(tokens) - _TIMESTAMPS}
        for index in range(first_special, len(tokens))
    ]  # fmt: skip
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": byte_level, "post_processor": None, "decoder": byte_level,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
            "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False,
            "vocab": {token: index for index, token in enumerate(tokens[:first_special])}, "merges": [],
        },
    }  # fmt: skip


# --- a piper voice, written as protobuf by hand (onnx.proto3 of ONNX 1.14, opset 17) ---

HOP = 256
"""Samples per phoneme id at length scale 1."""


def build_voice(path: Path, sample_rate: int = 22050) -> Path:
    """Write ``path`` (.onnx) and its JSON. The tone's length follows the number of phonemes and the length scale."""
    nodes = [
        _node("Size", ["input"], ["count"]),
        _node("Cast", ["count"], ["count_f"], to=1),
        _node("Gather", ["scales", "one"], ["length_scale"], axis=0),
        _node("Mul", ["count_f", "length_scale"], ["scaled"]),
        _node("Mul", ["scaled", "hop"], ["samples"]),
        _node("Range", ["zero_f", "samples", "one_f"], ["time"]),
        _node("Cast", ["input"], ["ids"], to=1),
        _node("ReduceMean", ["ids"], ["mean"], keepdims=0),
        _node("Mul", ["mean", "pitch"], ["step"]),
        _node("Mul", ["time", "step"], ["phase"]),
        _node("Sin", ["phase"], ["wave"]),
        _node("Mul", ["wave", "loudness"], ["quiet"]),
        _node("Unsqueeze", ["quiet", "axes"], ["output"]),
    ]
    constants = [
        _tensor("one", 7, struct.pack("<q", 1)),
        _tensor("axes", 7, struct.pack("<qq", 0, 1), dims=(2,)),
        _tensor("hop", 1, struct.pack("<f", HOP)),
        _tensor("zero_f", 1, struct.pack("<f", 0)),
        _tensor("one_f", 1, struct.pack("<f", 1)),
        _tensor("pitch", 1, struct.pack("<f", 0.002)),
        _tensor("loudness", 1, struct.pack("<f", 0.3)),
    ]
    inputs = [_value("input", 7, "batch", "phonemes"), _value("input_lengths", 7, "batch"), _value("scales", 1, 3)]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"voice")
    graph += b"".join(_field(5, constant) for constant in constants)
    graph += b"".join(_field(11, value) for value in inputs)
    graph += _field(12, _value("output", 1, "batch", "channel", "time"))
    model = _number(1, 8) + _field(7, graph) + _field(8, _number(2, 17))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model)
    from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

    config = {
        "audio": {"sample_rate": sample_rate, "quality": "test"}, "espeak": {"voice": "en-us"},
        "phoneme_type": "espeak", "inference": {"noise_scale": 0.667, "length_scale": 1.0, "noise_w": 0.8},
        "num_symbols": 256, "num_speakers": 1,
        "speaker_id_map": {}, "phoneme_id_map": {key: list(ids) for key, ids in DEFAULT_PHONEME_ID_MAP.items()},
    }  # fmt: skip
    Path(f"{path}.json").write_text(json.dumps(config), "utf-8")
    return path


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _node(kind: str, inputs: list[str], outputs: list[str], **attributes: int) -> bytes:
    data = b"".join(_field(1, name.encode()) for name in inputs) + b"".join(
        _field(2, name.encode()) for name in outputs
    )
    data += _field(4, kind.encode())
    for name, value in attributes.items():
        data += _field(5, _field(1, name.encode()) + _number(3, value) + _number(20, 2))
    return data


def _tensor(name: str, kind: int, raw: bytes, dims: tuple[int, ...] = ()) -> bytes:
    return b"".join(_number(1, size) for size in dims) + _number(2, kind) + _field(8, name.encode()) + _field(9, raw)


def _value(name: str, kind: int, *dims: int | str) -> bytes:
    shape = b"".join(
        _field(1, _number(1, size) if isinstance(size, int) else _field(2, size.encode())) for size in dims
    )
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build shaped models for tests and benchmarks.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", choices=sorted(SIZES), default="test")
    chosen = parser.parse_args()
    print(build_whisper(chosen.out / "whisper", SIZES[chosen.size]))
    print(build_voice(chosen.out / "voice.onnx"))
