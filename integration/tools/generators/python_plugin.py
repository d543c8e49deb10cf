"""A protoc plugin of the three generators of grpcio-tools: messages, their types, and the stubs of services.

protoc has the Python generators inside, not as plugins, and buf runs plugins. This one hands the request of buf to the protoc
that is in the package.
"""

import pathlib
import sys
import tempfile

from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

request = plugin_pb2.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
response = plugin_pb2.CodeGeneratorResponse(supported_features=plugin_pb2.CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
with tempfile.TemporaryDirectory() as name:
    out = pathlib.Path(name)
    descriptors = out / "descriptors.binpb"
    descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
    made = out / "made"
    made.mkdir()
    options = [f"--{kind}_out={made}" for kind in ("python", "pyi", "grpc_python")]
    code = protoc.main(["protoc", f"--descriptor_set_in={descriptors}", *options, *request.file_to_generate])
    if code != 0:
        sys.exit(code)
    for path in sorted(p for p in made.rglob("*") if p.is_file()):
        content = path.read_text()
        if path.name.endswith("_grpc.py") and "_Stub(" not in content and "class " not in content:
            continue  # the stubs of a file without services
        response.file.add(name=str(path.relative_to(made)), content=content)
sys.stdout.buffer.write(response.SerializeToString())
