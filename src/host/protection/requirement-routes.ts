// What the protection of a branch requires: reviews of pull requests, and status checks.
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { repositoryRoute, type FoundRepository } from '../repositories/access.ts';
import { readActors, showActors, type ActorsByPurpose } from './actors.ts';
import { branchNotProtected, changeProtection, NOBODY } from './change-protection.ts';
import { checkApps, openProtectedBranch, openProtection, updateAt, viewAt } from './protection-place.ts';
import { contextsOf, ReviewPolicy, StatusCheckPolicy, toReviewPolicy, toStatusCheckPolicy } from './model.ts';
import {
  checkCount,
  ContextList,
  isNaming,
  ReviewUpdate,
  reviewsAfter,
  sentChecks,
  StatusCheckUpdate,
} from './requests.ts';
import type { RequiredCheck, StatusCheckRule } from './rule.ts';

const REVIEWS = '/required_pull_request_reviews';
const CHECKS = '/required_status_checks';
const CONTEXTS = `${CHECKS}/contexts`;

const getReviews = repositoryRoute(
  {
    id: 'repos/get-pull-request-review-protection',
    method: 'GET',
    ...viewAt(REVIEWS),
    summary: 'Get which reviews a branch requires',
    reply: { 200: ReviewPolicy },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection, url } = await openProtection(kernel, found, call);
    if (protection.rule.reviews === null) throw reviewsNotEnabled();
    return toReviewPolicy(
      protection.rule,
      await showActors(kernel.db, found, protection.actors, call.base),
      url,
    );
  },
);

const patchReviews = repositoryRoute(
  {
    id: 'repos/update-pull-request-review-protection',
    method: 'PATCH',
    ...updateAt(REVIEWS),
    summary: 'Require reviews, or change which ones a branch requires',
    description:
      'The branch must be protected. Those who may dismiss reviews, or need no pull request, are replaced as a whole; an ' +
      'empty object ends the restriction or the allowance.',
    body: ReviewUpdate,
    bodyIsOptional: true,
    reply: { 200: ReviewPolicy },
  },
  'admin',
  async (call, kernel, found) => {
    const { branch, url } = await openProtectedBranch(kernel, found, call);
    const sent = call.body ?? {};
    const { dismissal_restrictions: dismissal, bypass_pull_request_allowances: bypass } = sent;
    const after = await changeProtection(kernel, call, found, branch, async (tx, before) => {
      if (before === undefined) throw branchNotProtected();
      const read = async (names: Static<typeof ReviewUpdate>['dismissal_restrictions'], field: string) =>
        names === undefined || !isNaming(names) ? NOBODY.dismiss : await readActors(tx, found, names, field);
      const actors: Partial<ActorsByPurpose> = {
        ...(dismissal && { dismiss: await read(dismissal, '/dismissal_restrictions') }),
        ...(bypass && { bypass: await read(bypass, '/bypass_pull_request_allowances') }),
      };
      return { rule: { ...before.rule, reviews: reviewsAfter(before.rule.reviews, sent) }, actors };
    });
    return toReviewPolicy(after.rule, await showActors(kernel.db, found, after.actors, call.base), url);
  },
);

const deleteReviews = repositoryRoute(
  {
    id: 'repos/delete-pull-request-review-protection',
    method: 'DELETE',
    ...updateAt(REVIEWS),
    summary: 'Require no reviews',
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    const { branch } = await openProtectedBranch(kernel, found, call);
    await changeProtection(kernel, call, found, branch, (_tx, before) => {
      if (before === undefined) throw branchNotProtected();
      if (before.rule.reviews === null) throw reviewsNotEnabled();
      const { dismiss, bypass } = NOBODY;
      return Promise.resolve({ rule: { ...before.rule, reviews: null }, actors: { dismiss, bypass } });
    });
    return reply(204);
  },
);

const getChecks = repositoryRoute(
  {
    id: 'repos/get-status-checks-protection',
    method: 'GET',
    ...viewAt(CHECKS),
    summary: 'Get which status checks a branch requires',
    reply: { 200: StatusCheckPolicy },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection, url } = await openProtection(kernel, found, call);
    if (protection.rule.statusChecks === null) throw checksNotEnabled();
    return toStatusCheckPolicy(protection.rule, url);
  },
);

const patchChecks = repositoryRoute(
  {
    id: 'repos/update-status-check-protection',
    method: 'PATCH',
    ...updateAt(CHECKS),
    summary: 'Change which status checks a branch requires',
    description: 'The branch must require status checks.',
    body: StatusCheckUpdate,
    bodyIsOptional: true,
    reply: { 200: StatusCheckPolicy },
  },
  'admin',
  async (call, kernel, found) => {
    const { strict } = call.body ?? {};
    const checks = sentChecks(call.body ?? {});
    const { rule, url } = await changeChecks(kernel, call, found, (before) => ({
      strict: strict ?? before.strict,
      checks: checks ?? before.checks,
    }));
    return toStatusCheckPolicy(rule, url);
  },
);

const deleteChecks = repositoryRoute(
  {
    id: 'repos/remove-status-check-protection',
    method: 'DELETE',
    ...updateAt(CHECKS),
    summary: 'Require no status checks',
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    await changeChecks(kernel, call, found, () => null);
    return reply(204);
  },
);

const getContexts = repositoryRoute(
  {
    id: 'repos/get-all-status-check-contexts',
    method: 'GET',
    ...viewAt(CONTEXTS),
    summary: 'List the contexts of the required status checks',
    reply: { 200: Type.Array(Type.String()) },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection } = await openProtection(kernel, found, call);
    if (protection.rule.statusChecks === null) throw checksNotEnabled();
    return contextsOf(protection.rule.statusChecks.checks);
  },
);

const contextRoute = (
  method: 'POST' | 'PUT' | 'DELETE',
  { id, summary }: { id: string; summary: string },
  edit: (before: RequiredCheck[], contexts: string[]) => RequiredCheck[],
) =>
  repositoryRoute(
    {
      id,
      method,
      ...updateAt(CONTEXTS),
      summary,
      description: 'An object with the list, or the list itself.',
      body: ContextList,
      reply: { 200: Type.Array(Type.String()) },
    },
    'admin',
    async (call, kernel, found) => {
      const contexts = Array.isArray(call.body) ? call.body : call.body.contexts;
      const { rule } = await changeChecks(kernel, call, found, ({ strict, checks }) => ({
        strict,
        checks: edit(checks, contexts),
      }));
      return contextsOf(rule.statusChecks?.checks ?? []);
    },
  );

const addContexts = contextRoute(
  'POST',
  { id: 'repos/add-status-check-contexts', summary: 'Add contexts to the required status checks' },
  (before, contexts) => withContexts(before, [...contextsOf(before), ...contexts]),
);

const setContexts = contextRoute(
  'PUT',
  { id: 'repos/set-status-check-contexts', summary: 'Replace the contexts of the required status checks' },
  withContexts,
);

const removeContexts = contextRoute(
  'DELETE',
  { id: 'repos/remove-status-check-contexts', summary: 'Remove contexts from the required status checks' },
  (before, contexts) => before.filter(({ context }) => !contexts.includes(context)),
);

/** A check that is known keeps its app. */
function withContexts(before: readonly RequiredCheck[], contexts: readonly string[]): RequiredCheck[] {
  const known = new Map(before.map((check) => [check.context, check]));
  return [...new Set(contexts)].map((context) => known.get(context) ?? { context, appId: null });
}

/** Throws unless the branch requires status checks. */
async function changeChecks(
  kernel: Kernel,
  call: ChangeActor & Parameters<typeof openProtectedBranch>[2],
  found: FoundRepository,
  edit: (before: StatusCheckRule) => StatusCheckRule | null,
) {
  const { branch, url } = await openProtectedBranch(kernel, found, call);
  const { rule } = await changeProtection(kernel, call, found, branch, async (tx, before) => {
    if (before === undefined) throw branchNotProtected();
    if (before.rule.statusChecks === null) throw checksNotEnabled();
    const statusChecks = edit(before.rule.statusChecks);
    await checkApps(tx, checkCount(statusChecks?.checks ?? []), '/checks');
    return { rule: { ...before.rule, statusChecks } };
  });
  return { rule, url };
}

function reviewsNotEnabled(): Failure {
  return new Failure('not-found', 'Required pull request reviews not enabled', { code: 'not-enabled' });
}

function checksNotEnabled(): Failure {
  return new Failure('not-found', 'Required status checks not enabled', { code: 'not-enabled' });
}

export const requirementRoutes = [
  getReviews,
  patchReviews,
  deleteReviews,
  getChecks,
  patchChecks,
  deleteChecks,
  getContexts,
  addContexts,
  setContexts,
  removeContexts,
];
