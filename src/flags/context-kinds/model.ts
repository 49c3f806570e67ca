// The representation of context kinds, and the rules for creating and changing them.
import { Failure } from '../../kernel/failure.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { USER } from '../evaluation/context.ts';
import { Description, Name } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { changedFields, type FieldChange } from '../projects/field-changes.ts';
import type { Project } from '../projects/project.ts';

/** A context kind that is registered in a project. SDKs may send unregistered ones, too. */
export interface ProjectContextKind {
  key: string;
  name: string;
  description: string;
  /** Not offered for targeting. */
  isArchived: boolean;
  version: number;
  createdAt: number;
  modifiedAt: number;
}

export const MAX_KINDS = 100;

/** Every project has it. It is not stored until it is changed. */
export function defaultUserKind({ createdAt }: Pick<Project, 'createdAt'>): ProjectContextKind {
  return {
    key: USER,
    name: 'User',
    description: '',
    isArchived: false,
    version: 1,
    createdAt,
    modifiedAt: createdAt,
  };
}

export const ContextKindPut = Type.Object(
  {
    name: Name,
    description: Type.Optional(Description),
    archived: Type.Optional(
      Type.Boolean({ description: 'Whether it is no longer offered where people choose whom to target' }),
    ),
    hideInTargeting: Type.Optional(Type.Boolean({ description: 'The same as `archived`' })),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Change it only if this is still its version; of a new kind, the version to begin with',
      }),
    ),
  },
  { $id: 'UpsertContextKindPayload' },
);

/** Omitted fields keep their values. Fails with `conflict` if the version differs. */
export function putKind(
  key: string,
  before: ProjectContextKind | undefined,
  put: Static<typeof ContextKindPut>,
  now: number,
): ProjectContextKind {
  const { name, description, archived, hideInTargeting, version } = put;
  if (archived !== undefined && hideInTargeting !== undefined && archived !== hideInTargeting)
    throw problem('hideInTargeting', 'must be the same as archived');
  if (before !== undefined && version !== undefined && version !== before.version)
    throw new Failure(
      'conflict',
      `The context kind is at version ${before.version}. Read it, and try again.`,
    );
  return {
    key,
    name,
    description: description ?? before?.description ?? '',
    isArchived: archived ?? hideInTargeting ?? before?.isArchived ?? false,
    version: before === undefined ? (version ?? 1) : before.version + 1,
    createdAt: before?.createdAt ?? now,
    modifiedAt: now,
  };
}

export const UPDATE_CONTEXT_KIND = 'updateContextKind';

const FIELDS = {
  name: { action: UPDATE_CONTEXT_KIND, words: 'name' },
  description: { action: UPDATE_CONTEXT_KIND, words: 'description' },
  isArchived: { action: UPDATE_CONTEXT_KIND, words: 'archived state' },
} as const;

export function contextKindChanges(before: ProjectContextKind, after: ProjectContextKind): FieldChange[] {
  return changedFields(FIELDS, before, after);
}

export const ContextKindSchema = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    version: Type.Integer(),
    creationDate: Type.Integer(),
    lastModified: Type.Integer(),
    createdFrom: Type.String({ description: '`default` for the kind `user`, `manual` for all others' }),
    hideInTargeting: Type.Boolean({ description: 'The same as `archived`' }),
    archived: Type.Boolean(),
    _links: Links,
  },
  { $id: 'ContextKindRep' },
);

export function kindsPath(projectKey: string): string {
  return `/projects/${projectKey}/context-kinds`;
}

export function linksOf(projectKey: string, key: string) {
  const parent = kindsPath(projectKey);
  return { self: linkTo(`${parent}/${key}`), parent: linkTo(parent) };
}

export function toContextKind(
  kind: ProjectContextKind,
  projectKey: string,
): Static<typeof ContextKindSchema> {
  const { key, name, description, isArchived, version, createdAt, modifiedAt } = kind;
  return {
    key,
    name,
    description,
    version,
    creationDate: createdAt,
    lastModified: modifiedAt,
    createdFrom: key === USER ? 'default' : 'manual',
    hideInTargeting: isArchived,
    archived: isArchived,
    _links: linksOf(projectKey, key),
  };
}
