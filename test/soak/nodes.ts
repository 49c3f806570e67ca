// Two nodes on one PostgreSQL, with shared large objects and repositories on a small disk, and the faults that happen to them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start, whenListening, type ServerProcess } from '../../src/cli/fixture.ts';
import { fixedPort } from '../fixed-port.ts';
import { startPostgres } from '../postgres.ts';
import { mountSmallDisk, type SmallDisk } from '../small-disk.ts';

export const TOKEN = 'api-soak-administrator-token';
const DISK_MB = 512;
/** Nodes may be ten seconds apart. */
const MOST_AHEAD_MS = 4000;

export interface Nodes {
  /** Those that should answer; any may be dead at the moment. */
  urls: readonly string[];
  faults: Record<string, () => Promise<void>>;
  /** Ends what lasts, such as a full disk. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startNodes(folder: string, canFill: boolean): Promise<Nodes> {
  const postgres = await startPostgres();
  let disk: SmallDisk | undefined;
  if (canFill) disk = await mountSmallDisk(folder, DISK_MB);
  const places = await Promise.all(
    ['one', 'two'].map(async (name) => ({
      name,
      port: await fixedPort(),
      clock: join(folder, `${name}.clock`),
    })),
  );
  const launch = ({ name, port, clock }: (typeof places)[number]) =>
    whenListening(
      start(['serve', '--port', String(port), '--data', join(folder, name)], {
        PATH: process.env['PATH'],
        DATABASE_URL: postgres.url,
        SIGNALBOX_ADMIN_TOKEN: TOKEN,
        SIGNALBOX_SECRET_KEY: 'a key of the soak, the same for all nodes',
        SIGNALBOX_BLOBS: join(folder, 'blobs'),
        SIGNALBOX_REPOSITORIES: join(folder, 'repositories'),
        SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1',
        SIGNALBOX_DISK_RESERVE: canFill ? '16' : '0',
        SIGNALBOX_LIMITS: 'off',
        SIGNALBOX_LOG_LEVEL: 'warn',
        SOAK_CLOCK: clock,
        NODE_OPTIONS: `--import ${new URL('step-clock.ts', import.meta.url).href}`,
      }),
    );
  const running: ServerProcess[] = [];
  for (const place of places) {
    writeFileSync(place.clock, '0');
    running.push(await launch(place));
  }
  const any = () => Math.floor(Math.random() * places.length);
  const restart = async (signal: NodeJS.Signals) => {
    const index = any();
    running[index]!.kill(signal);
    await running[index]!.ended;
    // A server does not start on a full disk.
    disk?.makeRoom();
    running[index] = await launch(places[index]!);
  };

  return {
    urls: places.map(({ port }) => `http://127.0.0.1:${port}`),
    faults: {
      'a node is killed': () => restart('SIGKILL'),
      'a node is stopped': () => restart('SIGTERM'),
      'the database crashes': () => postgres.crash(),
      'a clock steps': async () => {
        writeFileSync(places[any()]!.clock, String(Math.round((Math.random() * 2 - 1) * MOST_AHEAD_MS)));
      },
      ...(disk !== undefined && { 'the disk is full': async () => disk.fill() }),
    },
    heal() {
      disk?.makeRoom();
      for (const { clock } of places) writeFileSync(clock, '0');
    },
    async stop() {
      for (const node of running) node.kill('SIGTERM');
      await Promise.all(running.map(({ ended }) => ended));
      await postgres.stop();
      disk?.unmount();
    },
  };
}
