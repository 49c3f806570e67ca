// The reply of the upgrade report.
import { describedPath } from '../../kernel/http/path-template.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type {
  ImpactCaller,
  ImpactChange,
  ImpactedCalls,
} from '../../kernel/openapi/upgrade-report/report.ts';
import { isoSeconds } from '../times.ts';

const Moment = Type.String({ format: 'date-time' });
const NullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const UpgradeChange = Type.Object(
  {
    version: Type.String({ description: 'The version that makes the change' }),
    title: Type.String(),
    advice: Type.String({ description: 'What to send, or to read, instead' }),
    in: OneOf(['request', 'reply', 'operation']),
    fields: Type.Array(Type.Object({ name: Type.String(), kind: OneOf(['removed', 'added', 'changed']) })),
    calls: Type.Integer({ description: 'Calls that would notice it' }),
    last_seen_at: Moment,
  },
  { $id: 'upgrade-report-change' },
);

const UpgradeCaller = Type.Object(
  {
    type: OneOf(['token', 'session', 'program', 'anonymous']),
    id: NullableText('Of the token, the member or the program'),
    name: NullableText('Of the token'),
    login: NullableText('Whose token or session it is'),
  },
  { $id: 'upgrade-report-caller' },
);

const UpgradeCalls = Type.Object(
  {
    operation: Type.String({ description: 'The id of the operation in the OpenAPI description' }),
    method: Type.String(),
    path: Type.String({ description: 'With parameters in braces' }),
    version: Type.String({ description: 'The version that answered' }),
    variant: NullableText('The word of the media type that asked for older shapes, such as `beta`'),
    caller: UpgradeCaller,
    calls: Type.Integer(),
    first_seen_at: Moment,
    last_seen_at: Moment,
    changes: Type.Array(UpgradeChange),
  },
  { $id: 'upgrade-report-calls' },
);

export const UpgradeReport = Type.Object(
  {
    version: Type.String({ description: 'The version to move to' }),
    state: OneOf(['ended', 'released', 'announced']),
    header: Type.String({ description: 'The header that selects it, once nothing is left to do' }),
    documentation_url: Type.String(),
    retention_days: Type.Integer({ description: 'Calls last seen longer ago are forgotten' }),
    unrecorded_calls: Type.Integer({
      description: 'Calls of all callers that were not recorded for lack of memory: some may be missing here',
    }),
    note: Type.String(),
    calls: Type.Array(UpgradeCalls),
  },
  { $id: 'upgrade-report' },
);

export const REPORT_NOTE =
  'Counted are successful calls whose request or reply would have been another. Other nodes add theirs within 20 seconds; ' +
  'a crash may lose those of the last 20.';

export function toUpgradeCalls(item: ImpactedCalls): Static<typeof UpgradeCalls> {
  const { shape, caller, version, variant, calls, firstAt, lastAt, changes } = item;
  return {
    operation: shape.id,
    method: shape.method,
    path: describedPath(shape.path),
    version,
    variant: variant ?? null,
    caller: toUpgradeCaller(caller),
    calls,
    first_seen_at: isoSeconds(firstAt),
    last_seen_at: isoSeconds(lastAt),
    changes: changes.map(toUpgradeChange),
  };
}

function toUpgradeCaller({ kind, id, name, member }: ImpactCaller): Static<typeof UpgradeCaller> {
  return { type: kind, id: id ?? null, name: name ?? null, login: member ?? null };
}

function toUpgradeChange({ lastAt, ...change }: ImpactChange): Static<typeof UpgradeChange> {
  return { ...change, last_seen_at: isoSeconds(lastAt) };
}
