// Due work that deletes the examples of `--demo` and makes them anew; `demo reset` asks for it.
import type { BackgroundWork } from '../kernel/http/protocol.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { apis } from './apis.ts';
import { removeDemo, seedDemo, type DemoServer } from './demo.ts';

export const DEMO_RESET = 'demo.reset';

interface DemoResetWork extends Required<Pick<BackgroundWork, 'handlers'>> {
  stop(): Promise<void>;
}

/** A handler that is interrupted begins again: each step leaves out what is done. */
export function demoResetWork(server: DemoServer, kernel: Kernel): DemoResetWork {
  let rest: Awaited<ReturnType<typeof seedDemo>> | undefined;
  return {
    handlers: {
      [DEMO_RESET]: async () => {
        await rest?.stop();
        await removeDemo(server, kernel, apis);
        rest = await seedDemo(server, kernel, apis);
        // Builds and runs take a while, and no lease waits for them.
        void rest.start();
      },
    },
    stop: async () => await rest?.stop(),
  };
}
