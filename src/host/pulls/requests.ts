// What calls about pull requests send.
import { OneOf, PlainText, Nullable, Type } from '../../kernel/schema/schema.ts';
import { ISSUE_STATES } from '../issues/issue.ts';

const Branch = PlainText({ minLength: 1, maxLength: 1024 });
const Body = Type.Optional(Nullable(PlainText({ description: 'Markdown' })));

export const PullPost = Type.Object(
  {
    title: Type.Optional(PlainText({ description: 'Required unless `issue` is there' })),
    head: PlainText({ minLength: 1, maxLength: 2048, description: 'A branch, or `owner:branch` of a fork' }),
    head_repo: Type.Optional(
      PlainText({
        maxLength: 300,
        description: 'The repository of `head`, where its owner has several of the family',
      }),
    ),
    base: Branch,
    body: Body,
    draft: Type.Optional(Type.Boolean()),
    maintainer_can_modify: Type.Optional(
      Type.Boolean({
        description: 'Whether those who may push to the base may push to the branch of the fork',
      }),
    ),
    issue: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The number of an issue that becomes the pull request',
      }),
    ),
  },
  { $id: 'pull-request-create' },
);

export const PullPatch = Type.Object(
  {
    title: Type.Optional(PlainText()),
    body: Body,
    state: Type.Optional(OneOf(ISSUE_STATES)),
    base: Type.Optional(Branch),
    maintainer_can_modify: Type.Optional(Type.Boolean()),
  },
  { $id: 'pull-request-update' },
);
