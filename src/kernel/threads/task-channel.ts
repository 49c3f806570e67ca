// The server's side of one task in a thread: messages to it, and from it in their order.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { TaskMessage } from './serve-tasks.ts';
import { fromSentError } from './task-error.ts';

export class TaskChannel<Received, Sent = never> {
  readonly #port: MessagePort;
  readonly #release: (error: unknown) => Promise<void>;
  readonly #received: Received[] = [];
  #awaited: PromiseWithResolvers<Received> | undefined;
  #ended: { error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  /** `release` is called once, when the task needs its thread no longer, with the error that has ended it. */
  constructor(port: MessagePort, release: (error: unknown) => Promise<void>) {
    this.#port = port;
    this.#release = release;
    port.on('message', (message: TaskMessage<Received>) => this.#receive(message));
  }

  send(message: Sent): void {
    this.#port.postMessage(message);
  }

  /** The next message. When all were received, rejects with the error that has ended the task. */
  receive(): Promise<Received> {
    if (this.#received.length > 0) return Promise.resolve(this.#received.shift()!);
    if (this.#ended !== undefined) return Promise.reject(this.#ended.error);
    this.#awaited = Promise.withResolvers();
    return this.#awaited.promise;
  }

  /** No further messages come. The first error counts. */
  end(error: unknown): void {
    // What the thread has sent before its end may not have been delivered yet.
    for (;;) {
      const last = receiveMessageOnPort(this.#port);
      if (last === undefined) break;
      this.#receive(last.message as TaskMessage<Received>);
    }
    this.#fail(error);
  }

  /** Resolves when the thread can take another task. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#port.close();
    await this.#release(this.#ended?.error);
  }

  #receive(received: TaskMessage<Received>): void {
    if ('error' in received) this.#fail(fromSentError(received.error));
    else if (this.#awaited === undefined) this.#received.push(received.message);
    else {
      this.#awaited.resolve(received.message);
      this.#awaited = undefined;
    }
  }

  #fail(error: unknown): void {
    this.#ended ??= { error };
    this.#awaited?.reject(this.#ended.error);
    this.#awaited = undefined;
  }
}
