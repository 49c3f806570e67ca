// The in-memory services of the Signalbox API, created when the server starts.
import type { Api } from '../kernel/http/protocol.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { BuiltConsole } from './console/built-console.ts';
import { LoginProvider, type ProviderSettings } from './external-login/provider.ts';
import { DocsIndex } from './search/docs-index.ts';
import { ChangeStreams } from './stream/change-streams.ts';

declare module '../kernel/kernel.ts' {
  interface Services {
    console: BuiltConsole;
    docsIndex: DocsIndex;
    loginProvider?: LoginProvider;
  }
}

/** `apis` are those whose documentation is searched. */
export async function openSignalboxServices(
  kernel: Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics' | 'guard'>,
  { apis, provider }: { apis: readonly Api[]; provider: ProviderSettings | undefined },
) {
  return {
    changeStreams: await new ChangeStreams(kernel).listen(),
    console: new BuiltConsole(),
    docsIndex: new DocsIndex(apis),
    ...(provider !== undefined && { loginProvider: new LoginProvider(provider, kernel) }),
  };
}
