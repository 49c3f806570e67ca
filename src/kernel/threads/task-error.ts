// Errors of tasks on their way from a thread, and of tasks that a thread could not finish.
import { Failure, type FailureDetails, type FailureKind } from '../failure.ts';

/** The task used up its CPU time, or its memory or stack; it threw what is no `Failure`; or the thread has ended. */
type StopReason = 'cpu' | 'memory' | 'error' | 'exit';

export class TaskStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TaskStopped';
    this.reason = reason;
  }

  /** Whether the task needs more than it may use; otherwise it is a defect, or the end of the thread. */
  get isExhausted(): boolean {
    return this.reason === 'cpu' || this.reason === 'memory';
  }
}

/** An error that ended the thread, or that a task threw in it. */
export function stoppedBy(error: unknown, reason: 'error' | 'exit'): TaskStopped {
  const { message, code } = error as NodeJS.ErrnoException;
  // Without stack or room for a larger value there is a RangeError, without memory the thread ends.
  const isExhausted = error instanceof RangeError || code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new TaskStopped(isExhausted ? 'memory' : reason, message, error);
}

/** As a message: a copy of an error by Node lacks the members of a `Failure`. */
export type SentError =
  | { kind: FailureKind; message: string; details: Pick<FailureDetails, 'code' | 'fields'> }
  | { reason: StopReason; message: string; stack: string | undefined };

export function toSentError(error: unknown): SentError {
  if (!(error instanceof Failure)) {
    const { reason, message } = stoppedBy(error, 'error');
    return { reason, message, stack: (error as Error).stack };
  }
  const { kind, message, details } = error;
  const { code, fields } = details;
  return {
    kind,
    message,
    details: { ...(code !== undefined && { code }), ...(fields !== undefined && { fields }) },
  };
}

export function fromSentError(sent: SentError): Failure | TaskStopped {
  if ('kind' in sent) return new Failure(sent.kind, sent.message, sent.details);
  const { reason, message, stack } = sent;
  return new TaskStopped(reason, message, Object.assign(new Error(message), { stack }));
}
