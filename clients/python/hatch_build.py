"""The build step of this package: it generates `toolresult.v1` from the contract."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Contract(BuildHookInterface):
    """Generates messages and stubs with their types; an sdist gets the contract itself."""

    def initialize(self, version: str, build_data: Dict[str, Any]) -> None:
        """Run before each build."""
        root = Path(self.root)
        contract = root / "proto"  # of an sdist
        if not contract.is_dir():
            contract = root.parents[1] / "proto"  # of a clone
        if self.target_name == "sdist":
            build_data["force_include"][str(contract)] = "proto"
            return
        generate(contract, root / "src")


def generate(contract: Path, out: Path) -> None:
    """Write `toolresult/v1` below a folder, anew."""
    package = out / "toolresult" / "v1"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir()
    (package / "__init__.py").touch()
    files = sorted(contract.glob("toolresult/v1/*.proto"))
    services = [file for file in files if "\nservice " in file.read_text(encoding="utf-8")]
    protoc(contract, files, f"--python_out={out}", f"--pyi_out={out}")
    types = f"--plugin=protoc-gen-mypy_grpc={program('protoc-gen-mypy_grpc')}"
    protoc(contract, services, f"--grpc_python_out={out}", f"--mypy_grpc_out={out}", types)


def protoc(contract: Path, files: List[Path], *options: str) -> None:
    """Run the compiler that is in grpcio-tools."""
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={contract}", *options, *map(str, files)], check=True)


def program(name: str) -> str:
    """Return the path of a program that a build requirement installed."""
    path = shutil.which(name, path=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]))
    if path is None:
        raise FileNotFoundError(f"{name}: install the requirements of [build-system] in pyproject.toml")
    return path
