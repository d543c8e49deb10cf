// The connection to a sidecar: gRPC over HTTP/2, on a Unix socket or TCP, with or without TLS.

import type { Interceptor, Transport } from "@connectrpc/connect";
import { Http2SessionManager, createGrpcTransport } from "@connectrpc/connect-node";
import type { ClientSessionOptions, SecureClientSessionOptions } from "node:http2";
import { connect, isIP } from "node:net";

/** TlsOptions are certificates and keys, as PEM text. */
export interface TlsOptions {
  /** The certificates of authorities that may have signed that of the sidecar. Default: those of Node.js. */
  ca?: string | Uint8Array | undefined;
  /** The certificate of this client. Default: none. */
  cert?: string | Uint8Array | undefined;
  /** The key of that. */
  key?: string | Uint8Array | undefined;
  /** The name that the certificate of the sidecar must have. Default: the host of the address. */
  serverName?: string | undefined;
}

/** Target is how a sidecar is called. */
export interface Target {
  /** unix:///PATH or HOST:PORT. */
  address: string;
  /** The token that calls carry; empty: none. */
  token: string;
  /** TLS over TCP; undefined: none. */
  tls: TlsOptions | undefined;
}

/** Connection is a transport, and how it ends. */
export interface Connection {
  transport: Transport;
  close(): void;
}

/** Limits of a connection. */
const maxReceived = 256 << 20; // bytes of an answer: compacted histories are large
const windowBytes = 1 << 20; // of flow control for each call
const sessionMemory = 512; // MB that Node.js takes for a connection; by default it rejects calls beyond 10
const ping = 15_000; // milliseconds; while calls run, so that a sidecar that is stopped is noticed

/** socketOf returns the path of a Unix socket, or undefined for another address. */
export function socketOf(address: string): string | undefined {
  if (!address.startsWith("unix:")) {
    return undefined;
  }
  return address.startsWith("unix://") ? address.slice("unix://".length) : address.slice("unix:".length);
}

/** open returns a transport for a target. The connection is made by the first call, and again whenever it is lost. */
export function open(target: Target): Connection {
  const baseUrl = urlOf(target);
  const sessions = new Http2SessionManager(baseUrl, { pingIntervalMs: ping, pingTimeoutMs: ping }, sessionOptions(target));
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager: sessions,
    acceptCompression: [],
    readMaxBytes: maxReceived,
    interceptors: target.token === "" ? [] : [bearer(target)],
  });
  return { transport, close: () => sessions.abort() };
}

/** urlOf returns the address as HTTP has it. */
function urlOf({ address, tls }: Target): string {
  if (socketOf(address) !== undefined) {
    return "http://localhost";
  }
  if (!/^(\[[0-9A-Fa-f:.]+\]|[^\s/:?#@[\]]+):\d{1,5}$/.test(address)) {
    throw new TypeError(`the address of a sidecar is unix:///PATH or HOST:PORT, and not ${JSON.stringify(address)}`);
  }
  return `${tls === undefined ? "http" : "https"}://${address}`;
}

/** sessionOptions returns the options of the connection. */
function sessionOptions({ address, tls }: Target): ClientSessionOptions | SecureClientSessionOptions {
  const common = { settings: { initialWindowSize: windowBytes, enablePush: false }, maxSessionMemory: sessionMemory };
  const path = socketOf(address);
  if (path !== undefined) {
    return { ...common, createConnection: () => connect({ path }) };
  }
  if (tls === undefined) {
    return common;
  }
  const { ca, cert, key, serverName } = tls;
  return { ...common, ca: pem(ca), cert: pem(cert), key: pem(key), ...(serverName === undefined ? {} : { servername: serverName }) };
}

/** pem returns the text of a certificate or a key. */
function pem(text: string | Uint8Array | undefined): string | Buffer | undefined {
  return text instanceof Uint8Array ? Buffer.from(text) : text;
}

/** bearer sends the token with each call (RFC 6750), in clear only to this machine. */
function bearer({ address, token, tls }: Target): Interceptor {
  if (socketOf(address) === undefined && tls === undefined && !isLoopback(address)) {
    throw new TypeError("a token is sent to another machine with TLS only");
  }
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

/** isLoopback reports whether an address is of this machine by its text. */
function isLoopback(address: string): boolean {
  const host = address.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return host === "localhost" || (isIP(host) === 4 && host.startsWith("127.")) || (isIP(host) === 6 && isLoopback6(host));
}

/** isLoopback6 reports whether an IPv6 address is ::1, however it is written. */
function isLoopback6(host: string): boolean {
  return new URL(`http://[${host}]/`).hostname === "[::1]";
}
