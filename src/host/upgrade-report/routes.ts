// GET /versions/{version}/impact: which of the caller's calls the version would change.
import type { Api } from '../../kernel/http/protocol.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { versionStateOf } from '../../kernel/openapi/upgrade-report/page.ts';
import { readImpact } from '../../kernel/openapi/upgrade-report/report.ts';
import { USAGE_RETENTION_DAYS } from '../../kernel/versions/usage/sweep.ts';
import { HostPageQuery, pageBefore, pageSliceOf, pageLinks } from '../list-query.ts';
import { parseTime } from '../times.ts';
import { REPORT_NOTE, toUpgradeCalls, UpgradeReport } from './model.ts';

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
