// Questions about policies, and their answers.
import { BaseRoleSchema, Statements } from '../../flags/roles/model.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Explanation, MatchedStatement } from './explain.ts';

const MAX_QUESTIONS = 50;

const Question = Type.Object({
  action: PlainText({ minLength: 1, maxLength: 200 }),
  resource: PlainText({ minLength: 1, maxLength: 1000, description: 'Such as `proj/web:env/production`' }),
});

const Attributes = Type.Record(
  Type.String({ maxLength: 256 }),
  Type.Array(PlainText({ maxLength: 256 }), { maxItems: 100 }),
  { maxProperties: 100, description: 'Of `role` or `policy`: what `${roleAttribute/key}` stands for' },
);

export const PolicyQuestions = Type.Object(
  {
    member: Type.Optional(Type.String({ description: 'An id, or `me`' })),
    token: Type.Optional(Type.String({ description: 'The id of an access token' })),
    role: Type.Optional(Type.String({ description: 'The key of a custom role' })),
    policy: Type.Optional(Statements),
    baseRole: Type.Optional(BaseRoleSchema),
    roleAttributes: Type.Optional(Attributes),
    questions: Type.Array(Question, { minItems: 1, maxItems: MAX_QUESTIONS }),
  },
  {
    description:
      'One of `member`, `token`, `role` and `policy`, whose statements need not be saved; or a `baseRole`, alone or as the base ' +
      'permissions of `policy`.',
    additionalProperties: false,
  },
);

const Half = Type.Object({
  isMatch: Type.Boolean(),
  by: Type.Optional(
    Type.String({ description: 'The name in the statement that is like the one in question' }),
  ),
});

const LAYERS = ['limit', 'member', 'token', 'policy'] as const;
/** What every layer must allow. */
export type Layer = (typeof LAYERS)[number];

const MatchedStatementRep = Type.Object(
  {
    layer: OneOf(LAYERS, {
      description:
        'Every layer must allow: a `limit` that custom roles and service tokens have, the `member`, and the `token`. What is ' +
        'asked about as a role or a policy has one layer',
    }),
    baseRole: Type.Optional(Type.String({ description: 'Whose statement it is' })),
    role: Type.Optional(Type.String({ description: 'The key of the custom role whose statement it is' })),
    team: Type.Optional(Type.String({ description: 'The key of the team by which the member has it' })),
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Its place in the policy, of inherited ones in the base permissions; absent where the caller may not see the role',
      }),
    ),
    isInherited: Type.Boolean({ description: 'From the base permissions of the custom role' }),
    effect: OneOf(['allow', 'deny']),
    action: Half,
    resource: Half,
  },
  { $id: 'MatchedStatement' },
);

export const PolicyAnswers = Type.Object({
  answers: Type.Array(
    Type.Object({
      action: Type.String(),
      resource: Type.String(),
      isAllowed: Type.Boolean(),
      reason: OneOf(['allowed', 'denied', 'silent'], {
        description: '`silent`: no statement allows it, so that none could be removed to allow it',
      }),
      decidedBy: Type.Array(MatchedStatementRep, {
        description: 'Without these the answer would be the other one',
      }),
      near: Type.Array(MatchedStatementRep, { description: 'Some of which one half matches' }),
      others: Type.Integer({ minimum: 0, description: 'How many more statements there are' }),
    }),
    { description: 'In the order of the questions' },
  ),
});

/** `isVisible` by the key of a custom role. */
export function toAnswer(
  question: Static<typeof Question>,
  { decidedBy, near, ...rest }: Explanation,
  layers: readonly Layer[],
  isVisible: (role: string) => boolean,
): Static<typeof PolicyAnswers>['answers'][number] {
  const show = (statement: MatchedStatement) => toStatement(statement, layers, isVisible);
  return { ...question, ...rest, decidedBy: decidedBy.map(show), near: near.map(show) };
}

function toStatement(
  { group, policy, index, effect, action, resource }: MatchedStatement,
  layers: readonly Layer[],
  isVisible: (role: string) => boolean,
): Static<typeof MatchedStatementRep> {
  const { source, baseRole, inherited = 0 } = policy;
  const isInherited = index < inherited;
  const isHidden = source?.role !== undefined && !isInherited && !isVisible(source.role);
  return {
    layer: layers[group]!,
    ...(baseRole !== undefined && { baseRole }),
    ...(source?.role !== undefined && { role: source.role }),
    ...(source?.team !== undefined && { team: source.team }),
    ...(!isHidden && { index: isInherited ? index : index - inherited }),
    isInherited,
    effect,
    action: isHidden ? { isMatch: action.isMatch } : action,
    resource: isHidden ? { isMatch: resource.isMatch } : resource,
  };
}
