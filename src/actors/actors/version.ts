// The versions of an Actor: their sources, their environment variables, and how the API shows them.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';

export const SOURCE_TYPES = ['SOURCE_FILES', 'GIT_REPO', 'TARBALL', 'GITHUB_GIST'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export interface ActorVersion {
  actorId: string;
  /** `MAJOR.MINOR` */
  number: string;
  sourceType: SourceType;
  /** A `VersionSource` as JSON: up to some megabytes, so it is parsed only where it is needed. */
  source: string;
  buildTag: string | null;
  envVars: readonly EnvVar[];
  appliesEnvVarsToBuild: boolean;
  /** Whether a push to its branch of a repository of this server starts a build. */
  buildsOnPush: boolean;
  /** The boundary of the token that saved it. */
  boundary?: string;
  createdAt: number;
}

export interface EnvVar {
  name: string;
  /** Sealed where it is secret. */
  value: string;
  isSecret: boolean;
}

export interface SourceFile {
  name: string;
  format: 'TEXT' | 'BASE64';
  content: string;
}

/** An empty folder. */
export interface SourceFolder {
  name: string;
  folder: true;
}

/** The member that belongs to the source type. */
export type VersionSource =
  | { sourceFiles: (SourceFile | SourceFolder)[] }
  | { gitRepoUrl: string }
  | { tarballUrl: string }
  | { gitHubGistUrl: string };

/** The member of each source type. */
export const SOURCE_FIELDS = {
  SOURCE_FILES: 'sourceFiles',
  GIT_REPO: 'gitRepoUrl',
  TARBALL: 'tarballUrl',
  GITHUB_GIST: 'gitHubGistUrl',
} as const satisfies Record<SourceType, string>;

/** The member of a version that contains its source. */
export type SourceField = (typeof SOURCE_FIELDS)[SourceType];

export function sourceOf({ source }: Pick<ActorVersion, 'source'>): VersionSource {
  return JSON.parse(source) as VersionSource;
}

export const MAX_VERSIONS = 100;
const MAX_ENV_VARS = 100;
/** Of all files of a version together, unpacked. */
export const MAX_SOURCE_BYTES = 3 * 1024 * 1024;
/** Of all versions of an Actor together: one reply shows them all. */
export const MAX_ACTOR_SOURCE_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 10_000;
/** The system limits an environment variable to 128 KiB, and a character has up to three bytes. */
const MAX_VALUE_LENGTH = 32_768;
/** Of all names and values of a version: the system limits a whole environment, to about two megabytes. */
const MAX_ENV_LENGTH = 300_000;

export const EnvVarSchema = Type.Object(
  {
    name: Type.String(),
    value: Type.Optional(Type.String({ description: 'Not shown where it is secret' })),
    isSecret: Type.Optional(Nullable(Type.Boolean())),
  },
  { $id: 'EnvVar' },
);

export const SentEnvVar = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$', maxLength: 200 }),
    value: Type.Optional(Nullable(PlainText({ maxLength: MAX_VALUE_LENGTH }))),
    isSecret: Type.Optional(Nullable(Type.Boolean())),
  },
  { $id: 'EnvVarRequest' },
);
export type SentEnvVar = Static<typeof SentEnvVar>;

const File = Type.Object(
  {
    name: PlainText({ minLength: 1, maxLength: 1000 }),
    format: Type.Optional(OneOf(['TEXT', 'BASE64'])),
    content: Type.Optional(Type.String()),
    folder: Type.Optional(Type.Boolean()),
  },
  { $id: 'SourceCodeFile' },
);

const Url = PlainText({ minLength: 1, maxLength: 2000 });

const SOURCE = {
  sourceFiles: Type.Optional(Nullable(Type.Array(File, { maxItems: MAX_FILES }))),
  gitRepoUrl: Type.Optional(Nullable(Url)),
  tarballUrl: Type.Optional(Nullable(Url)),
  gitHubGistUrl: Type.Optional(Nullable(Url)),
};

const BUILD_ON_PUSH =
  'A push to the branch starts a build, where `gitRepoUrl` is a repository of this server that the owner of the Actor may read';

export const SentVersion = Type.Object(
  {
    versionNumber: Type.Optional(Nullable(Type.String({ description: '`MAJOR.MINOR`, each from 0 to 99' }))),
    sourceType: Type.Optional(Nullable(OneOf(SOURCE_TYPES))),
    envVars: Type.Optional(Nullable(Type.Array(SentEnvVar, { maxItems: MAX_ENV_VARS }))),
    applyEnvVarsToBuild: Type.Optional(Nullable(Type.Boolean())),
    buildTag: Type.Optional(Nullable(Type.String({ description: 'The tag that its builds get' }))),
    buildOnPush: Type.Optional(Nullable(Type.Boolean({ description: BUILD_ON_PUSH }))),
    ...SOURCE,
  },
  { $id: 'VersionRequest' },
);
export type SentVersion = Static<typeof SentVersion>;

export const ShownVersion = Type.Object(
  {
    versionNumber: Type.String(),
    sourceType: OneOf(SOURCE_TYPES),
    envVars: Type.Optional(Type.Array(EnvVarSchema)),
    applyEnvVarsToBuild: Type.Boolean(),
    buildTag: Nullable(Type.String()),
    buildOnPush: Type.Optional(Type.Boolean({ description: `${BUILD_ON_PUSH}. Absent where it is off.` })),
    ...SOURCE,
  },
  { $id: 'Version' },
);

export function toShownEnvVar({ name, value, isSecret }: EnvVar): Static<typeof EnvVarSchema> {
  return isSecret ? { name, isSecret } : { name, value, isSecret };
}

/** What a caller may see of a version. */
export interface VersionView {
  envVars: boolean;
  /** `public` is without the credentials that a URL may contain. */
  source: boolean | 'public';
}

/** As JSON text: the source is put into it as it is stored, because parsing and writing megabytes would take long. */
export function toVersionJson(version: ActorVersion, view: VersionView): string {
  const { number, sourceType, envVars, appliesEnvVarsToBuild, buildTag, buildsOnPush } = version;
  const text = JSON.stringify({
    versionNumber: number,
    sourceType,
    ...(view.envVars && { envVars: envVars.map(toShownEnvVar) }),
    applyEnvVarsToBuild: appliesEnvVarsToBuild,
    buildTag,
    ...(buildsOnPush && { buildOnPush: true }),
  });
  if (view.source === false) return text;
  const source = view.source === 'public' ? withoutCredentials(version) : version.source;
  return `${text.slice(0, -1)},${source.slice(1)}`;
}

/** The source with its URL, if it is one, without user name and password. */
function withoutCredentials({ sourceType, source }: ActorVersion): string {
  if (sourceType === 'SOURCE_FILES') return source;
  const field = SOURCE_FIELDS[sourceType];
  const url = new URL((JSON.parse(source) as Record<string, string>)[field]!);
  url.username = '';
  url.password = '';
  return JSON.stringify({ [field]: url.href });
}

/** For the audit log: without values of variables, contents of files and credentials. */
export function toAuditedVersion(version: ActorVersion) {
  const { number, sourceType, envVars, appliesEnvVarsToBuild, buildTag, buildsOnPush } = version;
  return {
    versionNumber: number,
    sourceType,
    ...(sourceType !== 'SOURCE_FILES' && (JSON.parse(withoutCredentials(version)) as object)),
    envVars: envVars.map(({ name, isSecret }) => ({ name, isSecret })),
    applyEnvVarsToBuild: appliesEnvVarsToBuild,
    buildTag,
    ...(buildsOnPush && { buildOnPush: true }),
  };
}

/** `owner/name` in lower case, of a URL like that of a repository of any host. */
export function repositoryKeyOf({
  sourceType,
  source,
}: Pick<ActorVersion, 'sourceType' | 'source'>): string | null {
  if (sourceType !== 'GIT_REPO') return null;
  const { gitRepoUrl } = JSON.parse(source) as { gitRepoUrl: string };
  const path = URL.parse(gitRepoUrl)?.pathname ?? '';
  const [, key = null] = /\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(path.toLowerCase()) ?? [];
  return key;
}

const VERSION_NUMBER = /^(0|[1-9]\d?)\.(0|[1-9]\d?)$/;

export function checkVersionNumber(number: string | null | undefined): string {
  if (number != null && VERSION_NUMBER.test(number)) return number;
  throw problem('versionNumber', 'must be MAJOR.MINOR, each a number from 0 to 99');
}

/** `MAJOR.MINOR.N` as one number, by which builds are sorted. */
export function toBuildNumberInt(buildNumber: string): number {
  const [major = 0, minor = 0, build = 0] = buildNumber.split('.').map(Number);
  return major * 10_000_000 + minor * 100_000 + build;
}

const TAG = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,62}$/;
const BUILD_NUMBER = /^\d+\.\d+\.\d+$/;

/** A run names its build by a tag or a number, so a tag must not look like a number. Lists of tags are joined by commas. */
export function checkTag(tag: string, field: string): void {
  if (TAG.test(tag) && !BUILD_NUMBER.test(tag)) return;
  throw problem(
    field,
    'must have 1 to 63 letters, digits, dots, hyphens and underscores, and not look like 1.2.3',
  );
}

export function limitReached(message: string): Failure {
  return new Failure('forbidden', message, { code: 'limit-reached' });
}

/** Throws when there are too many variables, or they are too long together. */
export function checkEnvVars(envVars: readonly EnvVar[]): void {
  if (envVars.length > MAX_ENV_VARS)
    throw limitReached(`A version can have ${MAX_ENV_VARS} environment variables.`);
  const length = envVars.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (length > MAX_ENV_LENGTH) {
    throw limitReached(
      `The environment variables of a version can have ${MAX_ENV_LENGTH.toLocaleString('en')} characters in all.`,
    );
  }
}
