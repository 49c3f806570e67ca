// This server as a node that executes builds and runs, and why it may not.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    thisNode: ThisNode;
  }
}

export class ThisNode {
  /** Undefined on a server that does not execute anything, or not yet. */
  name: string | undefined;
  readonly #begun = Promise.withResolvers<string>();

  begin(name: string): void {
    this.name = name;
    this.#begun.resolve(name);
  }

  /** It executes nothing any more. */
  end(): void {
    this.name = undefined;
  }

  /** Resolves when it has begun. */
  get begun(): Promise<string> {
    return this.#begun.promise;
  }
}

/** Refuses builds and runs where this server would have to execute them and may not. */
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
