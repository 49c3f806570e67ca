// The thread's side: starts each task that the runner sends, and passes messages and errors of tasks back.
import { parentPort, type MessagePort, type Transferable } from 'node:worker_threads';
import { toSentError, type SentError } from './task-error.ts';

/** What the thread gets for each task. */
export interface TaskStart<Task> {
  task: Task;
  port: MessagePort;
}

/** What the port of a task brings. */
export type TaskMessage<Sent> = { message: Sent } | { error: SentError };

/** The connection of one task with the server. */
export class TaskPort<Sent, Received = never> {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  send(message: Sent, transferred: readonly Transferable[] = []): void {
    this.#port.postMessage({ message } satisfies TaskMessage<Sent>, transferred);
  }

  fail(error: unknown): void {
    this.#port.postMessage({ error: toSentError(error) } satisfies TaskMessage<Sent>);
  }

  /** What `receive` throws fails the task. */
  onMessage(receive: (message: Received) => void): void {
    this.#port.on('message', (message: Received) => {
      try {
        receive(message);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** The server needs nothing more of the task. */
  onClose(closed: () => void): void {
    this.#port.on('close', closed);
  }
}

/** What it throws, or its promise rejects with, fails the task; the thread goes on with others. */
type StartTask<Task, Sent, Received> = (task: Task, port: TaskPort<Sent, Received>) => void | Promise<void>;

export function serveTasks<Task, Sent, Received = never>(start: StartTask<Task, Sent, Received>): void {
  const serve = async ({ task, port: taskPort }: TaskStart<Task>): Promise<void> => {
    const port = new TaskPort<Sent, Received>(taskPort);
    try {
      await start(task, port);
    } catch (error) {
      port.fail(error);
    }
  };
  parentPort!.on('message', (sent: TaskStart<Task>) => void serve(sent));
  // The packages are loaded: from now on CPU time is that of tasks.
  parentPort!.postMessage('ready');
}
