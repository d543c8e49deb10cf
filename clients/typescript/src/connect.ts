// Connecting to a sidecar.

import { Client } from "./client.js";
import { find } from "./discovery.js";
import { Lifetime } from "./lifetime.js";
import { withPolicy } from "./retry.js";
import { serviceConfig } from "./service_config.js";
import { open, socketOf } from "./transport.js";
import type { TlsOptions } from "./transport.js";

/** ConnectOptions are those of a connection. */
export interface ConnectOptions {
  /** The sidecar: unix:///PATH or HOST:PORT. Default: the one that is found. */
  address?: string | undefined;
  /**
   * The token that calls carry: that of the sidecar over TCP, or one of a session. Default: over TCP that of the variable
   * TOOLRESULT_TOKEN. Without TLS a token is sent to the loopback address and over a socket only.
   */
  token?: string | undefined;
  /** TLS over TCP. Default: none. */
  tls?: TlsOptions | undefined;
  /**
   * Whether a sidecar is started where none runs, by `toolresult ensure`: the program that the variable TOOLRESULT_BINARY names, or
   * that is found in PATH. Default: false.
   */
  start?: boolean | undefined;
  /** How long a call may take that says nothing itself, in milliseconds; streams excepted. Default: by the method, 30,000 for most. */
  timeoutMs?: number | undefined;
  /** The session of calls that name none. Default: none. */
  session?: string | undefined;
  /** Ends a start. */
  signal?: AbortSignal | undefined;
}

/**
 * connect returns a client of the sidecar that was named or, by default, of the one of this user (docs/discovery.md). The connection is
 * made by the first call, and again when it was lost. An idle one does not keep the process alive.
 *
 * Errors: NoSidecarError when none is found, and none may be started; UnavailableError when one is found that accepts nothing, or could
 * not be started; a TypeError for an address that is none, and for a token that would be sent in clear to another machine.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const address = options.address || (await find({ start: options.start ?? false, env: process.env, signal: options.signal }));
  const inherited = socketOf(address) === undefined ? process.env["TOOLRESULT_TOKEN"] : undefined; // on a socket the user id suffices
  const connection = open({ address, token: options.token || inherited || "", tls: options.tls });
  const lifetime = new Lifetime();
  const transport = withPolicy(connection.transport, serviceConfig, lifetime, options.timeoutMs);
  const close = () => {
    lifetime.close();
    connection.close();
  };
  return new Client(address, { transport, close }, options.session ?? "");
}
