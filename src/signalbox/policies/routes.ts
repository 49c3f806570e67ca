// Explains what policies allow: those of a member, a token or a role, or statements that are being written. ADR 0154.
import { couldBeId, couldBeKey } from '../../flags/fields.ts';
import { unknownThing } from '../../flags/find-project.ts';
import { memberResource } from '../../flags/members/model.ts';
import { roleResource } from '../../flags/roles/model.ts';
import { openToken } from '../../flags/tokens/access.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { route, type Call, type Route } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { countNames, parseStatements, type Policy } from '../../kernel/identity/policy.ts';
import { findRole } from '../../kernel/identity/store-roles.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { policyActionsOf, PolicyAction } from './actions.ts';
import { explainDecision } from './explain.ts';
import { PolicyAnswers, PolicyQuestions, toAnswer, type Layer } from './model.ts';

/** Names in statements times questions: each is compared. */
const MAX_COMPARISONS = 500_000;

type Wanted = Static<typeof PolicyQuestions>;
type Asking = Pick<Call, 'can' | 'now'> & { caller: KnownCaller };

/** The policies in question, and what each group of them is. */
interface Subject {
  grants: readonly (readonly Policy[])[];
  layers: readonly Layer[];
}

const explainPolicies = route(
  {
    id: 'explainPolicies',
    method: 'POST',
    path: '/policies/explain',
    summary: 'Explain whether something may be done, and which statements decide',
    description:
      'About oneself, about members, tokens and custom roles that one may see, or about statements that are not saved. The ' +
      'answer is that of calls, as far as policies decide: of repositories, Actors and storages the owner decides as well, ' +
      'and of flags the approvals. It changes nothing.',
    access: { action: 'viewMember', others: ['viewRole', 'viewAccessToken'] },
    isData: true,
    worksOnFullDisk: true,
    body: PolicyQuestions,
    reply: { 200: PolicyAnswers },
  },
  async (call, kernel) => {
    const { questions } = call.body;
    const { grants, layers } = await openSubject(call, kernel, call.body);
    // A policy that is being written belongs to nobody who could be asked for.
    call.can('member/*');
    const policies = grants.flat();
    const names = policies
      .flatMap(({ statements }) => statements)
      .reduce((sum, statement) => sum + countNames(statement), 0);
    if (names * questions.length > MAX_COMPARISONS)
      throw new Failure(
        'invalid',
        `These policies have ${names} names: ask at most ${Math.floor(MAX_COMPARISONS / names)} questions at once.`,
      );
    const visible = new Set(
      policies
        .flatMap(({ source }) => source?.role ?? [])
        .filter((key) => call.can(roleResource({ key }), 'viewRole')),
    );
    const answers = [];
    for (const question of questions) {
      const explanation = await explainDecision(grants, question.action, question.resource);
      answers.push(toAnswer(question, explanation, layers, (role) => visible.has(role)));
    }
    return { answers };
  },
);

async function openSubject(call: Asking, kernel: Kernel, wanted: Wanted): Promise<Subject> {
  const { member, token, role, policy, baseRole, roleAttributes = {} } = wanted;
  const named = [member, token, role, policy].filter((one) => one !== undefined);
  if (named.length > 1 || (named.length === 0 && baseRole === undefined))
    throw problem('body', 'must have one of member, token, role, policy and baseRole');
  if (baseRole !== undefined && named.length > 0 && policy === undefined)
    throw problem('body.baseRole', 'is only for a policy, or alone');
  if (member !== undefined) return await openMember(call, kernel, member);
  if (token !== undefined) return await openTokenSubject(call, kernel, token);
  if (role !== undefined) return await openRole(call, kernel, role, roleAttributes);
  const written = { policy: parseStatements(policy ?? []), baseRole: baseRole ?? 'no_access' };
  return { grants: [[kernel.identity.policyOfRole(written, roleAttributes)]], layers: ['policy'] };
}

async function openMember(call: Asking, { db, identity }: Kernel, name: string): Promise<Subject> {
  const own = call.caller.token?.isService === true ? undefined : call.caller.member.id;
  const id = name === 'me' ? (own ?? '') : name;
  const resource = memberResource({ id });
  if (!call.can(resource) && id !== own)
    throw new Failure('forbidden', 'You may not see this member, or there is none.', {
      access: { action: 'viewMember', resource },
    });
  const found = couldBeId(id) ? await identity.callerOf(db, { memberId: id }, call.now) : undefined;
  if (found === undefined) throw unknownThing('member', name);
  return { grants: found.grants, layers: layersOf(found.grants.length, ['member']) };
}

async function openTokenSubject(call: Asking, { db, identity }: Kernel, id: string): Promise<Subject> {
  const { isService } = await openToken(call, db, id);
  const found = await identity.callerOfToken(db, id, call.now);
  if (found === undefined) throw new Failure('not-found', 'The token has expired, or its owner is gone.');
  const last: Layer[] = isService ? ['token'] : ['member', 'token'];
  return { grants: found.grants, layers: layersOf(found.grants.length, last) };
}

async function openRole(
  call: Asking,
  { db, identity }: Kernel,
  key: string,
  attributes: Record<string, string[]>,
): Promise<Subject> {
  const role = couldBeKey(key) ? await findRole(db, key) : undefined;
  if (role === undefined) throw unknownThing('custom role', key);
  const resource = roleResource(role);
  if (!call.can(resource, 'viewRole'))
    throw new Failure('forbidden', 'You may not see this role.', {
      access: { action: 'viewRole', resource },
    });
  const policy = { ...identity.policyOfRole(role, attributes), source: { role: role.key } };
  return { grants: [[policy]], layers: ['policy'] };
}

/** Limits come first. */
function layersOf(groups: number, last: readonly Layer[]): Layer[] {
  return [...Array.from({ length: groups - last.length }, (): Layer => 'limit'), ...last];
}

export function policyRoutes(apis: () => readonly Api[]): Route[] {
  const listPolicyActions = route(
    {
      id: 'listPolicyActions',
      method: 'GET',
      path: '/policy-actions',
      summary: 'List the actions that policies can name',
      access: 'caller',
      list: PolicyAction,
    },
    () => cursorPage(policyActionsOf(apis())),
  );
  return [explainPolicies, listPolicyActions];
}
