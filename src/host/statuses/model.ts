// Statuses of commits as replies show them: each, and all contexts of a commit combined.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { MinimalRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';

const STATES = ['error', 'failure', 'pending', 'success'] as const;

export type StatusState = (typeof STATES)[number];

export interface CommitStatus {
  number: number;
  sha: string;
  context: string;
  state: StatusState;
  description: string | null;
  targetUrl: string | null;
  creatorId: string;
  createdAt: number;
}

const SIMPLE = {
  url: Type.String(),
  avatar_url: Nullable(Type.String()),
  id: Type.Integer(),
  node_id: Type.String(),
  state: OneOf(STATES),
  description: Nullable(Type.String()),
  target_url: Nullable(Type.String()),
  context: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
};

const SimpleStatusReply = Type.Object(SIMPLE, { $id: 'simple-commit-status' });

export const StatusReply = Type.Object({ ...SIMPLE, creator: Nullable(SimpleUser) }, { $id: 'status' });

export const CombinedStatus = Type.Object(
  {
    state: OneOf(['failure', 'pending', 'success']),
    statuses: Type.Array(SimpleStatusReply),
    sha: Type.String(),
    total_count: Type.Integer(),
    repository: MinimalRepository,
    commit_url: Type.String(),
    url: Type.String(),
  },
  { $id: 'combined-commit-status' },
);

export const StatusCreation = Type.Object(
  {
    state: OneOf(STATES),
    target_url: Type.Optional(
      Nullable(PlainText({ maxLength: 2048, description: 'Where the details are, with http or https' })),
    ),
    description: Type.Optional(Nullable(PlainText({ maxLength: 140 }))),
    context: Type.Optional(
      PlainText({ minLength: 1, maxLength: 255, description: 'What reports it; `default` if absent' }),
    ),
  },
  { $id: 'status-creation' },
);

/** Without a creator where the account is gone. */
export function toSimpleStatus(
  status: CommitStatus,
  creator: RepositoryOwner | undefined,
  url: string,
  base: string,
): Static<typeof SimpleStatusReply> {
  const { number, state, description, targetUrl, context, createdAt } = status;
  return {
    url,
    avatar_url: creator === undefined ? null : toSimpleUser(creator, base).avatar_url,
    id: number,
    node_id: nodeId('Status', number),
    state,
    description,
    target_url: targetUrl,
    context,
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(createdAt),
  };
}

export function toStatus(
  status: CommitStatus,
  creator: RepositoryOwner | undefined,
  url: string,
  base: string,
): Static<typeof StatusReply> {
  return {
    ...toSimpleStatus(status, creator, url, base),
    creator: creator === undefined ? null : toSimpleUser(creator, base),
  };
}

/** Of the newest status of each context. Without any it is pending. */
export function combinedState(states: ReadonlySet<StatusState>): 'failure' | 'pending' | 'success' {
  if (states.has('failure') || states.has('error')) return 'failure';
  return states.has('pending') || states.size === 0 ? 'pending' : 'success';
}
