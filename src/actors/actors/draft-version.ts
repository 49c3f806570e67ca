// Checks a version as a caller sends it, and applies it to the one that is stored.
import { Failure } from '../../kernel/failure.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { ARCHIVE_LIMITS, parseEntryName } from '../sources/archive-limits.ts';
import { changeEnvVars } from './env-vars.ts';
import {
  checkTag,
  MAX_SOURCE_BYTES,
  SOURCE_FIELDS,
  type ActorVersion,
  type SentVersion,
  type SourceField,
  type SourceFile,
  type SourceFolder,
  type SourceType,
} from './version.ts';

/** A version whose sources are checked and written as JSON, which takes too long for a transaction. */
export interface VersionDraft {
  sent: SentVersion;
  sources: Partial<Record<SourceField, string>>;
}

export async function draftVersion(sent: SentVersion): Promise<VersionDraft> {
  const sources: VersionDraft['sources'] = {};
  for (const field of Object.values(SOURCE_FIELDS)) {
    const given = sent[field];
    if (given == null) continue;
    const checked = typeof given === 'string' ? checkUrl(given, field) : checkFiles(given);
    sources[field] = (await stringifyLarge({ [field]: checked })).toString('utf8');
  }
  if (sent.buildTag != null) checkTag(sent.buildTag, 'buildTag');
  return { sent, sources };
}

/** The stored version after the change, or a new one. What is absent stays, or gets its default. */
export async function applyDraft(
  secrets: SecretBox,
  before: ActorVersion | undefined,
  { sent, sources }: VersionDraft,
  created: Pick<ActorVersion, 'actorId' | 'number' | 'createdAt'>,
  boundary: string | undefined,
): Promise<ActorVersion> {
  const sourceType = sent.sourceType ?? before?.sourceType;
  if (sourceType === undefined) throw problem('sourceType', 'is required');
  const { buildTag, applyEnvVarsToBuild, envVars } = sent;
  const known = before?.envVars ?? [];
  const { boundary: _former, ...others }: Partial<ActorVersion> = before ?? {};
  return {
    ...others,
    actorId: created.actorId,
    number: created.number,
    createdAt: created.createdAt,
    ...(boundary !== undefined && { boundary }),
    sourceType,
    source: sources[SOURCE_FIELDS[sourceType]] ?? keptSource(before, sourceType),
    buildTag: buildTag === undefined ? (before === undefined ? 'latest' : before.buildTag) : buildTag,
    // Clients that have no variables to set leave them out; an empty list deletes them.
    envVars: envVars == null ? known : await changeEnvVars(secrets, known, envVars),
    appliesEnvVarsToBuild: applyEnvVarsToBuild ?? before?.appliesEnvVarsToBuild ?? false,
    buildsOnPush: sent.buildOnPush ?? before?.buildsOnPush ?? false,
  };
}

function keptSource(before: ActorVersion | undefined, sourceType: SourceType): string {
  if (before?.sourceType === sourceType) return before.source;
  if (sourceType === 'SOURCE_FILES') return '{"sourceFiles":[]}';
  throw problem(SOURCE_FIELDS[sourceType], `is required where the sourceType is ${sourceType}`);
}

function checkUrl(text: string, field: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return text;
  throw problem(field, 'must be a URL that begins with https:// or http://');
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Names are checked again when the files are written: this is for a good error, at the right time. */
function checkFiles(files: NonNullable<SentVersion['sourceFiles']>): (SourceFile | SourceFolder)[] {
  const names = new Set<string>();
  let bytes = 0;
  const checked = files.map(
    ({ name, format = 'TEXT', content = '', folder }, index): SourceFile | SourceFolder => {
      const isFolder = folder === true;
      const parts = parseEntryName(name, ARCHIVE_LIMITS);
      const at = `sourceFiles.${index}`;
      if (parts.length === 0 || (!isFolder && name.endsWith('/')))
        throw problem(`${at}.name`, 'names no file');
      const key = parts.join('/');
      if (names.has(key)) throw problem(`${at}.name`, 'is there twice');
      names.add(key);
      if (isFolder) return { name, folder: true };
      if (format === 'BASE64' && !BASE64.test(content)) throw problem(`${at}.content`, 'is not Base64');
      bytes += Buffer.byteLength(content, format === 'BASE64' ? 'base64' : 'utf8');
      return { name, format, content };
    },
  );
  if (bytes <= MAX_SOURCE_BYTES) return checked;
  throw new Failure(
    'too-large',
    `The source files have ${bytes.toLocaleString('en')} bytes, and ${MAX_SOURCE_BYTES.toLocaleString('en')} are allowed. ` +
      'Upload them as an archive, and set its URL as tarballUrl.',
  );
}
