package io.github.toolresult.example;

import com.sun.security.auth.module.UnixSystem;
import io.grpc.Status;
import io.grpc.StatusException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/** Discovery finds the sidecar of this user by the rule of docs/discovery.md. */
final class Discovery {
  private static final int MAX_SOCKET_BYTES = 107; // of a path, by the kernel

  private final Map<String, String> environment;
  private final long uid = new UnixSystem().getUid();

  /** Takes the variables of an environment. */
  Discovery(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Place is a socket; the process behind one that no user named has to be of this user. */
  private record Place(Path socket, boolean named) {}

  /**
   * Returns the address of the sidecar, unix:///PATH or HOST:PORT.
   *
   * @param start whether one is started where none runs
   * @throws NoSidecarException if there is none
   * @throws StatusException UNAVAILABLE, if there is one that cannot be called, or that could not be
   *     started
   */
  String find(boolean start) throws StatusException {
    String address = variable("TOOLRESULT_ADDRESS");
    if (address.startsWith("/")) {
      throw unavailable("TOOLRESULT_ADDRESS " + address + ": write unix://" + address);
    }
    if (!address.isEmpty()) {
      return address;
    }
    if (start && !variable("TOOLRESULT_CONFIG").isEmpty()) { // the command reads that file
      return Ensure.run(environment);
    }
    List<String> reasons = new ArrayList<>();
    for (Place place : places(reasons)) {
      if (serves(place, reasons)) {
        return "unix://" + place.socket();
      }
    }
    if (start) {
      return Ensure.run(environment);
    }
    reasons.add(0, "no sidecar runs");
    throw new NoSidecarException(String.join(": ", reasons), null);
  }

  /** Returns the places to look at, in this order. */
  private List<Place> places(List<String> reasons) {
    List<Place> places = new ArrayList<>();
    boolean named = !variable("TOOLRESULT_SOCKET").isEmpty();
    String file = variable("TOOLRESULT_ADDRESS_FILE");
    if (file.isEmpty() && !named) { // who names a socket means that one
      file = runtimeDirectory().resolve("address").toString();
    }
    if (!file.isEmpty()) {
      try {
        String address = AddressFile.read(Path.of(file), user());
        places.add(new Place(Path.of(address.substring("unix://".length())), false));
      } catch (NoSuchFileException e) {
        // there is none, which is no fault
      } catch (IOException e) {
        reasons.add("address file: " + e.getMessage());
      }
    }
    Path socket = runtimeDirectory().resolve("toolresult.sock");
    places.add(new Place(named ? Path.of(variable("TOOLRESULT_SOCKET")) : socket, named));
    return places;
  }

  /** Reports whether a process accepts connections at a place, and is one to call. */
  private boolean serves(Place place, List<String> reasons) throws StatusException {
    int length = place.socket().toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_SOCKET_BYTES || !Files.exists(place.socket())) {
      return false;
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false); // a full queue of connections is not waited for
      if (!channel.connect(UnixDomainSocketAddress.of(place.socket()))) {
        throw unavailable("the sidecar at " + place.socket() + " does not answer");
      }
      UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
      if (place.named() || peer.equals(user())) {
        return true;
      }
      reasons.add(place.socket() + " is served by another user, " + peer.getName());
    } catch (ConnectException e) {
      // a sidecar that was killed left the socket
    } catch (BindException e) { // which is how Java calls EACCES
      reasons.add(place.socket() + ": " + e.getMessage());
    } catch (SocketException e) { // the queue is full, or a sandbox denies connections
      throw unavailable("the sidecar at " + place.socket() + " does not answer: " + e.getMessage());
    } catch (IOException e) {
      reasons.add(place.socket() + ": " + e.getMessage());
    }
    return false;
  }

  /** Returns the directory of this user for sockets. */
  private Path runtimeDirectory() {
    String session = variable("XDG_RUNTIME_DIR");
    if (session.startsWith("/")) {
      return Path.of(session, "toolresult");
    }
    String temporary = variable("TMPDIR");
    return Path.of(temporary.startsWith("/") ? temporary : "/tmp", "toolresult-" + uid);
  }

  private UserPrincipal user() throws IOException {
    // A number is taken as a user id, also of a user that has no name.
    return FileSystems.getDefault()
        .getUserPrincipalLookupService()
        .lookupPrincipalByName(Long.toString(uid));
  }

  private String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  private static StatusException unavailable(String message) {
    return Status.UNAVAILABLE.withDescription(message).asException();
  }
}
