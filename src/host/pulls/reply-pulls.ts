// Pull requests as replies of routes: shown, with bodies in the form that the caller asks for.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { renderBodies } from '../contents/render-bodies.ts';
import type { Issue } from '../issues/issue.ts';
import { listIssuesById } from '../issues/store.ts';
import { readMergeableState } from '../protection/mergeable-state.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { requestUnknown, showCurrentPulls, withoutOldChecks } from './current-pulls.ts';
import { toPull, toPullSimple, type PullReply, type PullSimpleReply, type ShownPull } from './model.ts';
import { pullNotFound } from './pull.ts';
import { showPulls } from './show-pulls.ts';

/** The part of a call that replies need. */
export interface ReplyCall {
  caller: Caller;
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

/** In the order of the ids; those that are gone meanwhile are missing. */
export async function replySimply(
  kernel: Kernel,
  call: ReplyCall,
  found: FoundRepository,
  ids: readonly number[],
): Promise<Static<typeof PullSimpleReply>[]> {
  const issues = await listIssuesById(kernel.db, ids);
  const present = ids.flatMap((id) => issues.get(id) ?? []);
  return await replyShownPulls(kernel, call, found, await showPulls(kernel.db, call.caller, found, present));
}

/** The same for those that have been read already. */
export async function replyShownPulls(
  kernel: Kernel,
  call: ReplyCall,
  found: FoundRepository,
  shown: readonly ShownPull[],
): Promise<Static<typeof PullSimpleReply>[]> {
  const current = await withoutOldChecks(kernel, found, shown);
  const bodies = await bodiesOf(kernel, call, found, current);
  return current.map((one, index) => toPullSimple(one, call.base, bodies[index]!));
}

export async function replyWhole(
  kernel: Kernel,
  call: ReplyCall,
  found: FoundRepository,
  issue: Issue,
): Promise<Static<typeof PullReply>> {
  const [shown] = await showCurrentPulls(kernel, call.caller, found, [issue]);
  if (shown === undefined) throw pullNotFound();
  await requestUnknown(kernel, shown);
  const [body] = await bodiesOf(kernel, call, found, [shown]);
  const state = await readMergeableState(kernel, found, { issue, pull: shown.pull });
  return toPull(shown, call.base, body!, state);
}

async function bodiesOf(
  kernel: Kernel,
  { headers, base }: ReplyCall,
  { repository, owner }: FoundRepository,
  shown: readonly ShownPull[],
) {
  return await renderBodies(
    kernel,
    shown.map((one) => one.shown.issue.body),
    headers['accept'],
    { base, fullName: `${owner.login}/${repository.name}` },
  );
}
