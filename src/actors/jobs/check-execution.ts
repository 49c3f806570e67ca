// Refuses builds and runs where this server would have to execute them and may not.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';

export function checkExecution(kernel: Kernel): void {
  const refusal = executionRefusal(kernel);
  if (refusal !== undefined) throw new Failure('forbidden', refusal, { code: 'platform-feature-disabled' });
}

/** Why nothing can be built or run here. A server that only answers calls leaves it to the nodes that execute. */
export function executionRefusal({
  services,
  settings,
}: Pick<Kernel, 'services' | 'settings'>): string | undefined {
  return settings.execution.isExecuting ? services.runner.refusal : undefined;
}
