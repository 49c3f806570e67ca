// The commands `secrets status`, `secrets rotate` and `secrets prune`.
import type { Config } from '../../app/config.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { readExistingKeys, secretKeySource } from '../../app/secret-keys.ts';
import { sealedColumns } from '../../app/secret-rotation.ts';
import { Failure } from '../../kernel/failure.ts';
import { Keyring } from '../../kernel/secrets/keyring.ts';
import { KEYS_CHANNEL } from '../../kernel/secrets/secret-box.ts';
import { newSecretKey, writeSecretKeyFile } from '../../kernel/secrets/secret-key-file.ts';
import {
  findWrittenKey,
  listKeyNodes,
  listSealedRows,
  type RowKey,
} from '../../kernel/secrets/store-keyring.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { EXIT } from '../command-errors.ts';
import { alignTable, printJson, wantsJson, type Io } from '../io.ts';
import { withMigratedDatabase } from '../open-database.ts';

const ROWS = 500;
/** No signature is good for longer: those of downloads and of forms expire after an hour. */
const LONGEST_SIGNATURE_MS = 2 * 60 * 60 * 1000;

interface SecretsReport {
  source: string;
  /** The key that is written; null before the first secret. */
  written: string | null;
  /** Those that this program finds, the newest first. */
  keys: { id: string; secrets: number; state: 'written' | 'coming' | 'old' }[];
  /** Of keys that are not here; a text of a user may look like one. */
  unreadable: number;
  changedAt: string | null;
  sweptAt: string | null;
  nodes: { node: string; keys: string[]; writes: string }[];
  /** Nodes that have not got the newest key. */
  waitsFor: string[];
  /** Whether older keys may be removed, and since or from when. */
  canPrune: boolean;
  pruneAt: string | null;
}

async function readReport(config: Config, db: Db): Promise<SecretsReport> {
  const now = Date.now();
  const source = secretKeySource(config);
  const ring = new Keyring((await readExistingKeys(config)) ?? []);
  const [row, nodes, counts] = await Promise.all([
    findWrittenKey(db),
    listKeyNodes(db, now),
    countSecrets(db, ring),
  ]);
  const written =
    row === undefined ? undefined : (ring.find(row.fingerprint)?.id ?? row.fingerprint.slice(0, 10));
  const at = ring.ids.indexOf(written ?? '');
  const keys = ring.ids.map((id, index) => ({
    id,
    secrets: counts.get(id) ?? 0,
    state:
      id === written ? ('written' as const) : index < at || at < 0 ? ('coming' as const) : ('old' as const),
  }));
  const newest = ring.keys[0]?.id;
  const time = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString());
  const pruneAt = row?.changedAt == null ? null : row.changedAt + LONGEST_SIGNATURE_MS;
  const isSwept =
    row?.sweptAt != null && keys.every(({ state, secrets }) => state === 'written' || secrets === 0);
  return {
    source: source.description,
    written: written ?? null,
    keys,
    unreadable: counts.get('unknown') ?? 0,
    changedAt: time(row?.changedAt),
    sweptAt: time(row?.sweptAt),
    nodes: nodes.map(({ node, keys: held, writes }) => ({ node, keys: held, writes })),
    waitsFor: nodes
      .filter(({ keys: held }) => newest !== undefined && !held.includes(newest))
      .map(({ node }) => node),
    canPrune: keys.length > 1 && written === newest && isSwept && pruneAt !== null && pruneAt <= now,
    pruneAt: time(pruneAt),
  };
}

async function countSecrets(db: Db, ring: Keyring): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const column of sealedColumns) {
    let after: RowKey | undefined;
    for (;;) {
      const rows = await listSealedRows(db, column, after, ROWS);
      for (const { value } of rows) ring.count(value, counts);
      if (rows.length < ROWS) break;
      after = rows.at(-1)!.key;
    }
  }
  return counts;
}

export async function runSecretsStatus(
  { config }: LoadedSettings,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const report = await withMigratedDatabase(config, ({ db }) => readReport(config, db));
  if (wantsJson(options, io)) printJson(io, report);
  else io.out(describe(report, io));
  return EXIT.good;
}

function describe(report: SecretsReport, { program }: Io): string {
  const { source, written, keys, unreadable, sweptAt, changedAt, nodes, waitsFor, canPrune, pruneAt } =
    report;
  const rows = keys.map(({ id, state, secrets }) => [id, state, String(secrets)]);
  const old = keys.filter(({ state }) => state === 'old');
  return [
    alignTable(['Key', 'State', 'Secrets'], rows),
    '',
    `The keys are ${source.replace(/^the one /, '')}.`,
    ...(written === null ? ['No secret is stored yet.'] : []),
    ...(keys.some(({ state }) => state === 'coming') && written !== null
      ? ['The newest key is written as soon as every node reads it.']
      : []),
    ...(nodes.length > 0
      ? [`Nodes: ${nodes.map(({ node, writes }) => `${node} writes ${writes}`).join('; ')}.`]
      : []),
    ...(waitsFor.length > 0 ? [`These nodes have not got the newest key: ${waitsFor.join(', ')}.`] : []),
    ...(unreadable > 0
      ? [`${unreadable} texts are of keys that are not here, or only look like secrets.`]
      : []),
    ...(changedAt !== null && sweptAt === null
      ? ['Secrets are being encrypted anew while a server runs.']
      : []),
    ...(canPrune
      ? [`The older keys are not needed any more: ${program} secrets prune`]
      : old.length > 0
        ? [`Keep the older keys until all secrets have the new one, at least until ${pruneAt}.`]
        : []),
  ].join('\n');
}

export async function runSecretsRotate({ config }: LoadedSettings, io: Io): Promise<number> {
  return await withMigratedDatabase(config, async (engine) => {
    const source = secretKeySource(config);
    const { keys, written } = await readReport(config, engine.db);
    const [newest] = keys;
    if (newest === undefined)
      throw new Failure('not-found', `There is no key yet (${source.description}): start the server once.`);
    if (written === null)
      throw new Failure('conflict', 'No secret is stored yet: set another key, and restart.');
    if (newest.state === 'coming') {
      await engine.notify(KEYS_CHANNEL);
      throw new Failure(
        'conflict',
        `The key ${newest.id} is to be written already, as soon as every node reads it: ${io.program} secrets status tells which do not.`,
      );
    }
    const fresh = newSecretKey();
    const { id } = new Keyring([fresh]).newest;
    if (source.file === undefined) {
      io.err(adviceFor(source.kind, id));
      io.out(fresh);
      return EXIT.good;
    }
    const known = (await readExistingKeys(config)) ?? [];
    writeSecretKeyFile(source.file, [fresh, ...known]);
    await engine.notify(KEYS_CHANNEL);
    io.err(
      `Made the key ${id} in ${source.file}. ` +
        (engine.isShared
          ? `Copy the file to every other node: the key is written once all of them have it. ${io.program} secrets status tells which do not.`
          : 'A server that runs writes it within seconds, else the next start does.'),
    );
    io.err('Keep a copy of the file. Backups from before need the old key, which is still in it.');
    return EXIT.good;
  });
}

function adviceFor(kind: string, id: string): string {
  if (kind === 'command')
    return `Let SIGNALBOX_SECRET_KEY_COMMAND print this key (${id}) on the first line, and those from before below. Run this command again, or restart the nodes one after the other:`;
  return `Set SIGNALBOX_SECRET_KEY to this key (${id}), and SIGNALBOX_SECRET_KEY_OLD to what it was, and restart the nodes one after the other:`;
}

export async function runSecretsPrune({ config }: LoadedSettings, io: Io): Promise<number> {
  return await withMigratedDatabase(config, async (engine) => {
    const source = secretKeySource(config);
    const { keys, canPrune, sweptAt, pruneAt, written } = await readReport(config, engine.db);
    const old = keys.filter(({ state }) => state === 'old');
    if (old.length === 0) {
      io.err('There are no older keys.');
      return EXIT.good;
    }
    if (!canPrune) {
      const reason =
        sweptAt === null
          ? 'secrets are still encrypted with them'
          : `signatures of theirs are good until ${pruneAt}`;
      throw new Failure(
        'conflict',
        `The older keys are needed: ${reason}. See ${io.program} secrets status.`,
      );
    }
    if (source.file === undefined) {
      io.err(
        `Nothing needs ${old.map(({ id }) => id).join(', ')} any more: take them out of the settings (${source.description}).`,
      );
      return EXIT.good;
    }
    const known = (await readExistingKeys(config)) ?? [];
    writeSecretKeyFile(
      source.file,
      known.filter((key) => new Keyring([key]).newest.id === written),
    );
    await engine.notify(KEYS_CHANNEL);
    io.err(
      `Removed ${old.map(({ id }) => id).join(', ')} from ${source.file}. Backups from before need them.`,
    );
    return EXIT.good;
  });
}
