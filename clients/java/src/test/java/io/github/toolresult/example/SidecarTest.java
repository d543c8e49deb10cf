package io.github.toolresult.example;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import io.github.toolresult.v1.CommandOutput;
import io.github.toolresult.v1.CompleteToolOutput;
import io.github.toolresult.v1.ErrorReason;
import io.github.toolresult.v1.GetServerInfoRequest;
import io.github.toolresult.v1.GetServerInfoResponse;
import io.github.toolresult.v1.ProjectRequest;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.ProjectionPolicy;
import io.github.toolresult.v1.ReadArtifactRequest;
import io.github.toolresult.v1.StreamHeader;
import io.github.toolresult.v1.TailLines;
import io.github.toolresult.v1.TextOutput;
import io.github.toolresult.v1.ToolResultServiceGrpc;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SidecarTest {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Has the built sidecar. */
  @Nested
  @EnabledIfEnvironmentVariable(named = "TOOLRESULT_BINARY", matches = ".+")
  class OfTheBinary {
    @TempDir Path home;
    private Process process;
    private Sidecar sidecar;
    private Projector projector;

    @BeforeEach
    void serve() throws Exception {
      start();
      sidecar = Sidecar.builder().address("unix://" + home.resolve("run/s")).connect();
      projector = new Projector(sidecar);
    }

    private void start(String... flags) throws Exception {
      List<String> line = new ArrayList<>(List.of(System.getenv("TOOLRESULT_BINARY"), "serve"));
      line.add("--socket=" + home.resolve("run/s"));
      line.add("--store=" + home.resolve("store"));
      line.add("--volatile");
      line.add("--log-level=error");
      line.addAll(List.of(flags));
      var command = new ProcessBuilder(line);
      command.environment().clear();
      command.environment().put("HOME", home.toString());
      process = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      assertNotNull(process.inputReader().readLine()); // its address, once it listens
    }

    @AfterEach
    void end() throws Exception {
      sidecar.close();
      process.destroy();
      process.waitFor();
    }

    @Test
    void answersManyThreads() throws Exception {
      var threads = Executors.newFixedThreadPool(8);
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String mine = "thread " + i;
        all.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < 50; n++) {
                    String text = mine + " call " + n;
                    String receipt = projector.projectText("echo", text).getReceipt().getText();
                    assertTrue(receipt.contains(text), receipt);
                  }
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
      threads.shutdown();
    }

    @Test
    void saysWhatTheAgentLooksFor() throws Exception {
      projector.setTask("the task");
      ProjectRequest request =
          ProjectRequest.newBuilder()
              .setOutput(
                  CompleteToolOutput.newBuilder()
                      .setToolName("search")
                      .setText(TextOutput.newBuilder().setContent(Projector.inline("x"))))
              .setPolicy(ProjectionPolicy.newBuilder().setFocus("y".repeat(8193)))
              .build();
      Rejection why =
          Rejection.of(assertThrows(StatusException.class, () -> projector.project(request)));
      assertEquals(ErrorReason.ERROR_REASON_FIELD_OUT_OF_BOUNDS, why.reason());
      assertEquals("the task", Projector.joinFocus("the task", ""));
      assertEquals("the task\nnow", Projector.joinFocus("the task", "now"));
      for (String unit : List.of("a", "ü", "漢", "\ud83d\ude00")) {
        String joined = Projector.joinFocus(unit.repeat(9000), "now");
        int size = joined.getBytes(StandardCharsets.UTF_8).length;
        assertTrue(size > 8188 && size <= 8192 && joined.endsWith(unit + "\nnow"), unit);
        projector.setTask(unit.repeat(9000));
        projector.projectText("search", "x");
      }
    }

    @Test
    void takesTextsOfAnySize() throws Exception {
      byte[] text = bytes("0123456789abcde\n".repeat(50 << 16)); // 50 MiB
      text[text.length - 2] = (byte) 0xff; // and any bytes
      ProjectResponse result = projector.projectText("build", text);
      var last =
          sidecar
              .artifacts()
              .readArtifact(
                  ReadArtifactRequest.newBuilder()
                      .setPath(Artifacts.of(result.getCanonical()).get(0))
                      .setTail(TailLines.newBuilder().setLines(1))
                      .build());
      assertEquals(text.length, last.getTotalBytes());
      ByteString line = ByteString.copyFrom(text, text.length - 16, 16);
      assertEquals(line, last.getData());
    }

    @Test
    void takesEmptyTextsAndHalvesOfCharacters() throws Exception {
      assertTrue(projector.projectText("echo", "").getReceipt().getText().contains("nothing"));
      assertTrue(projector.projectText("echo", "a\ud83d").getReceipt().getText().contains("a?"));
    }

    @Test
    void endsACallThatIsInterrupted() throws Exception {
      Thread.currentThread().interrupt();
      var why = assertThrows(StatusException.class, () -> projector.projectText("echo", "x"));
      assertEquals(ErrorReason.ERROR_REASON_CLIENT_CANCELLED, Rejection.of(why).reason());
      assertTrue(Thread.interrupted());
      byte[] large = new byte[4 << 20];
      Thread.currentThread().interrupt();
      why = assertThrows(StatusException.class, () -> projector.projectText("echo", large));
      assertEquals(ErrorReason.ERROR_REASON_CLIENT_CANCELLED, Rejection.of(why).reason());
      assertTrue(Thread.interrupted());
      projector.projectText("echo", "x");
    }

    @Test
    void keepsNothingOfAStreamThatIsLeft() throws Exception {
      try (var stream = new CommandStream(sidecar, StreamHeader.getDefaultInstance(), "t", "make")) {
        stream.write(CommandStream.STDOUT, bytes("half"));
        assertThrows(IllegalArgumentException.class, () -> stream.write(CommandStream.OUTPUT, bytes("x")));
      }
      var stream = new CommandStream(sidecar, StreamHeader.getDefaultInstance(), "t", "make");
      stream.write(CommandStream.STDERR, bytes("all"));
      var end = CommandOutput.newBuilder().setExitStatus(0).build();
      assertTrue(stream.finish(end).getReceipt().getText().contains("all"));
      assertThrows(IllegalStateException.class, () -> stream.finish(end));
      stream.close();
      assertThrows(IllegalStateException.class, () -> stream.write(CommandStream.STDERR, bytes("x")));
    }

    @Test
    void saysWhatAStreamDidWrong() throws Exception {
      var header = StreamHeader.newBuilder().setFamily("a b").build();
      try (var stream = new ToolStream(sidecar, header)) {
        var why = assertThrows(StatusException.class, () -> stream.snapshot(output()));
        assertEquals(ErrorReason.ERROR_REASON_FAMILY_UNKNOWN, Rejection.of(why).reason());
      }
      try (var stream = new ToolStream(sidecar, header)) { // while it is written
        var why =
            assertThrows(
                StatusException.class,
                () -> {
                  for (int i = 0; i < 1000; i++) {
                    stream.write("output", ByteString.copyFrom(new byte[256 << 10]));
                  }
                });
        assertEquals(ErrorReason.ERROR_REASON_FAMILY_UNKNOWN, Rejection.of(why).reason());
      }
    }

    private io.github.toolresult.v1.CompleteToolOutput output() {
      return ProjectRequest.getDefaultInstance().getOutput();
    }

    @Test
    void findsASidecarThatStartsAgain() throws Exception {
      projector.projectText("echo", "x");
      process.destroyForcibly().waitFor();
      long began = System.nanoTime();
      var why = assertThrows(StatusException.class, () -> projector.projectText("echo", "x"));
      assertEquals("start one: toolresult ensure", Rejection.of(why).hint(), () -> "of " + why);
      long took = (System.nanoTime() - began) / 1_000_000;
      assertTrue(took < 4000, took + " ms until it failed");
      began = System.nanoTime();
      for (int i = 0; i < 20; i++) {
        assertThrows(StatusException.class, () -> projector.projectText("echo", "x"));
      }
      took = (System.nanoTime() - began) / 1_000_000;
      assertTrue(took < 6000, took + " ms for 20 calls, which have to fail at once soon");
      Thread.sleep(3000); // gRPC itself would wait for longer now
      start();
      projector.projectText("echo", "x"); // the first call finds it
    }

    @Test
    void connectsWithCertificatesOfBothSides() throws Exception {
      assumeTrue(new File("/usr/bin/openssl").exists());
      run(
          "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out cert"
              + " -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost && chmod 600 key"
              + " && echo a-token-of-this-test-that-is-long-enough > token && chmod 600 token");
      process.destroy();
      process.waitFor();
      int port;
      try (ServerSocket free = new ServerSocket(0)) {
        port = free.getLocalPort();
      }
      File cert = home.resolve("cert").toFile();
      start(
          "--tcp=127.0.0.1:" + port,
          "--token-file=" + home.resolve("token"),
          "--tls-cert=" + cert,
          "--tls-key=" + home.resolve("key"),
          "--tls-client-ca=" + cert);
      var builder = Sidecar.builder().address("localhost:" + port);
      var trusting = TlsChannelCredentials.newBuilder().trustManager(cert);
      try (Sidecar nobody = builder.tls(trusting.build()).connect()) {
        assertThrows(
            StatusException.class, () -> new Projector(nobody).projectText("echo", "x"));
      }
      builder.tls(trusting.keyManager(cert, home.resolve("key").toFile()).build());
      try (Sidecar known = builder.token("a-token-of-this-test-that-is-long-enough").connect()) {
        assertTrue(
            new Projector(known).projectText("echo", "hello").getReceipt().getText().contains("hello"));
      }
      try (Sidecar wrong = builder.token("another").connect()) {
        var why =
            assertThrows(
                StatusException.class, () -> new Projector(wrong).projectText("echo", "x"));
        assertEquals(ErrorReason.ERROR_REASON_TOKEN_INVALID, Rejection.of(why).reason());
      }
    }

    private void run(String script) throws Exception {
      var shell = new ProcessBuilder("sh", "-c", script).directory(home.toFile());
      shell.redirectErrorStream(true).redirectOutput(home.resolve("out").toFile());
      assertEquals(0, shell.start().waitFor());
    }

    @Test
    void endsTheCallsOfOtherThreadsWithTheConnection() throws Exception {
      for (int round = 0; round < 20; round++) {
        Sidecar own = Sidecar.builder().address(sidecar.address()).connect();
        var threads = Executors.newFixedThreadPool(4);
        List<Future<StatusException>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          all.add(
              threads.submit(
                  () -> {
                    while (true) {
                      try {
                        new Projector(own).projectText("echo", "x");
                      } catch (StatusException e) {
                        return e;
                      } catch (NullPointerException e) {
                        var at = e.getStackTrace()[0].getClassName();
                        if (!at.equals("io.grpc.internal.RetriableStream")) {
                          throw e;
                        } // gRPC throws it if the channel is shut down while a call begins
                        return Status.UNAVAILABLE.asException();
                      }
                    }
                  }));
        }
        Thread.sleep(50);
        own.close();
        for (var one : all) {
          var code = one.get(10, TimeUnit.SECONDS).getStatus().getCode();
          assertTrue(code == Status.Code.UNAVAILABLE || code == Status.Code.CANCELLED, code.name());
        }
        threads.shutdown();
      }
    }

    @Test
    void endsCallsWithTheConnection() throws Exception {
      projector.projectText("echo", "x");
      var stream = new CommandStream(sidecar, StreamHeader.getDefaultInstance(), "t", "make");
      sidecar.close();
      assertThrows(StatusException.class, () -> stream.write(CommandStream.OUTPUT, bytes("x")));
      var why = assertThrows(StatusException.class, () -> projector.projectText("echo", "x"));
      assertEquals(Status.Code.UNAVAILABLE, why.getStatus().getCode());
    }
  }

  /** Has a server that says which headers and deadlines it gets. */
  @Nested
  class OfTheTest {
    @TempDir Path home;
    private volatile String authorization;
    private volatile Deadline deadline;
    private final EpollEventLoopGroup loop =
        new EpollEventLoopGroup(1, new DefaultThreadFactory("server", true));

    private Server serve(NettyServerBuilder builder) throws Exception {
      return builder
          .addService(
              new ToolResultServiceGrpc.ToolResultServiceImplBase() {
                @Override
                public void getServerInfo(
                    GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> answer) {
                  deadline = Context.current().getDeadline();
                  answer.onNext(GetServerInfoResponse.getDefaultInstance());
                  answer.onCompleted();
                }
              })
          .intercept(
              new ServerInterceptor() {
                @Override
                public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                  authorization =
                      headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
                  return next.startCall(call, headers);
                }
              })
          .build()
          .start();
    }

    private String sent(Sidecar.Builder builder) throws Exception {
      try (Sidecar sidecar = builder.connect()) {
        sidecar.results().getServerInfo(GetServerInfoRequest.getDefaultInstance());
      }
      return authorization;
    }

    private Server serve(Path socket) throws Exception {
      return serve(
          NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
              .channelType(EpollServerDomainSocketChannel.class)
              .bossEventLoopGroup(loop)
              .workerEventLoopGroup(loop)
              .withChildOption(ChannelOption.SO_KEEPALIVE, null));
    }

    @Test
    void waitsForASidecarThatStartsDuringACall() throws Exception {
      Path socket = home.resolve("s");
      try (Sidecar sidecar = Sidecar.builder().address("unix://" + socket).connect()) {
        var info = GetServerInfoRequest.getDefaultInstance();
        var call =
            CompletableFuture.runAsync(
                () -> assertDoesNotThrow(() -> sidecar.results().getServerInfo(info)));
        Thread.sleep(150); // grpc-java gives up after 0.6 s at the earliest
        Server server = serve(socket);
        try {
          call.get(10, TimeUnit.SECONDS);
        } finally {
          server.shutdownNow();
        }
      }
    }

    @Test
    void sendsNoTokenOnASocketUnlessItIsAskedTo() throws Exception {
      Path socket = home.resolve("s");
      Server server = serve(socket);
      try {
        assertNull(sent(Sidecar.builder().address("unix://" + socket)));
        assertEquals("Bearer mine", sent(Sidecar.builder().address("unix://" + socket).token("mine")));
      } finally {
        server.shutdownNow();
      }
    }

    @Test
    void sendsATokenInClearToThisMachineOnly() throws Exception {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      Server server = serve(NettyServerBuilder.forAddress(new InetSocketAddress(loopback, 0)));
      try {
        String port = ":" + server.getPort();
        String ofTheEnvironment = "Bearer " + System.getenv("TOOLRESULT_TOKEN");
        assertEquals(ofTheEnvironment, sent(Sidecar.builder().address("127.0.0.1" + port)));
        assertEquals("Bearer mine", sent(Sidecar.builder().address("localhost" + port).token("mine")));
      } finally {
        server.shutdownNow();
      }
      for (String other : List.of("192.0.2.1:1", "example.org:1", "127.0.0.1.example.org:1", "[2001:db8::1]:1")) {
        var builder = Sidecar.builder().address(other);
        assertThrows(IllegalArgumentException.class, builder::connect, other);
      }
      for (String here : List.of("127.9.9.9:1", "[::1]:1", "localhost:1")) {
        Sidecar.builder().address(here).connect().close();
      }
    }

    @Test
    void hasDeadlines() throws Exception {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      Server server = serve(NettyServerBuilder.forAddress(new InetSocketAddress(loopback, 0)));
      try {
        String address = "127.0.0.1:" + server.getPort();
        sent(Sidecar.builder().address(address));
        assertEquals(30, deadline.timeRemaining(TimeUnit.SECONDS), 2); // of the contract
        sent(Sidecar.builder().address(address).timeout(Duration.ofSeconds(9)));
        assertEquals(9, deadline.timeRemaining(TimeUnit.SECONDS), 2);
      } finally {
        server.shutdownNow();
      }
    }

    @Test
    void failsSoonWhereNobodyListens() throws Exception {
      try (Sidecar sidecar = Sidecar.builder().address("unix://" + home.resolve("none")).connect()) {
        long began = System.nanoTime();
        var info = GetServerInfoRequest.getDefaultInstance();
        var why = assertThrows(StatusException.class, () -> sidecar.results().getServerInfo(info));
        assertEquals("", Rejection.of(why).reasonName());
        assertTrue(Rejection.of(why).retryable());
        assertTrue(Rejection.of(why).message().contains("FileNotFound"), Rejection.of(why).message());
        long took = (System.nanoTime() - began) / 1_000_000;
        assertTrue(took < 3000, took + " ms");
        var health = HealthCheckRequest.getDefaultInstance();
        assertThrows(io.grpc.StatusRuntimeException.class, () -> sidecar.health().check(health));
      }
    }
  }
}
