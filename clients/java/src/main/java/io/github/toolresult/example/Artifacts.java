package io.github.toolresult.example;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.github.toolresult.v1.ArtifactReference;
import io.github.toolresult.v1.CanonicalToolResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Artifacts finds the artifacts that a result names: the complete output, to be read in parts. */
public final class Artifacts {
  private Artifacts() {}

  /** Returns the paths of the artifacts, each once, in the order of the fields. */
  public static List<String> of(CanonicalToolResult canonical) {
    Set<String> paths = new LinkedHashSet<>();
    collect(canonical, paths);
    return new ArrayList<>(paths);
  }

  private static void collect(Message message, Set<String> paths) {
    if (message instanceof ArtifactReference artifact) {
      paths.add(artifact.getPath());
      return;
    }
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getJavaType() != JavaType.MESSAGE || field.isMapField()) {
        continue;
      }
      if (!field.isRepeated()) {
        if (message.hasField(field)) {
          collect((Message) message.getField(field), paths);
        }
        continue;
      }
      for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
        collect((Message) message.getRepeatedField(field, i), paths);
      }
    }
  }
}
