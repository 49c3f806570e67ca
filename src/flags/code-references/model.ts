// Repositories and branches of code references: their representation, and the rules for changing them.
import type { Access } from '../../kernel/identity/actor.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { Instant } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { CodeReferenceSchema, type CodeReference } from './scan.ts';

export interface CodeRepository {
  id: string;
  name: string;
  type: (typeof TYPES)[number];
  defaultBranch: string;
  /** Scans of a disabled repository are refused. */
  enabled: boolean;
  sourceLink: string;
  commitUrlTemplate: string;
  hunkUrlTemplate: string;
  version: number;
  createdAt: number;
}

export interface CodeBranch {
  id: string;
  repositoryId: string;
  name: string;
  head: string;
  updateSequenceId?: number;
  syncTime: number;
  commitTime?: number;
  fileCount: number;
  hunkCount: number;
}

const TYPES = ['bitbucket', 'custom', 'github', 'gitlab'] as const;

/** It stands in paths and in resource specifiers. */
const RepositoryName = Type.String({
  pattern: '^(?!\\.{1,2}$)[a-zA-Z0-9_.-]+$',
  minLength: 1,
  maxLength: 256,
});
/** Short enough for every engine to index. */
export const BranchName = PlainText({ minLength: 1, maxLength: 512 });
/** No scheme that a browser would execute. Scanners send an empty text for none. */
const Url = (description: string) =>
  Type.String({ pattern: '^((https?|ssh|git)://[^\\s\\u0000]+)?$', maxLength: 2000, description });

const EDITABLE = {
  name: RepositoryName,
  type: Type.Optional(OneOf(TYPES, { description: '`custom` unless given' })),
  defaultBranch: Type.Optional(BranchName),
  sourceLink: Type.Optional(Url('The URL of the repository')),
  commitUrlTemplate: Type.Optional(Url('Of the page of a commit, with `${sha}` in it')),
  hunkUrlTemplate: Type.Optional(
    Url('Of the page of some lines, with `${sha}`, `${filePath}` and `${lineNumber}` in it'),
  ),
};

export const RepositoryPost = Type.Object(EDITABLE, { $id: 'RepositoryPost' });

/** What a patch may change. */
export const EditableRepository = Type.Object({
  ...EDITABLE,
  enabled: Type.Optional(Type.Boolean({ description: 'Whether scans are taken' })),
});

export const BranchRep = Type.Object(
  {
    _links: Links,
    name: Type.String(),
    head: Type.String({ description: 'The commit that was scanned' }),
    updateSequenceId: Type.Optional(Type.Integer()),
    syncTime: Type.Integer({ description: 'When it was scanned, in epoch milliseconds' }),
    commitTime: Type.Optional(Type.Integer()),
    references: Type.Optional(Type.Array(CodeReferenceSchema)),
  },
  { $id: 'BranchRep' },
);

export const RepositoryRep = Type.Object(
  {
    _links: Links,
    name: Type.String(),
    type: Type.String(),
    defaultBranch: Type.String(),
    enabled: Type.Boolean(),
    sourceLink: Type.Optional(Type.String()),
    commitUrlTemplate: Type.Optional(Type.String()),
    hunkUrlTemplate: Type.Optional(Type.String()),
    version: Type.Integer(),
    branches: Type.Optional(Type.Array(BranchRep)),
  },
  { $id: 'RepositoryRep' },
);

export const BranchPut = Type.Object(
  {
    name: BranchName,
    head: PlainText({ minLength: 1, maxLength: 256, description: 'The commit that was scanned' }),
    updateSequenceId: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'A scan whose number is not above that of the last one is refused',
      }),
    ),
    syncTime: Instant('When it was scanned, in epoch milliseconds'),
    commitTime: Type.Optional(
      Type.Union([Instant('In epoch milliseconds'), Type.String({ maxLength: 64, description: 'ISO 8601' })]),
    ),
    // Checked in time slices: there may be thousands.
    references: Type.Optional(Type.Array(Type.Unknown())),
  },
  { $id: 'PutBranch' },
);

/** The same for the description. */
export const DescribedBranchPut = Type.Object(
  { ...BranchPut.properties, references: Type.Optional(Type.Array(CodeReferenceSchema)) },
  { $id: 'PutBranch' },
);

export const REPOSITORIES = '/code-refs/repositories';

/** The reply to a task that has nothing to show. */
export const Done = Type.Object({});

export function codeRepositoryResource({ name }: Pick<CodeRepository, 'name'>): string {
  return `code-reference-repository/${name}`;
}

export function newRepository(
  post: Static<typeof RepositoryPost>,
): Omit<CodeRepository, 'id' | 'version' | 'createdAt'> {
  return {
    name: post.name,
    type: post.type ?? 'custom',
    defaultBranch: post.defaultBranch ?? 'main',
    enabled: true,
    sourceLink: post.sourceLink ?? '',
    commitUrlTemplate: post.commitUrlTemplate ?? '',
    hunkUrlTemplate: post.hunkUrlTemplate ?? '',
  };
}

export function toRepositoryRep(
  repository: CodeRepository,
  branches?: Static<typeof BranchRep>[],
): Static<typeof RepositoryRep> {
  const { name, type, defaultBranch, enabled, version } = repository;
  const { sourceLink, commitUrlTemplate, hunkUrlTemplate } = repository;
  const self = `${REPOSITORIES}/${name}`;
  return {
    _links: { self: linkTo(self), parent: linkTo(REPOSITORIES), branches: linkTo(`${self}/branches`) },
    name,
    type,
    defaultBranch,
    enabled,
    ...(sourceLink !== '' && { sourceLink }),
    ...(commitUrlTemplate !== '' && { commitUrlTemplate }),
    ...(hunkUrlTemplate !== '' && { hunkUrlTemplate }),
    version,
    ...(branches && { branches }),
  };
}

export function toBranchRep(
  { name: repository }: Pick<CodeRepository, 'name'>,
  { name, head, updateSequenceId, syncTime, commitTime }: CodeBranch,
  references?: CodeReference[],
): Static<typeof BranchRep> {
  const parent = `${REPOSITORIES}/${repository}/branches`;
  return {
    _links: { self: linkTo(`${parent}/${encodeURIComponent(name)}`), parent: linkTo(parent) },
    name,
    head,
    ...(updateSequenceId !== undefined && { updateSequenceId }),
    syncTime,
    ...(commitTime !== undefined && { commitTime }),
    ...(references && { references }),
  };
}

const edit = editor({ editable: EditableRepository });

export function patchRepository(before: CodeRepository, patch: DocumentPatch): CodeRepository {
  const { enabled = true, ...wanted } = edit(toRepositoryRep(before), patch);
  return { ...before, ...newRepository(wanted), enabled };
}

const ACTIONS = {
  name: 'updateCodeRefsRepositoryName',
  enabled: 'updateCodeRefsRepositoryOn',
  type: 'updateCodeRefsRepositoryConfiguration',
  defaultBranch: 'updateCodeRefsRepositoryConfiguration',
  sourceLink: 'updateCodeRefsRepositoryConfiguration',
  commitUrlTemplate: 'updateCodeRefsRepositoryConfiguration',
  hunkUrlTemplate: 'updateCodeRefsRepositoryConfiguration',
} as const;

export const REPOSITORY_ACTIONS = Object.values(ACTIONS);

/** The permissions that the change requires, on the repository before it. */
export function repositoryAccesses(before: CodeRepository, after: CodeRepository): Access[] {
  const resource = codeRepositoryResource(before);
  const changed = (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).filter(
    (name) => before[name] !== after[name],
  );
  return [...new Set(changed.map((name) => ACTIONS[name]))].map((action) => ({ action, resource }));
}
