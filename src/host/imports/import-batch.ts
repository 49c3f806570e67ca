// Imports a batch in one transaction. No webhooks, feeds, mentions or closing words follow from it.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { RefUpdateRefused, updateRefs } from '../git/refs/update-refs.ts';
import { checkedBody } from '../issues/requests.ts';
import { checkedLabelName } from '../labels/requests.ts';
import { insertLabels, listLabelsByName, updateLabel } from '../labels/store.ts';
import { pullHeadRef } from '../pulls/pull.ts';
import { REPOSITORY_CHANNEL, repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import { parseTime } from '../times.ts';
import { importComments, importReviewComments, importReviews } from './import-comments.ts';
import { importIssues } from './import-issues.ts';
import type { BatchResult, SentBatch, SentLabel, SentMilestone } from './model.ts';
import { findPeople, type ImportedPeople } from './people.ts';
import { prepareCommits } from './prepare-pulls.ts';
import {
  findIssueImport,
  insertImported,
  insertNumberedMilestone,
  listImported,
  listMilestoneIds,
  updateIssueImport,
} from './store.ts';

type ImportActor = Parameters<Kernel['changes']['run']>[0];

/** The same batch again changes nothing. */
export async function importBatch(
  kernel: Kernel,
  actor: ImportActor,
  found: FoundRepository,
  batch: SentBatch,
): Promise<BatchResult> {
  const { db, changes, services } = kernel;
  const { number } = found.repository;
  const { issues = [], comments = [], reviews = [], review_comments: onLines = [] } = batch;
  const git = services.git.repository(number);
  const people = await findPeople(db, found, batch);
  const commits = await prepareCommits(git, issues);
  const { result, pulls } = await changes.run(actor, async (tx) => {
    if ((await lockRepository(tx.db, number)) === undefined) throw repositoryNotFound();
    const running = await findIssueImport(tx.db, number);
    if (running === undefined || running.finished_at !== null)
      throw new Failure('conflict', 'No import into the repository is under way. Begin one first.');
    await updateIssueImport(tx.db, number, { active_at: tx.actor.now });
    const work = { found, people, commits };
    await importLabels(tx, number, batch.labels ?? []);
    const results = [await importMilestones(tx, work, batch.milestones ?? [])];
    const { pulls: written, ...imported } = await importIssues(tx, work, issues);
    results.push(imported);
    results.push(await importComments(tx, work, comments));
    results.push(await importReviews(tx, work, reviews));
    results.push(await importReviewComments(tx, work, onLines));
    await tx.invalidate(REPOSITORY_CHANNEL);
    return { result: sumOf(results), pulls: written };
  });
  try {
    await updateRefs(
      git,
      pulls.map(({ number: pull, headSha: to }) => ({ name: pullHeadRef(pull), from: undefined, to })),
    );
  } catch (error) {
    // The rows are there, and due work writes what is missing.
    if (!(error instanceof RefUpdateRefused)) throw error;
  }
  return result;
}

function sumOf(results: readonly BatchResult[]): BatchResult {
  return {
    created: results.reduce((sum, { created }) => sum + created, 0),
    unchanged: results.reduce((sum, { unchanged }) => sum + unchanged, 0),
    left_out: results.flatMap((result) => result.left_out),
  };
}

/** New repositories have some labels already: these get the color and description that they have at the source. */
async function importLabels(
  { db }: ChangeTransaction,
  repositoryNumber: number,
  sent: readonly SentLabel[],
): Promise<void> {
  if (sent.length === 0) return;
  const wanted = new Map(
    sent.map((label) => {
      const name = checkedLabelName('labels.name', label.name);
      return [foldCase(name), { ...label, name }];
    }),
  );
  const present = await listLabelsByName(db, repositoryNumber, [...wanted.keys()]);
  for (const label of present) {
    const fields = wanted.get(foldCase(label.name))!;
    wanted.delete(foldCase(label.name));
    const { name, color, description } = fields;
    if (label.name !== name || label.color !== color || label.description !== description)
      await updateLabel(db, label.id, fields);
  }
  if (wanted.size > 0) await insertLabels(db, repositoryNumber, [...wanted.values()]);
}

async function importMilestones(
  { db }: ChangeTransaction,
  { found, people }: { found: FoundRepository; people: ImportedPeople },
  sent: readonly SentMilestone[],
): Promise<BatchResult> {
  const { number: repositoryNumber } = found.repository;
  const sourceIds = sent.map(({ source_id: id }) => id);
  const numbers = sent.map(({ number }) => number);
  const known = await listImported(db, repositoryNumber, 'milestone', sourceIds);
  const taken = await listMilestoneIds(db, repositoryNumber, numbers);
  const inserted = [];
  for (const one of sent) {
    if (known.has(one.source_id)) continue;
    const updatedAt = parseTime('updated_at', one.updated_at);
    const closedAt = one.closed_at === null ? updatedAt : parseTime('closed_at', one.closed_at);
    const id = taken.has(one.number)
      ? undefined
      : await insertNumberedMilestone(db, {
          repositoryNumber,
          number: one.number,
          title: one.title,
          description: checkedBody(one.description),
          state: one.state,
          creator: people.author(one.author),
          dueOn: one.due_on === null ? null : parseTime('due_on', one.due_on),
          createdAt: parseTime('created_at', one.created_at),
          updatedAt,
          closedAt: one.state === 'closed' ? closedAt : null,
        });
    if (id === undefined)
      throw new Failure(
        'conflict',
        `The number ${one.number} or the title "${one.title}" is taken by another milestone.`,
      );
    known.set(one.source_id, id);
    inserted.push({ sourceId: one.source_id, id, updatedAt });
  }
  await insertImported(db, repositoryNumber, 'milestone', inserted);
  return { created: inserted.length, unchanged: sent.length - inserted.length, left_out: [] };
}
