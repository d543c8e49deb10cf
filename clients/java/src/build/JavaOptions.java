import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies the contract, and adds to each file the options that name its Java package and classes. The contract itself has none: they
 * would break clients generated before. Maven runs it as {@code java JavaOptions.java FROM TO}.
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
      Files.writeString(copy, withOptions(Files.readString(file), outerClass(file.getFileName().toString())));
    }
  }

  /** Adds the options behind the package, on its line, so that messages of protoc have the lines of the contract. */
  private static String withOptions(String text, String outerClass) {
    return text.replaceFirst(
        "(?m)^package (\\S+);",
        "$0 option java_package = \"io.github.$1\"; option java_multiple_files = true; option java_outer_classname = \""
            + outerClass
            + "\";");
  }

  /** Returns FileReadProto for file_read.proto. */
  private static String outerClass(String name) {
    return Arrays.stream(name.replace(".proto", "_proto").split("_"))
        .map(word -> word.substring(0, 1).toUpperCase() + word.substring(1))
        .collect(Collectors.joining());
  }
}
