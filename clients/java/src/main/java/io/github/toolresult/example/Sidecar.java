package io.github.toolresult.example;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import io.github.toolresult.v1.AccessServiceGrpc;
import io.github.toolresult.v1.AccessServiceGrpc.AccessServiceBlockingV2Stub;
import io.github.toolresult.v1.ArtifactServiceGrpc;
import io.github.toolresult.v1.ArtifactServiceGrpc.ArtifactServiceBlockingV2Stub;
import io.github.toolresult.v1.AuditServiceGrpc;
import io.github.toolresult.v1.AuditServiceGrpc.AuditServiceBlockingV2Stub;
import io.github.toolresult.v1.ToolResultServiceGrpc;
import io.github.toolresult.v1.ToolResultServiceGrpc.ToolResultServiceBlockingV2Stub;
import io.github.toolresult.v1.ToolServiceGrpc;
import io.github.toolresult.v1.ToolServiceGrpc.ToolServiceBlockingV2Stub;
import io.github.toolresult.v1.TransportServiceGrpc;
import io.github.toolresult.v1.TransportServiceGrpc.TransportServiceBlockingV2Stub;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.health.v1.HealthGrpc.HealthBlockingStub;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sidecar is a connection to a sidecar, with the generated stubs. It is safe for concurrent use; a
 * program needs one. The connection is made by the first call, and again when it has failed.
 *
 * <p>Deadlines and retries are those of the contract, from {@code service_config.json} in this
 * package's JAR.
 */
public final class Sidecar implements AutoCloseable {
  private static final String SERVICE_CONFIG = "/io/github/toolresult/service_config.json";
  private static final int MAX_RECEIVED = 256 << 20; // bytes: compacted histories are large
  private static final int RETRY_BUFFER = 8 << 20; // bytes of a call that can be sent again
  private static final int WINDOW = 1 << 20; // bytes of flow control
  private static final int PING_SECONDS = 15;

  private final String address;
  private final String session;
  private final ManagedChannel connection;
  private final Channel channel; // of calls

  private Sidecar(String address, String session, ManagedChannel connection) {
    this.address = address;
    this.session = session;
    this.connection = connection;
    this.channel = ClientInterceptors.intercept(connection, new Reconnect(connection));
  }

  /**
   * Connects to the sidecar of this user.
   *
   * @throws NoSidecarException if none runs
   * @throws StatusException UNAVAILABLE, if there is one that cannot be called
   */
  public static Sidecar connect() throws StatusException {
    return builder().connect();
  }

  /** Returns a builder with every default. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the address: unix:///PATH or HOST:PORT. */
  public String address() {
    return address;
  }

  /** Returns the session of calls that name none; empty: none. */
  public String session() {
    return session;
  }

  /** Returns the channel, for stubs of other kinds. */
  public Channel channel() {
    return channel;
  }

  /** Returns the stub that projects, renders and compacts. */
  public ToolResultServiceBlockingV2Stub results() {
    return ToolResultServiceGrpc.newBlockingV2Stub(channel);
  }

  /** Returns the stub that reads what receipts do not show. */
  public ArtifactServiceBlockingV2Stub artifacts() {
    return ArtifactServiceGrpc.newBlockingV2Stub(channel);
  }

  /** Returns the stub that makes messages of providers. */
  public TransportServiceBlockingV2Stub transport() {
    return TransportServiceGrpc.newBlockingV2Stub(channel);
  }

  /** Returns the stub of read_result, by which a model reads on. */
  public ToolServiceBlockingV2Stub tools() {
    return ToolServiceGrpc.newBlockingV2Stub(channel);
  }

  /** Returns the stub that reads the audit log. */
  public AuditServiceBlockingV2Stub audit() {
    return AuditServiceGrpc.newBlockingV2Stub(channel);
  }

  /** Returns the stub that registers secrets and issues tokens. */
  public AccessServiceBlockingV2Stub access() {
    return AccessServiceGrpc.newBlockingV2Stub(channel);
  }

  /** Returns the stub of the standard health service. */
  public HealthBlockingStub health() {
    return HealthGrpc.newBlockingStub(channel);
  }

  /** Ends the connection, and the calls that still run. The sidecar goes on. */
  @Override
  public void close() {
    connection.shutdownNow();
  }

  /** Builder makes connections. */
  public static final class Builder {
    private String address = "";
    private String token = "";
    private String session = "";
    private boolean start;
    private Duration timeout = Duration.ZERO;
    private ChannelCredentials tls;

    private Builder() {}

    /** Names the sidecar: unix:///PATH or HOST:PORT. Empty: the one that is found. */
    public Builder address(String address) {
      this.address = address;
      return this;
    }

    /**
     * Sets the token that calls carry. Empty: over TCP that of the variable TOOLRESULT_TOKEN, and
     * none on a socket, where the user id suffices.
     */
    public Builder token(String token) {
      this.token = token;
      return this;
    }

    /** Sets the session of calls that name none. Empty: none. */
    public Builder session(String session) {
      this.session = session;
      return this;
    }

    /** Starts a sidecar where none runs, by {@code toolresult ensure}. Default: false. */
    public Builder start(boolean start) {
      this.start = start;
      return this;
    }

    /** Sets how long a unary call may take that has no deadline. Zero: as the contract has it. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /**
     * Sets the credentials over TCP, such as {@code TlsChannelCredentials.newBuilder()
     * .trustManager(ca).build()}. Null: none, in clear.
     */
    public Builder tls(ChannelCredentials tls) {
      this.tls = tls;
      return this;
    }

    /**
     * Connects.
     *
     * @throws NoSidecarException if no sidecar was found or could be started
     * @throws StatusException UNAVAILABLE, if there is one that cannot be called
     * @throws IllegalArgumentException if a token would be sent to another machine in clear
     * @throws UnsupportedOperationException if the address is a socket and this is not Linux
     */
    public Sidecar connect() throws StatusException {
      String target = address.isEmpty() ? new Discovery(System.getenv()).find(start) : address;
      boolean local = target.startsWith("unix:");
      NettyChannelBuilder builder = local ? overSocket(target) : overTcp(target, tls);
      String bearer = token.isEmpty() && !local ? variable("TOOLRESULT_TOKEN") : token;
      if (!bearer.isEmpty()) {
        if (!local && tls == null && !isLoopback(target)) {
          throw new IllegalArgumentException("a token is sent to another machine with TLS only");
        }
        builder.intercept(authorization(bearer));
      }
      if (!timeout.isZero()) {
        builder.intercept(new DefaultDeadline(timeout));
      }
      return new Sidecar(target, session, configure(builder).build());
    }
  }

  private static NettyChannelBuilder configure(NettyChannelBuilder builder) {
    return builder
        .defaultServiceConfig(serviceConfig())
        .disableServiceConfigLookUp()
        .enableRetry()
        .retryBufferSize(2 * RETRY_BUFFER)
        .perRpcBufferLimit(RETRY_BUFFER)
        .maxInboundMessageSize(MAX_RECEIVED)
        .flowControlWindow(WINDOW)
        .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS) // while calls run
        .keepAliveTimeout(PING_SECONDS, TimeUnit.SECONDS);
  }

  private static NettyChannelBuilder overTcp(String target, ChannelCredentials tls) {
    return NettyChannelBuilder.forTarget(
        target, tls == null ? InsecureChannelCredentials.create() : tls);
  }

  private static NettyChannelBuilder overSocket(String target) {
    if (!Epoll.isAvailable()) {
      throw new UnsupportedOperationException(
          "Unix sockets need Linux here; name HOST:PORT", Epoll.unavailabilityCause());
    }
    String path = target.replaceFirst("^unix:(//)?", "");
    return NettyChannelBuilder.forAddress(
            new DomainSocketAddress(path), InsecureChannelCredentials.create())
        .channelType(EpollDomainSocketChannel.class)
        .eventLoopGroup(Sockets.LOOP)
        .withOption(ChannelOption.SO_KEEPALIVE, null) // options of TCP, of which Netty warns
        .withOption(EpollChannelOption.TCP_USER_TIMEOUT, null)
        .overrideAuthority("localhost");
  }

  /** Sockets has the thread of all Unix sockets, a daemon. It never ends: calls would wait for it. */
  private static final class Sockets {
    private static final EventLoopGroup LOOP =
        new EpollEventLoopGroup(1, new DefaultThreadFactory("toolresult", true));
  }

  private static ClientInterceptor authorization(String token) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  /** Returns the deadlines and retries of the contract, in the form that gRPC takes. */
  private static Map<String, ?> serviceConfig() {
    try (InputStream in = Sidecar.class.getResourceAsStream(SERVICE_CONFIG)) {
      return new Gson()
          .fromJson(
              new InputStreamReader(in, StandardCharsets.UTF_8),
              new TypeToken<Map<String, Object>>() {}.getType());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reports whether HOST:PORT is of this machine by its text. */
  private static boolean isLoopback(String target) {
    String host = target.substring(0, Math.max(0, target.lastIndexOf(':')));
    host = host.replaceFirst("^\\[(.*)]$", "$1");
    byte[] ip = NetUtil.createByteArrayFromIpAddressString(host); // null: it is a name
    try {
      return host.equals("localhost") || ip != null && InetAddress.getByAddress(ip).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static String variable(String name) {
    return System.getenv().getOrDefault(name, "");
  }
}
