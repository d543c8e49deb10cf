import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies the contract, and adds the options that name Java packages and classes to each file. The
 * contract has none: added now, they would break code generated before. Maven runs {@code java
 * JavaOptions.java FROM TO}.
 */
class JavaOptions {
  public static void main(String[] args) throws IOException {
    Path from = Path.of(args[0]), to = Path.of(args[1]);
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(file -> file.toString().endsWith(".proto")).toList();
    }
    if (files.isEmpty()) {
      throw new IOException(from + " has no .proto files");
    }
    for (Path file : files) {
      Path copy = to.resolve(from.relativize(file).toString());
      Files.createDirectories(copy.getParent());
      String outer = outerClass(file.getFileName().toString());
      Files.writeString(copy, withOptions(Files.readString(file), outer));
    }
  }

  /** Adds the options on the line of the package: errors of protoc keep their line numbers. */
  private static String withOptions(String text, String outerClass) {
    String options =
        "$0 option java_package = \"io.github.$1\"; option java_multiple_files = true;"
            + " option java_outer_classname = \"%s\";";
    return text.replaceFirst("(?m)^package (\\S+);", options.formatted(outerClass));
  }

  /** Returns FileReadProto for file_read.proto. */
  private static String outerClass(String name) {
    return Arrays.stream(name.replace(".proto", "_proto").split("_"))
        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }
}
