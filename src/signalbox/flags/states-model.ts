// The states of flags, as replies show them.
import { OneOf, Type } from '../../kernel/schema/schema.ts';

export const MAX_STATES = 100;

const LIFECYCLES = ['new', 'active', 'launched', 'inactive', 'ready-to-remove'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

const FlagState = Type.Object(
  {
    key: Type.String(),
    lifecycle: OneOf(LIFECYCLES, {
      description:
        'As the status of the flag in the environment; or `ready-to-remove`, when nothing about it has changed for 30 days, it serves one ' +
        'variation to everybody in every critical environment, no flag has it as a prerequisite and no change is planned. A permanent ' +
        'flag is so only if no SDK has asked for it for 30 days',
    }),
    reason: Type.String({ description: 'Why, in one sentence' }),
    week: Type.Array(Type.Integer(), {
      description:
        'Evaluations in the environment, as SDKs report them, on each of seven days in UTC: today is the last',
    }),
    lastEvaluated: Type.Optional(
      Type.Integer({ description: 'When an SDK last asked for it there, in epoch milliseconds' }),
    ),
    nextChange: Type.Optional(
      Type.Object(
        { at: Type.Integer(), id: Type.String() },
        { description: 'The next change that is scheduled there' },
      ),
    ),
    waitingApprovals: Type.Integer({ description: 'How many requests wait there for approval' }),
  },
  { $id: 'FlagState' },
);

export const FlagStates = Type.Object({ items: Type.Array(FlagState) }, { $id: 'FlagStates' });
