package io.github.toolresult.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.Status;
import io.grpc.StatusException;
import java.io.File;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DiscoveryTest {
  @TempDir Path home;
  private Path runtime;
  private final Map<String, String> environment = new HashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void makeRuntimeDirectory() throws IOException {
    runtime = Files.createDirectory(home.resolve("toolresult"));
    mode(runtime, "rwx------");
    environment.put("XDG_RUNTIME_DIR", home.toString());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private String listen(Path socket) throws IOException {
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    open.add(server);
    server.bind(UnixDomainSocketAddress.of(socket));
    return "unix://" + socket;
  }

  /** Leaves a socket behind, as a process does that is killed. */
  private String dead(Path socket) throws IOException {
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
    }
    return "unix://" + socket;
  }

  private Path write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    mode(file, "rw-------");
    return file;
  }

  private Path addressFile(String address) throws IOException {
    return write(runtime.resolve("address"), "{\"address\":\"" + address + "\",\"pid\":1,\"new\":{}}");
  }

  private String find() throws StatusException {
    return new Discovery(environment).find(false);
  }

  private String rejected() {
    return assertThrows(NoSidecarException.class, this::find).getStatus().getDescription();
  }

  @Test
  void looksInOrder() throws Exception {
    assertEquals("no sidecar runs", rejected());
    String socket = listen(runtime.resolve("toolresult.sock"));
    assertEquals(socket, find());
    addressFile(dead(home.resolve("dead")));
    assertEquals(socket, find());
    String other = listen(home.resolve("other"));
    addressFile(other);
    assertEquals(other, find());
    environment.put("TOOLRESULT_SOCKET", "/nonexistent/s"); // which means no address file
    assertEquals("no sidecar runs", rejected());
    environment.put("TOOLRESULT_ADDRESS_FILE", runtime.resolve("address").toString());
    assertEquals(other, find());
    environment.put("TOOLRESULT_ADDRESS", "127.0.0.1:1");
    assertEquals("127.0.0.1:1", find());
    environment.put("TOOLRESULT_ADDRESS", "/run/s");
    var why = assertThrows(StatusException.class, this::find);
    assertEquals(Status.Code.UNAVAILABLE, why.getStatus().getCode());
    assertTrue(why.getMessage().contains("write unix:///run/s"), why.getMessage());
  }

  @Test
  void passesADeadSocketOver() throws Exception {
    dead(runtime.resolve("toolresult.sock"));
    assertEquals("no sidecar runs", rejected());
  }

  @Test
  void usesTheTemporaryDirectoryOfTheUser() throws Exception {
    environment.put("XDG_RUNTIME_DIR", "relative"); // which counts as unset
    environment.put("TMPDIR", home.toString());
    Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Path directory = Files.createDirectory(home.resolve("toolresult-" + uid));
    assertEquals(listen(directory.resolve("toolresult.sock")), find());
  }

  @Test
  void followsNoFileThatOthersCouldHaveWritten() throws Exception {
    Path file = addressFile(listen(home.resolve("other")));
    for (String mode : List.of("rw--w----", "rw-----w-", "rw-rw-rw-")) {
      mode(file, mode);
      assertTrue(rejected().contains("address lets other users write"), mode);
    }
    mode(file, "rw-r--r--");
    assertEquals("unix://" + home.resolve("other"), find());
    for (String mode : List.of("rwxrwx---", "rwx----w-")) {
      mode(runtime, mode);
      assertTrue(rejected().contains("toolresult lets other users write"), mode);
    }
    mode(runtime, "rwx------");

    Path moved = Files.move(file, home.resolve("moved"));
    Files.createSymbolicLink(file, moved);
    assertTrue(rejected().contains("is no regular file"));
    Files.delete(file);
    Path link = Files.createSymbolicLink(home.resolve("link"), runtime);
    Files.move(moved, file);
    environment.put("TOOLRESULT_ADDRESS_FILE", link.resolve("address").toString());
    assertTrue(rejected().contains("is no directory"));
    environment.put("TOOLRESULT_ADDRESS_FILE", runtime.toString());
    assertTrue(rejected().contains("lets other users write") || rejected().contains("is no regular file"));
  }

  @Test
  void followsNoPipe() throws Exception {
    assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", runtime + "/address").start().waitFor());
    assertTrue(rejected().contains("is no regular file"));
  }

  @Test
  void followsNoFileOfAnotherUser() throws Exception {
    assumeTrue(isRoot());
    Path file = addressFile(listen(home.resolve("other")));
    var other = home.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("12345");
    Files.setOwner(file, other);
    assertTrue(rejected().contains("address belongs to another user"));
  }

  @Test
  void followsNoBrokenFile() throws Exception {
    for (String text :
        List.of("", "[]", "null", "1", "{", "{}", "{\"address\":null}", "{\"address\":[]}", "{\"address\":{}}")) {
      write(runtime.resolve("address"), text);
      assertTrue(rejected().contains("is not the JSON of an address file"), text + ": " + rejected());
    }
    for (String address : List.of("", "127.0.0.1:1", "unix://s", "unix:/s", "unix:///a\\u0000b", "unix:///a\\nb")) {
      addressFile(address);
      assertTrue(rejected().contains("is not unix:///PATH"), address);
    }
    addressFile("unix:///" + "a".repeat(20_000));
    assertTrue(rejected().contains("is not the JSON"));
    addressFile("unix:///" + "a".repeat(5_000)); // too long for a file name
    assertEquals("no sidecar runs", rejected());
    addressFile("unix://" + Files.createFile(home.resolve("b".repeat(200)))); // for a socket
    assertEquals("no sidecar runs", rejected());
    addressFile("unix://" + Files.createFile(home.resolve("file"))); // which is no socket
    assertEquals("no sidecar runs", rejected());
  }

  @Test
  void callsNoSidecarOfAnotherUser() throws Exception {
    assumeTrue(isRoot());
    mode(home, "rwxr-xr-x");
    mode(runtime, "rwxrwxrwx");
    Path socket = runtime.resolve("toolresult.sock");
    Process other = listenAs("12345", socket);
    try {
      environment.put("TOOLRESULT_ADDRESS_FILE", "/nonexistent");
      while (rejected().equals("no sidecar runs")) { // it has not begun to listen
        assertTrue(other.isAlive());
        Thread.sleep(20);
      }
      assertTrue(rejected().contains("is served by another user"), rejected());
      environment.remove("TOOLRESULT_ADDRESS_FILE");
      environment.put("TOOLRESULT_SOCKET", socket.toString()); // unless the user names it
      assertEquals("unix://" + socket, find());
    } finally {
      other.destroy();
    }
  }

  private Process listenAs(String uid, Path socket) throws IOException {
    Path program = write(home.resolve("Listen.java"), """
        import java.net.*; import java.nio.channels.*;
        class Listen {
          public static void main(String[] a) throws Exception {
            var s = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            s.bind(UnixDomainSocketAddress.of(a[0]));
            while (true) s.accept();
          }
        }
        """);
    mode(program, "rw-r--r--");
    String java = System.getProperty("java.home") + "/bin/java";
    return new ProcessBuilder("setpriv", "--reuid", uid, "--clear-groups", java, program.toString(), socket.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void waitsForNoFullQueue() throws Exception {
    Path socket = runtime.resolve("toolresult.sock");
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    open.add(server);
    server.bind(UnixDomainSocketAddress.of(socket), 1);
    assertThrows(
        SocketException.class,
        () -> {
          while (true) {
            var client = SocketChannel.open(StandardProtocolFamily.UNIX);
            open.add(client);
            client.configureBlocking(false);
            client.connect(UnixDomainSocketAddress.of(socket));
          }
        });
    long began = System.nanoTime();
    var why = assertThrows(StatusException.class, this::find);
    assertTrue(why.getMessage().contains("does not answer"), why.getMessage());
    assertTrue(System.nanoTime() - began < Duration.ofSeconds(2).toNanos());
  }

  private String start(String script) throws Exception {
    Path program = write(home.resolve("program"), "#!/bin/sh\n" + script);
    mode(program, "rwx------");
    environment.put("TOOLRESULT_BINARY", program.toString());
    environment.put("PATH", System.getenv("PATH"));
    return new Discovery(environment).find(true);
  }

  @Test
  void startsOneWhereNoneRuns() throws Exception {
    assertEquals("unix:///s", start("test \"$1\" = ensure && echo unix:///s"));
    environment.put("TOOLRESULT_CONFIG", "/c");
    listen(runtime.resolve("toolresult.sock"));
    assertEquals("unix:///c", start("echo unix://$TOOLRESULT_CONFIG")); // which the program reads
  }

  @Test
  void saysWhyNoneCouldBeStarted() throws Exception {
    var why = assertThrows(StatusException.class, () -> start("yes no | head -c 300000 >&2; exit 125"));
    assertEquals(Status.Code.UNAVAILABLE, why.getStatus().getCode());
    assertTrue(why.getStatus().getDescription().startsWith("start a sidecar: no\nno\n"));
    environment.put("TOOLRESULT_BINARY", "/nonexistent/toolresult");
    var none = assertThrows(StatusException.class, () -> new Discovery(environment).find(true));
    assertInstanceOf(NoSidecarException.class, none);
  }

  @Test
  void endsAStartThatIsInterrupted() {
    Thread.currentThread().interrupt();
    var why = assertThrows(StatusException.class, () -> start("exec sleep 20"));
    assertEquals(Status.Code.CANCELLED, why.getStatus().getCode());
    assertTrue(Thread.interrupted());
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root") && new File("/usr/bin/setpriv").exists();
  }
}
