// The facets that the filters of a repository's list of issues name.
import type { Db } from '../../../kernel/storage/tables.ts';
import { foldCase } from '../../../kernel/text/fold-case.ts';
import { listLabelsByName } from '../../labels/store.ts';
import { findMilestone } from '../../milestones/store.ts';
import { findUser } from '../../owners/store.ts';
import { assignedIn, authoredIn, mentioningIn, milestonedIn, withLabel, withMilestone } from './facets.ts';
import { MAX_LABELS } from '../issue.ts';
import { invalidField } from '../requests.ts';

export interface RepositoryFilters {
  milestone?: string;
  assignee?: string;
  creator?: string;
  mentioned?: string;
  type?: string;
  labelNames: readonly string[];
}

/** Undefined where nothing can be found. Throws for people and milestones that do not exist. */
export async function readRepositoryFacets(
  db: Db,
  number: number,
  { milestone, assignee, creator, mentioned, type, labelNames }: RepositoryFilters,
): Promise<string[] | undefined> {
  const names = [...new Set(labelNames.map(foldCase))];
  const [people, milestones, labels] = await Promise.all([
    Promise.all([
      assignee === '*' || assignee === 'none'
        ? assignedIn(number, assignee)
        : personFacet(db, 'assignee', assignee, (id) => assignedIn(number, id)),
      personFacet(db, 'creator', creator, (id) => authoredIn(number, id)),
      personFacet(db, 'mentioned', mentioned, (id) => mentioningIn(number, id)),
    ]),
    milestoneFacet(db, number, milestone),
    names.length > MAX_LABELS ? [] : listLabelsByName(db, number, names),
  ]);
  if (labels.length < names.length || (type !== undefined && type !== 'none')) return undefined;
  return [...labels.map(({ id }) => withLabel(id)), ...people, milestones].filter(
    (facet) => facet !== undefined,
  );
}

async function personFacet(
  db: Db,
  field: string,
  login: string | undefined,
  facetOf: (accountId: string) => string,
): Promise<string | undefined> {
  if (login === undefined || login === '') return undefined;
  const user = await findUser(db, login);
  if (user === undefined) throw invalidField(field, 'is no user', 'invalid');
  return facetOf(user.id);
}

async function milestoneFacet(
  db: Db,
  number: number,
  milestone: string | undefined,
): Promise<string | undefined> {
  if (milestone === undefined || milestone === '') return undefined;
  if (milestone === '*' || milestone === 'none') return milestonedIn(number, milestone);
  const found = /^[1-9]\d{0,14}$/.test(milestone)
    ? await findMilestone(db, number, Number(milestone))
    : undefined;
  if (found === undefined) throw invalidField('milestone', 'is no milestone of the repository', 'invalid');
  return withMilestone(found.id);
}
