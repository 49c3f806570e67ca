// GET /versions/{version}/impact: which of the caller's calls the version would change, and the reply that lists them.
import type { Api } from '../../kernel/http/protocol.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type, OneOf, type Static } from '../../kernel/schema/schema.ts';
import { versionStateOf } from '../../kernel/openapi/upgrade-report/page.ts';
import {
  readImpact,
  type ImpactCaller,
  type ImpactChange,
  type ImpactedCalls,
} from '../../kernel/openapi/upgrade-report/report.ts';
import { USAGE_RETENTION_DAYS } from '../../kernel/versions/usage/sweep.ts';
import { describedPath } from '../../kernel/http/path-template.ts';
import { HostPageQuery, pageBefore, pageSliceOf, pageLinks } from '../list-query.ts';
import { parseTime, isoSeconds } from '../times.ts';

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
    done_at: Type.Union([Moment, Type.Null()], {
      description: 'When somebody marked these calls as mended, and none has come since',
    }),
    done_by: NullableText('Who marked them'),
  },
  { $id: 'upgrade-report-calls' },
);

const UpgradeReport = Type.Object(
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

const REPORT_NOTE =
  'Counted are successful calls whose request or reply would have been another. Other nodes add theirs within 20 seconds; ' +
  'a crash may lose those of the last 20.';

function toUpgradeCalls(item: ImpactedCalls): Static<typeof UpgradeCalls> {
  const { shape, caller, version, variant, calls, firstAt, lastAt, changes, done } = item;
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
    done_at: done === undefined ? null : isoSeconds(done.at),
    done_by: done?.by ?? null,
  };
}

function toUpgradeCaller({ kind, id, name, member }: ImpactCaller): Static<typeof UpgradeCaller> {
  return { type: kind, id: id ?? null, name: name ?? null, login: member ?? null };
}

function toUpgradeChange({ lastAt, ...change }: ImpactChange): Static<typeof UpgradeChange> {
  return { ...change, last_seen_at: isoSeconds(lastAt) };
}

/** The report is about the list of routes that this one is in, so the API is asked for when a call comes. */
export function upgradeReportRoutes(api: () => Api) {
  const getImpact = route(
    {
      id: 'meta/get-version-impact',
      method: 'GET',
      path: '/versions/{version}/impact',
      summary: 'List which calls made under older versions a version would change',
      description:
        'The calls of the own tokens and sessions; with `all`, those of everybody, for administrators. Most calls come first. ' +
        'Each has the changes that it would notice, how often, and what to send or read instead.',
      access: 'caller',
      params: Type.Object({ version: Type.String({ maxLength: 40 }) }),
      query: Type.Object({
        ...HostPageQuery,
        all: Type.Boolean({ default: false, description: 'The calls of everybody, for administrators' }),
        token_id: Type.Optional(
          Type.String({ maxLength: 100, description: 'Only the calls of the token with this id' }),
        ),
        since: Type.Optional(
          Type.String({ format: 'date-time', description: 'Only calls that were last seen then or later' }),
        ),
      }),
      reply: { 200: UpgradeReport },
      cache: 'never',
    },
    async ({ caller, params: { version }, query, base, url }, kernel) => {
      const { name, versions } = api().protocol;
      const slice = pageSliceOf(query);
      const { items, hasMore, unrecorded } = await readImpact(kernel, api(), caller, {
        target: version,
        all: query.all,
        tokenId: query.token_id,
        since: query.since === undefined ? undefined : parseTime('since', query.since),
        slice,
      });
      const page = pageBefore(Array.from({ length: hasMore ? slice.limit + 1 : items.length }), slice);
      return reply(
        200,
        {
          version,
          state: versionStateOf(version, versions),
          header: `${versions.headers![0]!}: ${version}`,
          documentation_url: `${kernel.publicUrl}/docs/${name}/versions/${version}/impact`,
          retention_days: USAGE_RETENTION_DAYS,
          unrecorded_calls: unrecorded?.calls ?? 0,
          note: REPORT_NOTE,
          calls: items.map(toUpgradeCalls),
        },
        pageLinks(page, base, url),
      );
    },
  );
  return [getImpact];
}
