"""What can be downloaded: Whisper sizes and piper voices, each pinned to one commit of its repository.

Sizes (bytes) and SHA-256 sums are those which the commit holds. Where ours are missing, ``download`` checks against
what the hub declares for the same commit (``x-linked-size``, ``x-linked-etag``) and looks at the file's structure; that
protects against broken transfers but not against a hub that lies.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """``path`` in the repository; ``check`` names a structural check: ctranslate2, onnx, json or text."""

    path: str
    check: str
    size: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Model:
    """``kind`` is whisper or piper; ``revision`` a commit; ``megabytes`` what the download costs."""

    name: str
    kind: str
    repo: str
    revision: str
    files: tuple[RemoteFile, ...]
    megabytes: int
    language: str = ""


_TOKENIZER = RemoteFile(
    "tokenizer.json", "json", 2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
)
_VOCABULARY = RemoteFile(
    "vocabulary.txt", "text", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
)
_EN_TOKENIZER = RemoteFile("tokenizer.json", "json", 2_128_466)
_EN_VOCABULARY = RemoteFile("vocabulary.txt", "text", 422_309)


def _whisper(
    name: str, revision: str, size: int | None, sha256: str | None, config_sha256: str | None, megabytes: int
) -> Model:
    english = name.endswith(".en")
    words = (_EN_TOKENIZER, _EN_VOCABULARY) if english else (_TOKENIZER, _VOCABULARY)
    files = (
        RemoteFile("config.json", "json", None, config_sha256),
        *words,
        RemoteFile("model.bin", "ctranslate2", size, sha256),
    )
    language = "en" if english else ""
    return Model(name, "whisper", f"Systran/faster-whisper-{name}", revision, files, megabytes, language)


_LARGE = Model(
    "large-v3",
    "whisper",
    "Systran/faster-whisper-large-v3",
    "edaa852ec7e145841d8ffdb056a99866b5f0a478",
    (
        RemoteFile("config.json", "json", 2_394, "a9306624f5ec14270a014b647e5c316b6e03a662c369758d1b90697a7b0655b9"),
        RemoteFile(
            "preprocessor_config.json", "json", 340, "7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711"
        ),
        RemoteFile(
            "tokenizer.json", "json", 2_480_617, "6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca"
        ),
        RemoteFile(
            "vocabulary.json", "json", 1_068_114, "c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1"
        ),
        RemoteFile(
            "model.bin",
            "ctranslate2",
            3_087_284_237,
            "69f74147e3334731bc3a76048724833325d2ec74642fb52620eda87352e3d4f1",
        ),
    ),
    3_091,
)

WHISPER: dict[str, Model] = {
    model.name: model
    for model in (
        _whisper(
            "tiny",
            "d90ca5fe260221311c53c58e660288d3deb8d356",
            75_538_270,
            "dcb76c6586fc06cbdac6dd21f14cfd129cc4cdd9dce19bf4ffa62e59cbe6e6d1",
            "a73a28cdfe1c43ccc7202fa333d1f89c202477271407ae9a7f19afa52039cac8",
            78,
        ),
        _whisper("tiny.en", "0d3d19a32d3338f10357c0889762bd8d64bbdeba", None, None, None, 78),
        _whisper(
            "base",
            "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
            145_217_532,
            "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
            None,
            148,
        ),
        _whisper(
            "base.en",
            "3d3d5dee26484f91867d81cb899cfcf72b96be6c",
            145_216_508,
            "2a166925539a16005f14ff328359f9b9adb9dc4fb631bb3b227526862e93e2ef",
            "f3bc3821e9fc76a27bae538e11ae5b677dcdd352b4600429ce7951d398569aeb",
            148,
        ),
        _whisper(
            "small",
            "536b0662742c02347bc0e980a01041f333bce120",
            483_546_902,
            "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671",
            "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828",
            486,
        ),
        _whisper(
            "small.en",
            "d1d751a5f8271d482d14ca55d9e2deeebbae577f",
            483_545_366,
            "62b2a45b05ee59acb4a5341b33ee35e041395d378d418a18acfe4c9e768ee37a",
            "666a9605530ac1f61fa8177f3702b4dacec9966749e42610839fcc32661d5fae",
            486,
        ),
        _whisper(
            "medium",
            "08e178d48790749d25932bbc082711ddcfdfbc4f",
            1_527_906_378,
            "9b45e1009dcc4ab601eff815b61d80e60ce3fd8c74c1a14f4a282258286b51ae",
            "3622a2ddc41ec0e0fd4e68c13c6830f03b90c38d89aaad184de02c8c642cf807",
            1_531,
        ),
        _whisper("medium.en", "a29b04bd15381511a9af671baec01072039215e3", None, None, None, 1_531),
        _LARGE,
    )
}

DEFAULT_VOICE = "en_US-kristin-medium"
"""Recorded for LibriVox, public domain; other voices have licences of their own (MODEL_CARD in the repository)."""

_VOICES_REVISION = "0d907f158acc877ddeebcbf827659ee13bea8bcd"


def _voice(
    name: str, sha256: str | None = None, json_sha256: str | None = None, size: int | None = 63_201_294
) -> Model:
    locale, speaker, quality = name.split("-")
    base = f"{locale.split('_')[0]}/{locale}/{speaker}/{quality}/{name}.onnx"
    files = (
        RemoteFile(f"{base}.json", "json", None, json_sha256),
        RemoteFile(base, "onnx", size if sha256 else None, sha256),
    )
    return Model(name, "piper", "rhasspy/piper-voices", _VOICES_REVISION, files, 63, locale.split("_")[0])


VOICES: dict[str, Model] = {
    model.name: model
    for model in (
        _voice(
            "en_US-kristin-medium",
            "5849957f929cbf720c258f8458692d6103fff2f0e3d3b19c8259474bb06a18d4",
            "5681426d4aead22195de70531eeeeddb46493cfaffc5764b2ea3db73428b651c",
            None,
        ),
        _voice(
            "en_US-joe-medium",
            "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
            "3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33",
        ),
        _voice(
            "en_US-lessac-medium",
            "5efe09e69902187827af646e1a6e9d269dee769f9877d17b16b1b46eeaaf019f",
            "efe19c417bed055f2d69908248c6ba650fa135bc868b0e6abb3da181dab690a0",
        ),
        _voice(
            "en_US-amy-medium",
            "b3a6e47b57b8c7fbe6a0ce2518161a50f59a9cdd8a50835c02cb02bdd6206c18",
            "95a23eb4d42909d38df73bb9ac7f45f597dbfcde2d1bf9526fdeaf5466977d77",
        ),
        _voice("en_US-ryan-medium", "abf4c274862564ed647ba0d2c47f8ee7c9b717d27bdad9219100eb310db4047a", None, None),
        _voice(
            "en_GB-alba-medium",
            "401369c4a81d09fdd86c32c5c864440811dbdcc66466cde2d64f7133a66ad03b",
            "aa965a2f02ecced632c2694e1fc72bbff6d65f265fab567ca945918c73dd89f4",
        ),
        _voice("en_GB-alan-medium", "0a309668932205e762801f1efc2736cd4b0120329622adf62be09e56339d3330", None, None),
        _voice(
            "de_DE-thorsten-medium",
            "7e64762d8e5118bb578f2eea6207e1a35a8e0c30595010b666f983fc87bb7819",
            "974adee790533adb273a1ac88f49027d2a1b8f0f2cf4905954a4791e79264e85",
            None,
        ),
        _voice(
            "ru_RU-irina-medium",
            "8ff38212d23da300bbe3705c645e6e5b9475f0bfde01558eb17813e22acaaaaa",
            "c2ec28bb38e2b59e93b959b3e40348c1afebbd272f30fed5d41205d08e98a9d7",
            None,
        ),
        _voice("fr_FR-siwis-medium"),
        _voice("es_ES-davefx-medium"),
        _voice("it_IT-paola-medium", None, "aea19c0a7fce29fbc359b93f10e7902854401e4c95ae2ea328ae516b15d296cf"),
        _voice("pt_BR-faber-medium"),
    )
}
