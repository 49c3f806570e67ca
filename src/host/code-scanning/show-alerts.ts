// Prepares alerts for replies: with those who dismissed them.
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { toSimpleRepository } from '../repositories/model.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import type { ScanningAlert } from './alert.ts';
import { toAlert, type AlertReply, type OrganizationAlertReply } from './model.ts';

export async function showAlerts(
  db: Db,
  found: FoundRepository,
  alerts: readonly ScanningAlert[],
  base: string,
): Promise<Static<typeof AlertReply>[]> {
  const people = await listDismissers(db, alerts);
  return alerts.map((alert) => toAlert(alert, found, people.get(alert.dismissal?.by ?? ''), base));
}

/** Of repositories of one owner; those are left out that the caller's token may not see. */
export async function showOrganizationAlerts(
  db: Db,
  owner: FoundRepository['owner'],
  alerts: readonly ScanningAlert[],
  isVisible: (found: FoundRepository) => boolean,
  base: string,
): Promise<Static<typeof OrganizationAlertReply>[]> {
  const numbers = [...new Set(alerts.map(({ repositoryNumber }) => repositoryNumber))];
  const [repositories, people] = await Promise.all([
    listRepositoriesByNumber(db, numbers),
    listDismissers(db, alerts),
  ]);
  return alerts.flatMap((alert) => {
    const repository = repositories.get(alert.repositoryNumber);
    if (repository?.ownerId !== owner.id || !isVisible({ repository, owner })) return [];
    const found = { repository, owner };
    const shown = toAlert(alert, found, people.get(alert.dismissal?.by ?? ''), base);
    return { ...shown, repository: toSimpleRepository(found, base) };
  });
}

async function listDismissers(db: Db, alerts: readonly ScanningAlert[]) {
  const ids = alerts.flatMap(({ dismissal }) => dismissal?.by ?? []);
  return ids.length === 0 ? new Map<string, never>() : await listOwners(db, ids);
}
