// What /readyz says of this node.
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import type { Readiness } from '../kernel/http/server/server.ts';
import type { Kernel } from '../kernel/kernel.ts';

interface NodeState {
  /** Whether work that waits is done, here or, for a node without that role, by others. */
  hasWorker(): boolean;
  canRun: boolean;
  isOpen(): boolean;
}

export function readinessOf(
  { engine, disk, services }: Kernel,
  execution: ExecutionSettings,
  node: NodeState,
): Readiness {
  return {
    check: async () => ({
      database: await engine.ping().then(
        () => true,
        () => false,
      ),
      worker: node.hasWorker(),
      disk: !disk.isFull('data', 'blobs', 'repositories'),
      open: node.isOpen(),
    }),
    facts() {
      const { isolation, refusal } = services.runner;
      return {
        actors: {
          isolation,
          network: execution.network,
          canRun: node.canRun && refusal === undefined,
        },
        git: services.git.status().message,
        disk: disk.describe().join(' ') || 'There is room.',
      };
    },
  };
}
