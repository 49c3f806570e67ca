// Marks in the upgrade report: calls of a program that was mended. A later call of the same kind takes the mark away by itself.
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { markedScope } from '../../kernel/openapi/upgrade-report/report.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import { updateUsageDone } from '../../kernel/versions/usage/store.ts';

const UpgradeMark = Type.Object(
  {
    api: PlainText({ maxLength: 40 }),
    operation: PlainText({ minLength: 1, maxLength: 200 }),
    version: PlainText({ maxLength: 40, description: 'That answered the calls' }),
    variant: Type.Optional(PlainText({ maxLength: 100 })),
    caller: Type.Optional(
      PlainText({
        maxLength: 200,
        description: 'The id of the token, the member or the program; absent for calls without a credential',
      }),
    ),
    isDone: Type.Boolean(),
  },
  { $id: 'UpgradeMark', additionalProperties: false },
);

const putUpgradeMark = route(
  {
    id: 'putUpgradeMark',
    method: 'PUT',
    path: '/upgrade-report/done',
    summary: 'Mark calls of the upgrade report as done, or take the mark away',
    description:
      'They are those of one caller to one operation in one version. The mark says that the program was mended: it goes when such a ' +
      'call comes again. Administrators may mark the calls of everybody.',
    access: { action: 'markUpgrade' },
    body: UpgradeMark,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { caller, body, now } = call;
    call.requirePermission('member/me:token/*');
    const { api, operation, version, variant = '', caller: of = '', isDone } = body;
    // What has been counted here so far came before the mark.
    await kernel.versionUsage.collect();
    await kernel.changes.run(call, async (tx) => {
      const key = { caller: of, api, version, variant, operation };
      const done = isDone ? { at: now, by: caller.member.id } : undefined;
      if (!(await updateUsageDone(tx.db, key, markedScope(caller), done)))
        throw new Failure('not-found', 'The upgrade report has no such calls, or they are not yours.');
      tx.record({
        accesses: [{ action: 'markUpgrade', resource: 'member/me:token/*' }],
        kind: 'upgrade-report',
        name: `${operation} in ${version}`,
        verb: isDone ? 'marked as done in the upgrade report' : 'marked as not done in the upgrade report',
      });
    });
    return reply(204, null);
  },
);

export const upgradeMarkRoutes = [putUpgradeMark];
