// Whether programs on this machine can have a network of their own: found out by starting one.
import { once } from 'node:events';
import { launchInBubblewrap, PROBE_PROGRAM } from './bubblewrap.ts';
import { PROBE_UID, type BubblewrapIsolation, type Isolation } from './isolation.ts';
import { launch } from '../launch.ts';
import { missingTools, NetworkUnavailable } from './private-network.ts';
import { openAttempts } from './machine-tools.ts';
import { systemWords } from './system-files.ts';
import { userWords } from './uid.ts';

let ofMachine: Promise<string | undefined> | undefined;

/** Why they cannot, as the end of a sentence. It does not change while a process runs, so it is tried once. */
export async function findNetworkShortfall(isolation: Isolation): Promise<string | undefined> {
  if (isolation.kind !== 'bubblewrap') return 'that needs bubblewrap';
  ofMachine ??= tryNetwork(isolation);
  return await ofMachine;
}

async function tryNetwork(isolation: BubblewrapIsolation): Promise<string | undefined> {
  return missingTools(isolation.tools) ?? (await openAttempts()(() => probeNetwork(isolation)));
}

async function probeNetwork({ tools, abilities, usersBy }: BubblewrapIsolation): Promise<void> {
  const plan = launchInBubblewrap(
    { ...PROBE_PROGRAM, network: 'private' },
    {
      tools,
      abilities,
      files: { system: systemWords(), node: '/usr' },
      maxProcesses: 1024,
      ...(usersBy !== undefined && {
        user: { uid: PROBE_UID, words: userWords(usersBy, PROBE_UID), release: () => {} },
      }),
    },
  );
  const launched = await launch(plan, '/dev/null', { strays: [] }).catch((error: unknown) => {
    throw error instanceof NetworkUnavailable ? new Error(error.reason) : error;
  });
  try {
    const ended = once(launched.child, 'exit');
    launched.go();
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error('bubblewrap does not work in a network namespace');
  } finally {
    launched.connection?.end();
  }
}
