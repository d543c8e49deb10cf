import { setMaxListeners } from "node:events";

/** Joined is a signal of a call, to be released when the call has ended. */
export interface Joined {
  signal: AbortSignal;
  release(): void;
}

/** Lifetime ends the calls of a client that is closed. Calls that begin later are of the next lifetime. */
export class Lifetime {
  #closing = opened();

  /** close ends the calls that run. */
  close(): void {
    this.#closing.abort(new Error("the client was closed"));
    this.#closing = opened();
  }

  /** join returns a signal that is given by the caller, if there is one, or by close. */
  join(signal: AbortSignal | undefined): Joined {
    const closing = this.#closing.signal;
    return signal === undefined ? { signal: closing, release: () => {} } : join(signal, closing);
  }
}

/** opened returns a controller that any number of calls may wait for. */
function opened(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** join returns a signal that is given when one of two is. */
export function join(one: AbortSignal, other: AbortSignal): Joined {
  const controller = new AbortController();
  const stop = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  if (one instanceof EventTarget) {
    setMaxListeners(0, one); // a caller may give one signal to many calls, and get no warning
  }
  if (one.aborted) {
    controller.abort(one.reason);
  }
  one.addEventListener("abort", stop);
  other.addEventListener("abort", stop);
  const release = () => {
    one.removeEventListener("abort", stop);
    other.removeEventListener("abort", stop);
  };
  return { signal: controller.signal, release };
}
