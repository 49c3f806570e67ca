// Decides which audit entries a caller may see, in the audit log and in webhook deliveries.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { listProjectNames } from '../projects/store.ts';
import { projectResource, RESOURCE_TYPES } from '../policy/resources.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';

export const VIEW_AUDIT_LOG = 'viewAuditLog';

/** On the account: to see the entries of every account's resources. No `view…`, because readers may view everything. */
const AUDIT_EVERY_ACCOUNT = 'auditEveryAccount';

export type AuditLogCall = Pick<Call, 'can'> & { caller: KnownCaller };

export type Visibility = (entry: Pick<AuditEntry, 'resource' | 'ownerId'>) => boolean;

/**
 * Entries of a project need the permission to view the project. Other entries need the permission to view the audit
 * log, of the account and of the resource; those of Actors, storages, repositories and all else that belongs to one account
 * are for that account and for those who may see every account's. An entry of an earlier release does not name its owner.
 */
export async function visibility(
  call: AuditLogCall,
  { db, auditedAccounts }: Pick<Kernel, 'db' | 'auditedAccounts'>,
): Promise<Visibility> {
  const seesAccount = call.can('acct', VIEW_AUDIT_LOG);
  const seesEveryAccount = call.can('acct', AUDIT_EVERY_ACCOUNT);
  const { id } = accountOf(call.caller);
  const own = new Set(seesEveryAccount ? [] : [id, ...(await auditedAccounts(db, id))]);
  const projects = await listProjectNames(db);
  const tags = new Map(projects.map((project) => [project.key, project.tags]));
  const seen = new Map<string, boolean>();
  return ({ resource, ownerId }) => {
    const [first = ''] = resource.split(':', 1);
    const isInProject = first.startsWith('proj/');
    const subject = isInProject ? first : resource;
    let isSeen = seen.get(subject);
    if (isSeen === undefined) {
      const key = first.slice('proj/'.length);
      isSeen = isInProject
        ? call.can(projectResource({ key, tags: tags.get(key) ?? [] }), 'viewProject')
        : seesAccount && call.can(subject, VIEW_AUDIT_LOG);
      seen.set(subject, isSeen);
    }
    if (!isSeen || isOfAllMembers(resource) || seesEveryAccount) return isSeen;
    return ownerId !== undefined && own.has(ownerId);
  };
}

/** Resources of the flag service and of the organization that runs the server; all others belong to one account. */
export function isOfAllMembers(resource: string): boolean {
  return RESOURCE_TYPES.has(resource.split(/[/:]/, 1)[0]!);
}
