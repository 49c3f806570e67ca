// Copies the versions of an Actor: sources, environment variables, and archives that are in a key-value store.
import { differingFields, pickFields, type RemoteFields, type ImportContext } from './import-context.ts';
import { copyStore } from './copy-store.ts';

export interface RemoteVersion extends RemoteFields {
  versionNumber: string;
  envVars?: RemoteEnvVar[] | null;
}

interface RemoteEnvVar {
  name: string;
  /** Absent where it is secret. */
  value?: string;
  isSecret?: boolean | null;
}

interface VersionedActor {
  id: string;
  name: string;
  versions?: RemoteVersion[];
}

/** What was changed on the target, and what differs and was kept. */
interface VersionNotes {
  changed: string[];
  kept: string[];
}

const FIELDS = [
  'versionNumber',
  'sourceType',
  'buildTag',
  'applyEnvVarsToBuild',
  'sourceFiles',
  'gitRepoUrl',
  'tarballUrl',
  'gitHubGistUrl',
];

/** `known` is the Actor on the target; it is missing in a dry run only. */
export async function copyVersions(
  context: ImportContext,
  actor: VersionedActor,
  known: VersionedActor | undefined,
): Promise<VersionNotes> {
  const notes: VersionNotes = { changed: [], kept: [] };
  for (const version of actor.versions ?? []) {
    const before = known?.versions?.find(({ versionNumber }) => versionNumber === version.versionNumber);
    askForSecrets(context, actor, version, before);
    const wanted = await wantedVersion(context, actor, version, known);
    const name = `version ${version.versionNumber}`;
    if (before === undefined) {
      await createVersion(context, known, wanted, version);
      notes.changed.push(name);
      continue;
    }
    const path = `/actors/${known!.id}/versions/${version.versionNumber}`;
    const differing = differingFields(wanted, before).filter(
      (field) => field !== 'tarballUrl' || !isSameArchive(wanted[field], before[field]),
    );
    if (differing.length > 0) {
      if (context.options.overwrites && !context.options.isDryRun) await context.to.send('PUT', path, wanted);
      (context.options.overwrites ? notes.changed : notes.kept).push(`${name} (${differing.join(', ')})`);
    }
    await copyEnvVars(context, path, { version, before, name, notes });
  }
  return notes;
}

async function createVersion(
  { to, options }: ImportContext,
  known: VersionedActor | undefined,
  wanted: RemoteFields,
  { envVars }: RemoteVersion,
): Promise<void> {
  if (options.isDryRun || known === undefined) return;
  const plain = (envVars ?? [])
    .filter(isReadable)
    .map(({ name, value }) => ({ name, value, isSecret: false }));
  await to.send('POST', `/actors/${known.id}/versions`, { ...wanted, envVars: plain });
}

async function wantedVersion(
  context: ImportContext,
  actor: VersionedActor,
  version: RemoteVersion,
  known: VersionedActor | undefined,
): Promise<RemoteFields> {
  const wanted = pickFields(version, FIELDS);
  const { tarballUrl } = wanted;
  if (version['sourceType'] !== 'TARBALL' || typeof tarballUrl !== 'string' || known === undefined)
    return wanted;
  return {
    ...wanted,
    tarballUrl: await copySourceStore(context, { from: actor.id, to: known.id }, tarballUrl),
  };
}

interface EnvVarsOfVersion {
  version: RemoteVersion;
  before: RemoteVersion;
  name: string;
  notes: VersionNotes;
}

/** Variables that only the target has stay, and so do the values of its secrets. */
async function copyEnvVars(
  { to, options }: ImportContext,
  path: string,
  { version, before, name, notes }: EnvVarsOfVersion,
): Promise<void> {
  const known = new Map((before.envVars ?? []).map((envVar) => [envVar.name, envVar]));
  for (const envVar of (version.envVars ?? []).filter(isReadable)) {
    const there = known.get(envVar.name);
    if (there !== undefined && there.isSecret !== true && there.value === envVar.value) continue;
    const what = `${name} (${envVar.name})`;
    if (there !== undefined && !options.overwrites) {
      notes.kept.push(what);
      continue;
    }
    const body = { name: envVar.name, value: envVar.value, isSecret: false };
    if (!options.isDryRun && there === undefined) await to.send('POST', `${path}/env-vars`, body);
    if (!options.isDryRun && there !== undefined)
      await to.send('PUT', `${path}/env-vars/${encodeURIComponent(envVar.name)}`, body);
    notes.changed.push(what);
  }
}

function askForSecrets(
  { report }: ImportContext,
  { name }: VersionedActor,
  { versionNumber, envVars }: RemoteVersion,
  before: RemoteVersion | undefined,
): void {
  const known = new Set((before?.envVars ?? []).map((envVar) => envVar.name));
  for (const envVar of envVars ?? []) {
    if (isReadable(envVar) || known.has(envVar.name)) continue;
    report.ask(
      `Set the secret environment variable ${envVar.name} of the Actor ${name}, version ${versionNumber}: its value cannot be read.`,
    );
  }
}

function isReadable({ value, isSecret }: RemoteEnvVar): boolean {
  return isSecret !== true && value !== undefined;
}

const RECORD = /\/v2\/key-value-stores\/([^/]+)\/records\/([^/]+)$/;

interface ActorIds {
  from: string;
  to: string;
}

/**
 * An archive with sources that is in a key-value store moves with its store. The URL of the archive on the target; any other
 * URL as it is. A server has several names, so the store alone decides: its id is random.
 */
async function copySourceStore(context: ImportContext, actor: ActorIds, tarballUrl: string): Promise<string> {
  const { from, to, owner, publicUrl, options } = context;
  const url = URL.parse(tarballUrl);
  const [, reference, key] = RECORD.exec(url?.pathname ?? '') ?? [];
  if (reference === undefined) return tarballUrl;
  const store = await from.find<{ id: string; name?: string | null }>(`/key-value-stores/${reference}`);
  if (store === undefined) return tarballUrl;
  const name = nameOfSourceStore(store.name, actor);
  if (options.isDryRun) {
    const there = await to.find<{ id: string }>(`/key-value-stores/${owner.to.username}~${name}`);
    return there === undefined ? tarballUrl : `${publicUrl}/v2/key-value-stores/${there.id}/records/${key}`;
  }
  const id = await copyStore(context, { id: store.id, name });
  return `${publicUrl}/v2/key-value-stores/${id}/records/${key}`;
}

/** Whether both are the same record of one server, under whatever name of the server. */
function isSameArchive(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((url) => RECORD.exec(URL.parse(String(url))?.pathname ?? '')?.[0]);
  return a !== undefined && a === b;
}

/** `apify push` names the store by the Actor's id, which is another one on the target. */
export function nameOfSourceStore(name: string | null | undefined, actor: ActorIds): string {
  return name == null || name === `actor-${actor.from}-source` ? `actor-${actor.to}-source` : name;
}
