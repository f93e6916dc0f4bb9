"""Says of each native library what it needs of the system that loads it, as one JSON object a line.

    python inspect_binaries.py <file>...

Reads ELF, Mach-O and PE on any machine (package `lief`), so that what was built elsewhere is checked too. Fields:
`format`, `architecture`; of ELF `needs` (libraries), `versions` (the newest version of each versioned library name, as
GLIBC: 2.28) and `nodelete`; of Mach-O `minimum` (the oldest macOS) and `needs`; of PE `needs`. `exports` names those of
the entry points asked for that are there.
"""

import json
import re
import sys

import lief

ENTRIES = {"napi_register_module_v1", "OrtGetApiBase"}


def version_key(version):
    return [int(part) for part in version.split(".")]


def elf(binary):
    newest = {}
    for requirement in binary.symbols_version_requirement:
        for symbol in requirement.get_auxiliary_symbols():
            matched = re.fullmatch(r"(\w+?)_(\d+(?:\.\d+)*)", symbol.name)
            if matched:
                name, version = matched.groups()
                newest[name] = max(newest.get(name, "0"), version, key=version_key)
    flags = [entry for entry in binary.dynamic_entries if entry.tag == lief.ELF.DynamicEntry.TAG.FLAGS_1]
    nodelete = any(entry.value & int(lief.ELF.DynamicEntryFlags.FLAG.NODELETE) & 0xFFFFFFFF for entry in flags)
    return {
        "format": "ELF",
        "architecture": {"X86_64": "x64", "AARCH64": "arm64"}.get(binary.header.machine_type.name),
        "needs": sorted(binary.libraries),
        "versions": newest,
        "nodelete": nodelete,
        "exports": sorted(ENTRIES & {symbol.name for symbol in binary.exported_symbols}),
    }


def macho(binary):
    minimum = binary.build_version.minos if binary.has_build_version else binary.version_min.version
    return {
        "format": "Mach-O",
        "architecture": {"X86_64": "x64", "ARM64": "arm64"}.get(binary.header.cpu_type.name),
        "needs": sorted(library.name for library in binary.libraries),
        "minimum": ".".join(map(str, minimum[:2])),
        "exports": sorted(ENTRIES & {symbol.name.removeprefix("_") for symbol in binary.exported_symbols}),
    }


def pe(binary):
    return {
        "format": "PE",
        "architecture": {"AMD64": "x64", "ARM64": "arm64"}.get(binary.header.machine.name),
        "needs": sorted(library.name for library in binary.imports),
        "exports": sorted(ENTRIES & {entry.name for entry in binary.exported_functions}),
    }


READERS = {lief.ELF.Binary: elf, lief.MachO.Binary: macho, lief.PE.Binary: pe}

for path in sys.argv[1:]:
    parsed = lief.parse(path)
    reader = READERS.get(type(parsed))
    facts = reader(parsed) if reader else {"format": None}
    print(json.dumps({"path": path, **facts}))
