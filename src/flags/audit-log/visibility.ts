// Decides which audit entries a caller may see, in the audit log and in webhook deliveries.
import type { Call } from '../../kernel/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listProjectNames } from '../projects/store.ts';
import { projectResource } from '../resources.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';

export const VIEW_AUDIT_LOG = 'viewAuditLog';

/**
 * Entries of a project need the permission to view the project. Other entries need the permission to view the audit
 * log, of the account and of the resource.
 */
export async function visibility(
  call: Pick<Call, 'can'>,
  db: Db,
): Promise<(entry: Pick<AuditEntry, 'resource'>) => boolean> {
  const seesAccount = call.can('acct', VIEW_AUDIT_LOG);
  const projects = await listProjectNames(db);
  const tags = new Map(projects.map((project) => [project.key, project.tags]));
  const seen = new Map<string, boolean>();
  return ({ resource }) => {
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
    return isSeen;
  };
}
