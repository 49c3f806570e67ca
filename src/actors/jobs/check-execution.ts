// Refuses builds and runs where this server would have to execute them and may not.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';

/** A server that only answers calls leaves it to the nodes that execute. */
export function checkExecution({ services, settings }: Kernel): void {
  const { refusal } = services.runner;
  if (refusal === undefined || !settings.execution.isExecuting) return;
  throw new Failure('forbidden', refusal, { code: 'platform-feature-disabled' });
}
