/** Entry is a message that waits to be taken. */
interface Entry<T> {
  message: T;
  taken: () => void;
  failed: (reason: Error) => void;
}

/** Outgoing is the messages of a call that are still made: one side pushes, and the transport takes them. */
export class Outgoing<T> implements AsyncIterable<T> {
  readonly #queue: Entry<T>[] = [];
  #waiting: ((result: IteratorResult<T>) => void)[] = [];
  #ended = false;

  /** push adds a message. The promise is kept when it was taken, so that awaiting it keeps the queue short. */
  push(message: T): Promise<void> {
    return new Promise((taken, failed) => {
      if (this.#ended) {
        failed(new Error("the call has ended"));
        return;
      }
      const waiting = this.#waiting.shift();
      if (waiting === undefined) {
        this.#queue.push({ message, taken, failed });
      } else {
        waiting({ done: false, value: message });
        taken();
      }
    });
  }

  /** end closes the messages. What was not taken never is. */
  end(): void {
    this.#ended = true;
    for (const entry of this.#queue.splice(0)) {
      entry.failed(new Error("the call has ended"));
    }
    for (const waiting of this.#waiting.splice(0)) {
      waiting({ done: true, value: undefined });
    }
  }

  /** Only one side takes messages. */
  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => this.#take(),
      return: () => this.#stop(),
      throw: () => this.#stop(),
    };
  }

  /** #take returns the next message. */
  #take(): Promise<IteratorResult<T>> {
    const entry = this.#queue.shift();
    if (entry !== undefined) {
      entry.taken();
      return Promise.resolve({ done: false, value: entry.message });
    }
    if (this.#ended) {
      return Promise.resolve({ done: true, value: undefined });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** #stop is the end by the side that takes. */
  #stop(): Promise<IteratorResult<T>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }
}
