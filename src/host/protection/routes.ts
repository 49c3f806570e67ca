// The protection of a branch as a whole, and whether it applies to administrators and asks for signatures.
import type { Kernel } from '../../kernel/kernel.ts';
import { reply } from '../../kernel/http/route.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { repositoryRoute, type FoundRepository } from '../repositories/access.ts';
import { readActors, showActors } from './actors.ts';
import {
  branchNotProtected,
  changeProtection,
  NOBODY,
  removeProtection,
  type EditedProtection,
  type FullProtection,
} from './change-protection.ts';
import { checkApps, openProtectedBranch, openProtection, updateAt, viewAt } from './protection-place.ts';
import { AdminEnforced, ProtectionReply, toAdminEnforced, toProtection, toSignatures } from './model.ts';
import { isNaming, ProtectionUpdate, reviewsAfter, sentChecks } from './requests.ts';
import type { BranchRule } from './rule.ts';

const getProtection = repositoryRoute(
  {
    id: 'repos/get-branch-protection',
    method: 'GET',
    ...viewAt(),
    summary: 'Get the protection of a branch',
    reply: { 200: ProtectionReply },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection, url } = await openProtection(kernel, found, call);
    return await showProtection(kernel, found, protection, url, call.base);
  },
);

const putProtection = repositoryRoute(
  {
    id: 'repos/update-branch-protection',
    method: 'PUT',
    ...updateAt(),
    summary: 'Protect a branch, or replace its protection',
    description:
      'What the request does not name is off. Whether signatures are required stays. Users, teams and apps must have write ' +
      'access, and are named in repositories of organizations only.',
    body: ProtectionUpdate,
    reply: { 200: ProtectionReply },
  },
  'admin',
  async (call, kernel, found) => {
    const { branch, url } = await openProtectedBranch(kernel, found, call);
    const after = await changeProtection(kernel, call, found, branch, (tx, before) =>
      readUpdate(tx, found, call.body, before),
    );
    return await showProtection(kernel, found, after, url, call.base);
  },
);

async function readUpdate(
  tx: Db,
  found: FoundRepository,
  sent: Static<typeof ProtectionUpdate>,
  before: FullProtection | undefined,
): Promise<EditedProtection> {
  const { required_status_checks: status, required_pull_request_reviews: sentReviews, restrictions } = sent;
  const checks = status === null ? [] : sentChecks(status);
  if (checks === undefined) throw problem('/required_status_checks/contexts', 'is required');
  await checkApps(tx, checks, '/required_status_checks/checks');
  const reviews = sentReviews && reviewsAfter(null, sentReviews);
  const rule: BranchRule = {
    statusChecks: status && { strict: status.strict, checks },
    reviews,
    isRestricted: restrictions !== null,
    enforceAdmins: sent.enforce_admins === true,
    requiredSignatures: before?.rule.requiredSignatures ?? false,
    requiredLinearHistory: sent.required_linear_history === true,
    allowForcePushes: sent.allow_force_pushes === true,
    allowDeletions: sent.allow_deletions === true,
    blockCreations: sent.block_creations === true,
    requiredConversationResolution: sent.required_conversation_resolution === true,
    lockBranch: sent.lock_branch === true,
    allowForkSyncing: sent.allow_fork_syncing === true,
  };
  const { dismissal_restrictions: dismissal = {}, bypass_pull_request_allowances: bypass = {} } =
    sentReviews ?? {};
  const at = '/required_pull_request_reviews';
  const actors = {
    push: restrictions === null ? NOBODY.push : await readActors(tx, found, restrictions, '/restrictions'),
    dismiss: isNaming(dismissal)
      ? await readActors(tx, found, dismissal, `${at}/dismissal_restrictions`)
      : NOBODY.dismiss,
    bypass: isNaming(bypass)
      ? await readActors(tx, found, bypass, `${at}/bypass_pull_request_allowances`)
      : NOBODY.bypass,
  };
  return { rule, actors };
}

const deleteProtectionRoute = repositoryRoute(
  {
    id: 'repos/delete-branch-protection',
    method: 'DELETE',
    ...updateAt(),
    summary: 'Remove the protection of a branch',
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    const { branch } = await openProtectedBranch(kernel, found, call);
    await removeProtection(kernel, call, found, branch);
    return reply(204);
  },
);

async function showProtection(
  { db }: Kernel,
  found: FoundRepository,
  { rule, actors }: FullProtection,
  url: string,
  base: string,
): Promise<Static<typeof ProtectionReply>> {
  return toProtection(rule, await showActors(db, found, actors, base), url);
}

const getAdminProtection = repositoryRoute(
  {
    id: 'repos/get-admin-branch-protection',
    method: 'GET',
    ...viewAt('/enforce_admins'),
    summary: 'Get whether the protection of a branch applies to administrators',
    reply: { 200: AdminEnforced },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection, url } = await openProtection(kernel, found, call);
    return toAdminEnforced(protection.rule, url);
  },
);

const setAdminProtection = repositoryRoute(
  {
    id: 'repos/set-admin-branch-protection',
    method: 'POST',
    ...updateAt('/enforce_admins'),
    summary: 'Apply the protection of a branch to administrators',
    reply: { 200: AdminEnforced },
  },
  'admin',
  async (call, kernel, found) => {
    const { rule, url } = await setRule(kernel, call, found, { enforceAdmins: true });
    return toAdminEnforced(rule, url);
  },
);

const deleteAdminProtection = repositoryRoute(
  {
    id: 'repos/delete-admin-branch-protection',
    method: 'DELETE',
    ...updateAt('/enforce_admins'),
    summary: 'Do not apply the protection of a branch to administrators',
    description: 'They can still not force pushes or delete the branch, unless the protection allows it.',
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    await setRule(kernel, call, found, { enforceAdmins: false });
    return reply(204);
  },
);

const getSignatureProtection = repositoryRoute(
  {
    id: 'repos/get-commit-signature-protection',
    method: 'GET',
    ...viewAt('/required_signatures'),
    summary: 'Get whether a branch takes signed commits only',
    reply: { 200: AdminEnforced },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection, url } = await openProtection(kernel, found, call);
    return toSignatures(protection.rule, url);
  },
);

const createSignatureProtection = repositoryRoute(
  {
    id: 'repos/create-commit-signature-protection',
    method: 'POST',
    ...updateAt('/required_signatures'),
    summary: 'Take signed commits only',
    description: 'This server verifies no signatures: whoever the protection applies to can add no commits.',
    reply: { 200: AdminEnforced },
  },
  'admin',
  async (call, kernel, found) => {
    const { rule, url } = await setRule(kernel, call, found, { requiredSignatures: true });
    return toSignatures(rule, url);
  },
);

const deleteSignatureProtection = repositoryRoute(
  {
    id: 'repos/delete-commit-signature-protection',
    method: 'DELETE',
    ...updateAt('/required_signatures'),
    summary: 'Take commits without signatures, too',
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    await setRule(kernel, call, found, { requiredSignatures: false });
    return reply(204);
  },
);

async function setRule(
  kernel: Kernel,
  call: Parameters<typeof changeProtection>[1] & Parameters<typeof openProtectedBranch>[2],
  found: FoundRepository,
  fields: Partial<BranchRule>,
): Promise<{ rule: BranchRule; url: string }> {
  const { branch, url } = await openProtectedBranch(kernel, found, call);
  const { rule } = await changeProtection(kernel, call, found, branch, (_tx, before) => {
    if (before === undefined) throw branchNotProtected();
    return Promise.resolve({ rule: { ...before.rule, ...fields } });
  });
  return { rule, url };
}

export const protectionRoutes = [
  getProtection,
  putProtection,
  deleteProtectionRoute,
  getAdminProtection,
  setAdminProtection,
  deleteAdminProtection,
  getSignatureProtection,
  createSignatureProtection,
  deleteSignatureProtection,
];
