package io.github.toolresult.example;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;

/** AddressFile reads the file in which a sidecar says where it listens (docs/discovery.md). */
final class AddressFile {
  private static final int MAX_BYTES = 16 << 10;

  /** Content is the JSON of the file; other members are for later versions. */
  private record Content(String address) {}

  private AddressFile() {}

  /**
   * Returns the address in a file that no other user could have written.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file
   * @throws IOException if it is not to be followed, with the reason
   */
  static String read(Path file, UserPrincipal user) throws IOException {
    check(file.toAbsolutePath().getParent(), user, true);
    check(file, user, false);
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      return parse(file, new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
    }
  }

  private static void check(Path path, UserPrincipal user, boolean directory) throws IOException {
    var is = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (directory ? !is.isDirectory() : !is.isRegularFile()) {
      throw new IOException(path + " is no " + (directory ? "directory" : "regular file"));
    }
    if (!is.owner().equals(user)) {
      throw new IOException(path + " belongs to another user");
    }
    if (is.permissions().contains(PosixFilePermission.GROUP_WRITE)
        || is.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(path + " lets other users write");
    }
  }

  private static String parse(Path file, String text) throws IOException {
    Content content;
    try {
      content = new Gson().fromJson(text, Content.class);
    } catch (JsonParseException e) {
      throw new IOException(file + " is not the JSON of an address file", e);
    }
    if (content == null || content.address() == null) {
      throw new IOException(file + " is not the JSON of an address file");
    }
    String address = content.address();
    if (!address.startsWith("unix:///") || address.chars().anyMatch(Character::isISOControl)) {
      throw new IOException(file + " has an address that is not unix:///PATH");
    }
    return address;
  }
}
